//! The expansion `e_k` of a pod, with a proof.
//!
//! `e_k` is the least number of distinct MPDs that any k servers reach
//! together (section 5.1.2). It bounds the peak load of an MPD from below when
//! k servers are hot at once (Theorem A.1), so a pod for memory pooling wants
//! it large.
//!
//! For each k there are two sides:
//!
//! * an upper bound is a *witness*: k servers with few MPDs, found by simulated
//!   annealing, which anyone can count again;
//! * a lower bound is *proved*: in small pods by looking at every subset, in
//!   larger ones by a reverse search over every set that could grow into a
//!   better witness (the module's private parts say which sets those are and
//!   why no other matters), in the rest by what follows from smaller k.
//!
//! Nothing is assumed of the pod: servers may share several MPDs, degrees may
//! differ, links may be missing. Where the pod has symmetries, sets that are
//! images of each other are looked at once.

mod anneal;
mod bound;
mod exhaustive;
mod graph;
mod kept;
mod prover;
mod search;
mod symmetry;
#[cfg(test)]
mod tests;

pub use kept::kept;

use std::ops::ControlFlow;
use std::time::Instant;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::{ServerId, Topology};

/// How far to go and how much to spend.
///
/// # Examples
///
/// ```
/// use octopus_design::expansion::Options;
/// let options = Options { max_k: 12, ..Options::default() };
/// assert_eq!(options.seed, 0);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The largest k; the number of servers where that is less.
    pub max_k: usize,
    /// Fixes the annealing, hence which witness is found.
    pub seed: u64,
    /// Threads; 0 for as many as there are cores. Changes no result.
    pub jobs: usize,
    /// Sets the proof of one bound may visit before it is given up. A core
    /// visits about a million a second in a pod of 96 servers.
    pub work_per_k: u64,
    /// Annealing runs for each k.
    pub restarts: u32,
    /// A cut-off: past it, bounds are returned as they stand, and may differ
    /// from run to run.
    pub deadline: Option<Instant>,
}

impl Default for Options {
    fn default() -> Self {
        let work_per_k = 20_000_000;
        Self { max_k: 25, seed: 0, jobs: 0, work_per_k, restarts: 8, deadline: None }
    }
}

/// What is known of `e_k` for one k.
///
/// # Examples
///
/// ```
/// use octopus_design::{ServerId, expansion::Expansion};
/// let known = Expansion { k: 1, lower: 8, upper: 8, witness: vec![ServerId(0)], visited: 0 };
/// assert!(known.is_exact());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// How many servers are hot.
    pub k: usize,
    /// No k servers reach fewer MPDs: proved.
    pub lower: usize,
    /// The servers of the witness reach this many.
    pub upper: usize,
    /// k servers, ascending.
    pub witness: Vec<ServerId>,
    /// Sets that the proof looked at.
    pub visited: u64,
}

impl Expansion {
    /// Whether the bounds meet, so that `e_k` is known.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{ServerId, expansion::Expansion};
    /// # let witness = vec![ServerId(0), ServerId(1)];
    /// let open = Expansion { k: 2, lower: 14, upper: 15, witness, visited: 0 };
    /// assert!(!open.is_exact());
    /// assert!(Expansion { lower: 15, ..open }.is_exact());
    /// ```
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.lower == self.upper
    }
}

/// How a proof is coming along.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow;
/// use octopus_design::{expansion::{Options, Progress, profile}, pod};
///
/// let mut settled = Vec::new();
/// profile(&pod::bibd(13, 4)?, &Options { max_k: 3, ..Options::default() }, &mut |progress| {
///     if let Progress::Settled(known) = progress {
///         settled.push((known.k, known.upper));
///     }
///     ControlFlow::Continue(())
/// });
/// assert_eq!(settled, [(1, 4), (2, 7), (3, 9)]);
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Progress<'p> {
    /// The search for k servers that reach fewer than `upper` MPDs has worked
    /// through `done` of `parts` parts of uneven size.
    Searching {
        /// How many servers are hot.
        k: usize,
        /// The best witness so far reaches this many MPDs.
        upper: usize,
        /// Parts done.
        done: usize,
        /// All parts.
        parts: usize,
        /// Sets visited so far for this k.
        visited: u64,
    },
    /// This k is done, proved or not.
    Settled(&'p Expansion),
}

impl Progress<'_> {
    /// The k that is being worked on.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::expansion::Progress;
    /// let progress = Progress::Searching { k: 5, upper: 30, done: 1, parts: 8, visited: 1_000 };
    /// assert_eq!(progress.k(), 5);
    /// ```
    #[must_use]
    pub fn k(&self) -> usize {
        match self {
            Self::Searching { k, .. } => *k,
            Self::Settled(expansion) => expansion.k,
        }
    }
}

/// Bounds of `e_1` to `e_max_k`, in order.
///
/// The same topology and options give the same result on any number of jobs,
/// unless a deadline cuts in. `observe` is told how it goes, from the calling
/// thread, and can end it by returning [`ControlFlow::Break`]: the bounds that
/// are settled by then are returned.
///
/// # Examples
///
/// Any two servers of a BIBD share one MPD, so 13 servers with four links each
/// have e_2 = 4 + 4 − 1.
///
/// ```
/// use std::ops::ControlFlow;
/// use octopus_design::{Topology, expansion::{Options, profile}};
///
/// let lines = (0..13).map(|shift| [0, 1, 3, 9].map(|point| (point + shift) % 13));
/// let pod = Topology::new("bibd-13", 4, 4, 13, lines)?;
/// let known = profile(&pod, &Options::default(), &mut |_| ControlFlow::Continue(()));
/// let e: Vec<usize> = known.iter().map(|known| known.upper).collect();
/// assert_eq!(e, [4, 7, 9, 10, 11, 11, 12, 12, 12, 13, 13, 13, 13]);
/// assert!(known.iter().all(|known| known.is_exact()));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn profile(
    topology: &Topology,
    options: &Options,
    observe: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Vec<Expansion> {
    resume(topology, Vec::new(), options, observe)
}

/// As [`profile`], going on from where an earlier run ended.
///
/// `known` is what that run returned for the same topology, seed and work; it
/// stands at the head of the result. Its lower bounds are believed, since
/// proving them again is what this function is there to save. What does not
/// go on from k = 1 without a gap is dropped and proved anew.
///
/// # Examples
///
/// ```
/// use std::ops::ControlFlow::{Break, Continue};
/// use octopus_design::{expansion::{Options, Progress, profile, resume}, pod};
///
/// let pod = pod::octopus_64();
/// let options = Options { max_k: 6, ..Options::default() };
/// let until_4 = profile(&pod, &options, &mut |progress| match progress {
///     Progress::Settled(known) if known.k == 4 => Break(()),
///     _ => Continue(()),
/// });
/// assert_eq!(until_4.len(), 4);
/// let resumed = resume(&pod, until_4, &options, &mut |_| Continue(()));
/// assert_eq!(resumed, profile(&pod, &options, &mut |_| Continue(())));
/// ```
pub fn resume(
    topology: &Topology,
    mut known: Vec<Expansion>,
    options: &Options,
    observe: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Vec<Expansion> {
    let max_k = options.max_k.min(topology.servers());
    let whole = known.iter().zip(1..=max_k).take_while(|(known, k)| known.k == *k).count();
    known.truncate(whole);
    if whole == max_k {
        return known;
    }
    let mut prover = prover::Prover::new(topology, options);
    for known in &known {
        prover.believe(known);
    }
    for k in whole + 1..=max_k {
        let (expansion, flow) = prover.settle(k, observe);
        known.push(expansion);
        if flow.is_break() {
            break;
        }
    }
    known
}

/// Sets of `k` servers that annealing found to reach few MPDs, one a restart,
/// each once, ascending.
pub(crate) fn small_neighborhoods(
    topology: &Topology,
    k: usize,
    restarts: u32,
    seed: u64,
) -> Vec<Vec<ServerId>> {
    let graph = graph::Graph::new(topology);
    if k > graph.servers() || !graph.is_searchable() {
        return Vec::new();
    }
    let run = |restart: u32| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::from(restart));
        let (_, servers) = anneal::anneal(&graph, k, &[], false, &mut rng);
        servers.into_iter().map(ServerId).collect()
    };
    let mut sets: Vec<Vec<ServerId>> = (0..restarts).into_par_iter().map(run).collect();
    sets.sort_unstable();
    sets.dedup();
    sets
}
