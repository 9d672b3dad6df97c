//! What a CXL memory pod saves.
#![forbid(unsafe_code)]
