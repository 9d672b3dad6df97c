//! Pods, built.
//!
//! | pod | servers | overlap | built by |
//! |---|---|---|---|
//! | [`fully_connected`] | N | every pair, on every MPD | one choice |
//! | [`bibd`] | every V with a 2-(V, N, 1) design | every pair, once | [`crate::block`] |
//! | [`jellyfish`] | any | at random, or at most once | a seed |
//! | [`xpander`] | multiples of N | a random lift of the complete graph | a seed |
//! | [`octopus`] | islands × island size | once in an island, at most once elsewhere | a search |
//!
//! [`octopus_25`], [`octopus_64`] and [`octopus_96`] are the paper's pods
//! (Table 3), kept as data: their wiring was found by [`find`] for large
//! expansion, and tests verify every rule again.

mod blueprint;
mod fail;
mod family;
mod find;
mod local_search;
mod random;
mod shipped;

pub use blueprint::{Blueprint, octopus_64_blueprint, octopus_96_blueprint};
pub use fail::fail_links;
pub use family::{OctopusSpec, bibd, fully_connected, octopus};
pub use find::{Goal, find};
pub use random::{JellyfishSpec, jellyfish, xpander};
pub use shipped::{octopus_25, octopus_64, octopus_96};
