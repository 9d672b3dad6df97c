//! What pooling saves, over many random pods.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use octopus_design::Topology;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::num::fraction;
use crate::trace::MAX_TIME_S;
use crate::{
    BoundedMigration, Cleaned, Demand, Error, Fleet, GlobalPool, LeastLoaded, Placement, PodDemand,
    Replay, Result, Striped, WarmUp, fractional_optimum, replay, theorem_a1,
};

/// The most pods evaluated at once.
const MAX_PODS: usize = 1_000_000;

/// The most worker threads.
const MAX_JOBS: usize = 1_024;

/// How a pod's memory is allocated.
///
/// # Examples
///
/// ```
/// use octopus_pool::PolicyKind;
/// assert_eq!(PolicyKind::BoundedMigration.to_string(), "bounded-migration");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PolicyKind {
    /// The paper's greedy policy ([`LeastLoaded`]).
    LeastLoaded,
    /// As least-loaded, but each VM spread evenly over several MPDs
    /// ([`Striped`], [`Options::stripe_links`]).
    Striped,
    /// Moves memory only where an MPD would pass the cap ([`BoundedMigration`]).
    BoundedMigration,
    /// All MPDs as one pool, whatever the wiring ([`GlobalPool`]).
    GlobalPool,
    /// The best any policy could do with this wiring, moving memory freely and
    /// in fractions ([`fractional_optimum`]): a bound, not a way to run a pod.
    Optimum,
}

impl PolicyKind {
    /// All policies.
    ///
    /// ```
    /// use octopus_pool::PolicyKind;
    /// assert_eq!(PolicyKind::ALL.len(), 5);
    /// ```
    pub const ALL: [Self; 5] =
        [Self::LeastLoaded, Self::Striped, Self::BoundedMigration, Self::GlobalPool, Self::Optimum];

    /// The policy's name on the command line.
    ///
    /// ```
    /// use octopus_pool::PolicyKind;
    /// assert_eq!(PolicyKind::LeastLoaded.name(), "least-loaded");
    /// assert_eq!("optimum".parse::<PolicyKind>()?, PolicyKind::Optimum);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LeastLoaded => "least-loaded",
            Self::Striped => "striped",
            Self::BoundedMigration => "bounded-migration",
            Self::GlobalPool => "global-pool",
            Self::Optimum => "optimum",
        }
    }
}

impl PolicyKind {
    /// Whether it lays memory on the wiring's MPDs.
    const fn is_placed(self) -> bool {
        matches!(self, Self::LeastLoaded | Self::BoundedMigration)
    }
}

impl fmt::Display for PolicyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PolicyKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| Error::UnknownName {
            what: "policy",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// What [`evaluate`] is to do.
///
/// # Examples
///
/// ```
/// let options = octopus_pool::Options::default();
/// assert_eq!((options.pods, options.pooled_fraction, options.fail_links), (30, 0.65, 0.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The policy.
    pub policy: PolicyKind,
    /// Random pods drawn from the fleet.
    pub pods: usize,
    /// The share of each VM's memory that is pooled: the paper has 0.65 for
    /// MPDs and 0.35 for switches (section 4.2).
    pub pooled_fraction: f64,
    /// How far the cap of [`BoundedMigration::online`] lies above what the
    /// wiring has needed so far. The default is the smallest that moves at most
    /// 3% of the memory allocated in the first half of the Azure window (the
    /// example `margin` chooses it).
    pub margin: f64,
    /// What an MPD holds, if that is fixed: then this is what is provided, and
    /// what finds no room spills. For least-loaded and bounded migration.
    pub mpd_capacity_gib: Option<u32>,
    /// The sizes MPDs are sold in, GiB: the busiest one's peak is rounded up to
    /// the next of them. Empty for any size.
    pub mpd_sizes_gib: Vec<u32>,
    /// The links each VM uses under [`PolicyKind::Striped`].
    pub stripe_links: usize,
    /// The share of links that has failed, drawn anew for each pod
    /// ([`octopus_design::pod::fail_links`]).
    pub fail_links: f64,
    /// The part of the trace's window that is judged, in seconds, end excluded;
    /// all of it where `None`. What comes before is played all the same.
    pub window: Option<Range<i64>>,
    /// Fixes the pods drawn, their failed links and the rounding of pooled
    /// memory.
    pub seed: u64,
    /// Worker threads; 0 for one a core. Changes no result.
    pub jobs: usize,
    /// Whether to find the exact fractional optimum of every pod.
    pub bounds: bool,
    /// `e_1`, `e_2`, .. of the topology or lower bounds on them, for Theorem A.1;
    /// empty for no such figure.
    pub expansion: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            policy: PolicyKind::LeastLoaded,
            pods: 30,
            pooled_fraction: 0.65,
            margin: 0.06,
            mpd_capacity_gib: None,
            mpd_sizes_gib: Vec::new(),
            stripe_links: 2,
            fail_links: 0.0,
            window: None,
            seed: 0,
            jobs: 0,
            bounds: true,
            expansion: Vec::new(),
        }
    }
}

/// What random pods of a fleet save.
///
/// Savings are fractions of all DRAM unless named otherwise; a pod in which
/// nothing is ever pooled saves 0.
///
/// # Examples
///
/// ```
/// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
/// # let vm = |server, start_s, end_s| Vm {
/// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// # };
/// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
/// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
/// # let fleet = place(&trace, &Placement::Given)?;
/// # use octopus_pool::{Options, evaluate, switch_pod};
/// let options = Options { pods: 4, pooled_fraction: 0.5, ..Options::default() };
/// let savings = evaluate(&switch_pod(2)?, &fleet, &options)?;
/// // both VMs are there from 2 to 4 s, so one pool saves nothing
/// assert_eq!((savings.pods, savings.savings_mean, savings.savings_sd), (4, 0.0, 0.0));
/// assert_eq!((savings.baseline_gib_mean, savings.provision_gib_mean), (8.0, 8.0));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Savings {
    /// The topology's name.
    pub topology: String,
    /// The policy.
    pub policy: PolicyKind,
    /// Pods evaluated.
    pub pods: usize,
    /// Servers of a pod.
    pub servers: usize,
    /// MPDs of a pod.
    pub mpds: usize,
    /// Where the trace came from.
    pub source: String,
    /// How the population at the window's start came about.
    pub warm_up: WarmUp,
    /// The cleaning rules that touched a row.
    pub cleaning: Vec<Cleaned>,
    /// How the VMs got their servers, with the servers' caps.
    pub placement: Placement,
    /// Servers of the fleet the pods are drawn from; this and what describes the
    /// fleet is of the first of several.
    pub fleet_servers: usize,
    /// VMs of the fleet.
    pub vms: usize,
    /// The share of memory that is pooled.
    pub pooled_fraction: f64,
    /// The margin of bounded migration without a fixed capacity.
    pub margin: Option<f64>,
    /// The fixed capacity of an MPD, GiB.
    pub mpd_capacity_gib: Option<u32>,
    /// The share of links that has failed.
    pub fail_links: f64,
    /// Fleets the pods were drawn from, each another placement of the trace.
    pub draws: usize,
    /// Mean saving.
    pub savings_mean: f64,
    /// Standard deviation of a pod's saving (n − 1); 0 for a single pod.
    pub savings_sd: f64,
    /// Standard deviation of the mean of a draw (n − 1); none for a single draw.
    pub savings_draw_sd: Option<f64>,
    /// Half-width of the 95% confidence interval of the mean (Student's t, by
    /// draws where there are several, else by pods); none for a single pod. It
    /// covers the draw of pods, of one draw given that draw, but not the choice
    /// of a trace.
    pub savings_ci95: Option<f64>,
    /// The lowest saving of a pod.
    pub savings_min: f64,
    /// The highest saving of a pod.
    pub savings_max: f64,
    /// Mean saving as a fraction of the pooled memory alone.
    pub savings_of_pooled_mean: f64,
    /// Saving by the ratio of summed provisions to summed baselines, which
    /// pods that are nearly idle do not distort.
    pub savings_ratio_of_means: f64,
    /// Mean over pods of the highest load of any MPD, GiB.
    pub peak_mpd_gib_mean: f64,
    /// Mean over pods of what servers on their own would need, GiB.
    pub baseline_gib_mean: f64,
    /// Mean over pods of MPDs times peak load, GiB.
    pub provision_gib_mean: f64,
    /// Mean over pods of the least peak load any policy could have, GiB;
    /// exact ([`fractional_optimum`]).
    pub lower_bound_gib_mean: Option<f64>,
    /// Mean over pods of max `D_k` / `e_k`, GiB ([`theorem_a1`]).
    pub theorem_a1_gib_mean: Option<f64>,
    /// GiB moved between MPDs as a fraction of GiB allocated, both inside the
    /// window; 0 if none was.
    pub moved_fraction: f64,
    /// GiB moved an hour a server, inside the window.
    pub moved_gib_per_server_hour: f64,
    /// The most GiB moved for a single VM inside the window, in any pod.
    pub largest_burst_gib: u64,
    /// VMs of which some memory found no room, as a fraction of those with
    /// pooled memory.
    pub spilled_vms_fraction: f64,
    /// GiB that found no room as a fraction of GiB asked for.
    pub spilled_gib_fraction: f64,
    /// Events replayed, over all pods.
    pub events: u64,
}

/// A mean with its spread.
///
/// # Examples
///
/// ```
/// let spread = octopus_pool::Spread::of([5.0].into_iter());
/// assert_eq!((spread.mean, spread.sd, spread.ci95), (5.0, 0.0, None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of one value (n − 1); 0 for a single one.
    pub sd: f64,
    /// Half-width of the 95% confidence interval of the mean (Student's t);
    /// none for a single value.
    pub ci95: Option<f64>,
}

impl Spread {
    /// Of some values; all 0 where there are none.
    ///
    /// # Examples
    ///
    /// ```
    /// let spread = octopus_pool::Spread::of([1.0, 2.0, 3.0].into_iter());
    /// assert_eq!((spread.mean, spread.sd), (2.0, 1.0));
    /// // t is 4.303 with two degrees of freedom
    /// assert!((spread.ci95.unwrap_or(0.0) - 4.303 / 3.0_f64.sqrt()).abs() < 1e-3);
    /// ```
    pub fn of(values: impl ExactSizeIterator<Item = f64> + Clone) -> Self {
        let n = values.len() as f64;
        let mean = values.clone().sum::<f64>() / n.max(1.0);
        let squares = values.map(|value| (value - mean).powi(2)).sum::<f64>();
        let sd = (squares / (n - 1.0).max(1.0)).sqrt();
        let t = StudentsT::new(0.0, 1.0, n - 1.0).ok();
        Self { mean, sd, ci95: t.map(|t| t.inverse_cdf(0.975) * sd / n.sqrt()) }
    }

    /// Of values that come from several draws in turn: the spread is that of the
    /// draws' means, and the interval is right although values of one draw are
    /// alike (cluster sampling: Cochran, *Sampling Techniques*, chapter 9).
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_pool::Spread;
    /// // two draws, of means 1 and 3
    /// let spread = Spread::in_turn(&[0.0, 3.0, 2.0, 3.0], 2);
    /// assert_eq!((spread.mean, spread.sd), (2.0, 2.0_f64.sqrt()));
    /// ```
    #[must_use]
    pub fn in_turn(values: &[f64], draws: usize) -> Self {
        let draws = draws.clamp(1, values.len().max(1));
        let of_draw = |draw: usize| values.iter().skip(draw).step_by(draws).copied();
        let means: Vec<f64> = (0..draws).map(|d| Self::of_any(of_draw(d))).collect();
        Self { mean: Self::of_any(values.iter().copied()), ..Self::of(means.iter().copied()) }
    }

    /// As [`Self::of`] for one draw, as [`Self::in_turn`] for more, but always
    /// with the standard deviation of one value.
    pub(crate) fn over(values: &[f64], draws: usize) -> Self {
        let each = Self::of(values.iter().copied());
        let ci95 = if draws > 1 { Self::in_turn(values, draws).ci95 } else { each.ci95 };
        Self { ci95, ..each }
    }

    fn of_any(values: impl Iterator<Item = f64> + Clone) -> f64 {
        let n = values.clone().count().max(1);
        values.sum::<f64>() / n as f64
    }
}

/// A pod's figures; loads are real since the optimum's are fractions.
struct Outcome {
    baseline_gib: f64,
    provision_gib: f64,
    peak_mpd_gib: f64,
    lower_bound_gib: Option<f64>,
    theorem_a1_gib: Option<f64>,
    vms: u64,
    replay: Replay,
}

impl Outcome {
    fn saving_of_pooled(&self) -> f64 {
        saving(self.provision_gib, self.baseline_gib)
    }
}

/// 1 − provision / baseline; 0 where there is nothing to save on.
pub(crate) fn saving(provision_gib: f64, baseline_gib: f64) -> f64 {
    if baseline_gib > 0.0 { 1.0 - provision_gib / baseline_gib } else { 0.0 }
}

/// Draws random pods of the topology's size from a fleet, replays each, and
/// says what they save.
///
/// A pod's servers are distinct and stand in random order, so that which
/// server sits where in the wiring is random too.
///
/// Where VMs are put on servers at random, one fleet is one draw, and its own
/// luck is in every pod drawn from it. Several fleets are taken as several draws
/// of the same trace: pods come from each in turn, and the interval covers both.
///
/// # Errors
///
/// [`Error::FleetTooSmall`]; [`Error::BadNumber`], [`Error::OutOfRange`] or
/// [`Error::DoesNotApply`] for an option; [`Error::Threads`].
///
/// # Examples
///
/// Two servers that are never busy at once share one MPD, and half of the
/// pooled memory is saved:
///
/// ```
/// use octopus_pool::{Options, Placement, Trace, Vm, evaluate, place, switch_pod};
///
/// let vm = |server, start_s| Vm {
///     start_s, end_s: start_s + 5, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// };
/// let trace = Trace::new("in turn", 0..10, vec![vm(0, 0), vm(1, 5)])?;
/// let fleet = place(&trace, &Placement::Given)?;
/// let options = Options { pods: 3, pooled_fraction: 0.5, ..Options::default() };
/// let savings = evaluate(&switch_pod(2)?, &fleet, &options)?;
/// assert!((savings.savings_of_pooled_mean - 0.5).abs() < 1e-12);
/// assert!((savings.savings_mean - 0.25).abs() < 1e-12);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn evaluate(
    topology: &Topology,
    fleets: &(impl AsRef<[Fleet]> + ?Sized),
    options: &Options,
) -> Result<Savings> {
    let policy = options.policy;
    if options.mpd_capacity_gib.is_some() && !policy.is_placed() {
        return Err(Error::DoesNotApply { option: "mpd_capacity_gib", policy: policy.name() });
    }
    fraction("fail_links", options.fail_links)?;
    if let Some(Range { start: start_s, end: end_s }) = options.window
        && start_s >= end_s
    {
        return Err(Error::Window { start_s, end_s, most_s: MAX_TIME_S });
    }
    if options.fail_links > 0.0 && policy == PolicyKind::GlobalPool {
        return Err(Error::DoesNotApply { option: "fail_links", policy: policy.name() });
    }
    let fleets = fleets.as_ref();
    let outcomes = for_each_pod(topology, fleets, options, |_, demand, rng| {
        one_pod(topology, demand, options, rng)
    })?;
    // A pod was drawn from it, so there is one.
    let Some(fleet) = fleets.first() else {
        return Err(Error::FleetTooSmall { pod: topology.servers(), fleet: 0 });
    };
    Ok(summary(topology, fleet, fleets.len(), options, &outcomes))
}

/// Does something with the demand of every random pod, on several threads, in
/// the order of pods; with the fleet a pod is of, and the rest of the stream its
/// servers were drawn from.
pub(crate) fn for_each_pod<T: Send>(
    topology: &Topology,
    fleets: &[Fleet],
    options: &Options,
    of: impl Fn(&Fleet, PodDemand, ChaCha8Rng) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let Options { pods, jobs, seed, .. } = *options;
    let in_range = |field, value: usize, least: u64, most: usize| {
        let (value, most) = (value as u64, most as u64);
        let ok = (least..=most).contains(&value);
        ok.then_some(()).ok_or(Error::OutOfRange { field, value, least, most })
    };
    in_range("pods", pods, 1, MAX_PODS)?;
    in_range("jobs", jobs, 0, MAX_JOBS)?;
    let fleets = &fleets[..fleets.len().min(pods)];
    let pod = topology.servers();
    let smallest = fleets.iter().map(Fleet::servers).min().unwrap_or(0);
    if pod > smallest {
        return Err(Error::FleetTooSmall { pod, fleet: smallest });
    }
    let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    let threads = threads.map_err(|source| Error::Threads { jobs, source })?;
    // Gathered by index: neither sums nor the first error depend on timing.
    threads.install(|| {
        let demand = |fleet| Demand::new(fleet, options.pooled_fraction, seed);
        let demands: Vec<Result<Demand>> = fleets.par_iter().map(demand).collect();
        let demands: Vec<Demand> = demands.into_iter().collect::<Result<_>>()?;
        let one = |pod: usize| {
            let draw = pod % fleets.len();
            let (demand, rng) = draw_pod(topology, &demands[draw], seed, pod as u64)?;
            of(&fleets[draw], demand, rng)
        };
        let made: Vec<Result<T>> = (0..pods).into_par_iter().map(one).collect();
        made.into_iter().collect()
    })
}

/// A pod of `servers` servers and one device they all reach: the switch pod of
/// section 6.3.1, under any policy.
///
/// # Errors
///
/// [`Error::Topology`] for a number of servers no topology has.
///
/// # Examples
///
/// ```
/// let pod = octopus_pool::switch_pod(90)?;
/// assert_eq!((pod.servers(), pod.mpds()), (90, 1));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn switch_pod(servers: usize) -> Result<Topology> {
    let name = format!("switch-{servers}");
    // The bound is checked before the list of members is ever walked.
    Ok(Topology::new(name, 1, servers, servers, std::iter::once(0..servers))?)
}

/// The demand of a pod's random servers, and the stream they were drawn from.
fn draw_pod(
    topology: &Topology,
    demand: &Demand,
    seed: u64,
    pod: u64,
) -> Result<(PodDemand, ChaCha8Rng)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(pod + 1);
    let drawn = rand::seq::index::sample(&mut rng, demand.servers(), topology.servers());
    Ok((demand.pod(&drawn.into_vec())?, rng))
}

fn one_pod(
    topology: &Topology,
    mut demand: PodDemand,
    options: &Options,
    mut rng: ChaCha8Rng,
) -> Result<Outcome> {
    if let Some(Range { start, end }) = options.window {
        demand = demand.until(end).since(start);
    }
    let failed = (options.fail_links > 0.0)
        .then(|| octopus_design::pod::fail_links(topology, options.fail_links, rng.random()))
        .transpose()?;
    let topology = failed.as_ref().unwrap_or(topology);

    let optimum = options.bounds || options.policy == PolicyKind::Optimum;
    let optimum = optimum.then(|| fractional_optimum(topology, &demand)).transpose()?;
    let lower_bound_gib = optimum.map(|optimum| optimum.peak_gib());
    let theorem = (!options.expansion.is_empty()).then(|| theorem_a1(&demand, &options.expansion));
    let theorem_a1_gib = theorem.transpose()?;

    let (replay, peak_mpd_gib) = replayed(topology, &demand, options, lower_bound_gib)?;
    debug_assert!(
        options.policy == PolicyKind::GlobalPool
            || replay.spilled_gib > 0
            || lower_bound_gib.is_none_or(|least| least <= peak_mpd_gib + 1e-9),
        "a policy stayed below the optimum: {lower_bound_gib:?} > {peak_mpd_gib}"
    );
    let size_gib = match options.mpd_capacity_gib {
        Some(capacity_gib) => f64::from(capacity_gib),
        None => sold(&options.mpd_sizes_gib, peak_mpd_gib)?,
    };
    Ok(Outcome {
        baseline_gib: demand.baseline_gib() as f64,
        provision_gib: topology.mpds() as f64 * size_gib,
        peak_mpd_gib,
        lower_bound_gib,
        theorem_a1_gib,
        vms: demand.vms() as u64,
        replay,
    })
}

/// The smallest size that is sold and holds this much.
fn sold(sizes_gib: &[u32], peak_gib: f64) -> Result<f64> {
    let Some(&largest) = sizes_gib.iter().max() else { return Ok(peak_gib) };
    let fitting = sizes_gib.iter().copied().filter(|size| f64::from(*size) >= peak_gib).min();
    fitting.map(f64::from).ok_or(Error::TooSmall { peak_gib, largest_gib: largest })
}

/// The replay and the load the busiest MPD reaches under a policy, GiB.
fn replayed(
    topology: &Topology,
    demand: &PodDemand,
    options: &Options,
    optimum_gib: Option<f64>,
) -> Result<(Replay, f64)> {
    let policy = options.policy;
    match policy {
        PolicyKind::LeastLoaded => {
            let capacity_gib = options.mpd_capacity_gib.unwrap_or(u32::MAX);
            let mut policy = LeastLoaded::with_capacity(topology, capacity_gib);
            let replay = replay(demand, &mut policy)?;
            Ok((replay, f64::from(replay.peak_mpd_gib)))
        }
        PolicyKind::Striped => {
            let replay = replay(demand, &mut Striped::new(topology, options.stripe_links)?)?;
            Ok((replay, f64::from(replay.peak_mpd_gib)))
        }
        PolicyKind::BoundedMigration => {
            let mut policy = match options.mpd_capacity_gib {
                Some(capacity_gib) => BoundedMigration::fixed(topology, capacity_gib),
                None => BoundedMigration::online(topology, options.margin)?,
            };
            let replay = replay(demand, &mut policy)?;
            Ok((replay, f64::from(replay.peak_mpd_gib)))
        }
        PolicyKind::GlobalPool | PolicyKind::Optimum => {
            let replay = replay(demand, &mut GlobalPool::new(topology.servers()))?;
            let even = f64::from(replay.peak_mpd_gib) / topology.mpds() as f64;
            let optimum = optimum_gib.filter(|_| policy == PolicyKind::Optimum);
            Ok((replay, optimum.unwrap_or(even)))
        }
    }
}

fn summary(
    topology: &Topology,
    fleet: &Fleet,
    fleets: usize,
    options: &Options,
    outcomes: &[Outcome],
) -> Savings {
    let draws = fleets.min(outcomes.len());
    let n = outcomes.len() as f64;
    let mean = |figure: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(figure).sum::<f64>() / n;
    let optional = |figure: &dyn Fn(&Outcome) -> Option<f64>| {
        outcomes.iter().map(figure).sum::<Option<f64>>().map(|sum| sum / n)
    };
    let all_dram = |o: &Outcome| options.pooled_fraction * o.saving_of_pooled();
    let savings: Vec<f64> = outcomes.iter().map(all_dram).collect();
    let pods = Spread::of(savings.iter().copied());
    let by_draw = (draws > 1).then(|| Spread::in_turn(&savings, draws));
    let sum = |figure: &dyn Fn(&Replay) -> u64| outcomes.iter().map(|o| figure(&o.replay)).sum();
    let (moved, allocated): (u64, u64) =
        (sum(&|r| r.window_moved_gib), sum(&|r| r.window_allocated_gib));
    let spilled: u64 = sum(&|r| r.spilled_gib);
    let share = |part: u64, whole: u64| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    let judged = options.window.clone().unwrap_or(fleet.window());
    let span_s = judged.end - judged.start;
    let server_hours = n * topology.servers() as f64 * span_s as f64 / 3600.0;
    let is_online =
        options.policy == PolicyKind::BoundedMigration && options.mpd_capacity_gib.is_none();
    let baseline_gib_mean = mean(&|o| o.baseline_gib);
    let provision_gib_mean = mean(&|o| o.provision_gib);
    Savings {
        topology: topology.name().to_owned(),
        policy: options.policy,
        pods: outcomes.len(),
        servers: topology.servers(),
        mpds: topology.mpds(),
        source: fleet.source().to_owned(),
        warm_up: fleet.warm_up(),
        cleaning: fleet.cleaning().to_vec(),
        placement: fleet.placement(),
        fleet_servers: fleet.servers(),
        vms: fleet.vms().len(),
        pooled_fraction: options.pooled_fraction,
        margin: is_online.then_some(options.margin),
        mpd_capacity_gib: options.mpd_capacity_gib,
        fail_links: options.fail_links,
        draws,
        savings_mean: pods.mean,
        savings_sd: pods.sd,
        savings_draw_sd: by_draw.map(|spread| spread.sd),
        savings_ci95: by_draw.unwrap_or(pods).ci95,
        savings_min: outcomes.iter().map(all_dram).fold(f64::INFINITY, f64::min),
        savings_max: outcomes.iter().map(all_dram).fold(f64::NEG_INFINITY, f64::max),
        savings_of_pooled_mean: mean(&Outcome::saving_of_pooled),
        savings_ratio_of_means: options.pooled_fraction
            * saving(provision_gib_mean, baseline_gib_mean),
        peak_mpd_gib_mean: mean(&|o| o.peak_mpd_gib),
        baseline_gib_mean,
        provision_gib_mean,
        lower_bound_gib_mean: optional(&|o| o.lower_bound_gib),
        theorem_a1_gib_mean: optional(&|o| o.theorem_a1_gib),
        moved_fraction: share(moved, allocated),
        moved_gib_per_server_hour: moved as f64 / server_hours,
        largest_burst_gib: outcomes.iter().map(|o| o.replay.largest_burst_gib).max().unwrap_or(0),
        spilled_vms_fraction: share(sum(&|r| r.spilled_vms), outcomes.iter().map(|o| o.vms).sum()),
        spilled_gib_fraction: share(spilled, spilled + allocated),
        events: sum(&|r| r.events),
    }
}
