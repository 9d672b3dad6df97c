//! Whether a pod is what it says it is.
//!
//! * [`claims`] checks what any topology claims by itself: port counts, and
//!   that the servers of an island overlap pairwise.
//! * [`octopus`] checks every [`Rule`] of an Octopus pod (section 5.2).
//!
//! Nothing here is shared with the code that builds pods: this module knows a
//! [`Topology`](crate::Topology)'s links and nothing of designs or searches.
//! Wherever a rule speaks of pairs, **all pairs are walked**, not only those
//! that some MPD covers: a pair that no block covers is exactly the one that a
//! wrong design lacks.

mod claims;
mod islands;
mod octopus;
mod rounds;
mod violation;

pub use claims::claims;
pub use octopus::{Finding, OctopusCheck, Outcome, Rule, octopus};
pub use violation::Violation;
