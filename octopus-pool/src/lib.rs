//! What a CXL memory pod saves: VM traces in, DRAM savings out.
//!
//! Follows sections 4.2, 5.4 and 6.3 and appendix A of the Octopus paper
//! ("Octopus: Enhancing CXL Memory Pods via Sparse Topology").
//!
//! 1. A [`Trace`] is read ([`read_trace`]) or generated ([`synthesize`]).
//! 2. Its VMs are put on servers ([`place`]): a [`Fleet`].
//! 3. A fraction of each VM's memory is pooled: a [`Demand`], and that of a
//!    pod drawn from the fleet, a [`PodDemand`].
//! 4. A [`Policy`] allocates it on a pod's MPDs ([`replay`]), beside the exact
//!    optimum ([`fractional_optimum`]) and Theorem A.1 ([`theorem_a1`]).
//! 5. [`evaluate`] does 3 and 4 for many random pods and says what they save.
//!
//! # Definitions
//!
//! The *baseline* is the sum of the servers' own peaks of pooled demand; a
//! pod's *provision* is its number of MPDs times the highest load of any MPD,
//! since all MPDs are made alike. The saving of all DRAM is the pooled fraction
//! times (1 − provision / baseline). Peaks count inside the trace's window
//! only. A VM that departs at an instant frees its memory for one that arrives.
//!
//! Same input and seeds, same result, on any number of threads.

#![forbid(unsafe_code)]

mod blast;
mod demand;
mod error;
mod flow;
mod leases;
mod migration;
mod num;
mod optimum;
mod peak;
mod placement;
mod policy;
mod replay;
mod savings;
mod striped;
mod synthetic;
mod theorem;
mod tolerance;
mod trace;
mod trained;

pub use blast::{BlastRadius, MpdFailure, blast_radius, mpd_failure};
pub use demand::{Demand, Event, PodDemand};
pub use error::Error;
pub use migration::BoundedMigration;
pub use optimum::{Optimum, fractional_optimum};
pub use peak::{PeakToAverage, peak_to_average};
pub use placement::{Fleet, Placement, ServerSize, place};
pub use policy::{GlobalPool, Lease, LeastLoaded, Policy};
pub use replay::{Held, Replay, Replayer, replay};
pub use savings::{Options, PolicyKind, Savings, Spread, evaluate, switch_pod};
pub use striped::Striped;
pub use synthetic::{SizeShare, SynthOptions, synthesize};
pub use theorem::theorem_a1;
pub use tolerance::{Tolerance, tolerated_fraction};
pub use trace::{
    Cleaned, Format, MAX_FLEET, MAX_ROWS, MAX_TIME_S, MAX_VM_GIB, ReadOptions, Rule, Trace, Vm,
    WarmUp, read_trace, read_trace_from, with_warm_up,
};

pub use trained::{Trained, evaluate_trained};

/// The result of this crate's fallible operations.
///
/// ```
/// fn servers() -> octopus_pool::Result<usize> {
///     Ok(octopus_pool::switch_pod(20)?.servers())
/// }
/// assert_eq!(servers()?, 20);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Runs the README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
