//! MPDs of a fixed size: chosen on one half of a trace, judged on the other.

use octopus_design::Topology;
use serde::Serialize;

use crate::savings::{for_each_pod, saving};
use crate::{
    BoundedMigration, Error, Fleet, LeastLoaded, Options, Result, Spread, fractional_optimum,
    replay,
};

/// What MPDs of a fixed size come to.
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
/// # use octopus_pool::{Options, evaluate_trained, switch_pod};
/// let options = Options { pods: 2, pooled_fraction: 0.5, ..Options::default() };
/// let trained = evaluate_trained(&switch_pod(2)?, &fleet, &options, 0.25)?;
/// assert_eq!((trained.pods, trained.capacity_gib.mean), (2, 10.0));
/// assert_eq!((trained.growth.mean, trained.spilled_vms_fraction), (0.5, 0.0));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Trained {
    /// How far the size lies above what the first half needed at least.
    pub margin: f64,
    /// Pods evaluated.
    pub pods: usize,
    /// What an MPD holds, GiB.
    pub capacity_gib: Spread,
    /// What that saves of all DRAM, against servers on their own which last for
    /// the whole window, as the MPDs have to.
    pub savings: Spread,
    /// What the second half needed at least, over what the first did.
    pub growth: Spread,
    /// Of VMs with pooled memory in the second half, the fraction of which
    /// some spilled under bounded migration.
    pub spilled_vms_fraction: f64,
    /// Pods in which anything did.
    pub spilled_pods: usize,
    /// The same fraction under least-loaded allocation.
    pub greedy_spilled_vms_fraction: f64,
    /// GiB moved as a fraction of GiB allocated, in the second half.
    pub moved_fraction: f64,
}

struct Judged {
    capacity_gib: f64,
    saving: f64,
    growth: f64,
    vms: u64,
    spilled_vms: u64,
    greedy_spilled_vms: u64,
    moved_gib: u64,
    allocated_gib: u64,
}

/// Sizes the MPDs of random pods by the first half of the trace's window, and
/// judges the second half: no look at it goes into the size.
///
/// The size is the exact fractional optimum of the first half, times one plus
/// the margin, rounded up to whole GiB. Of the options, the policy, capacity and
/// failed links are not used.
///
/// # Errors
///
/// As [`crate::evaluate`]; [`Error::BadNumber`] unless the margin lies in
/// [0, 1000].
///
/// # Examples
///
/// Demand that does not grow fits where it fitted before:
///
/// ```
/// use octopus_pool::{Options, Placement, Trace, Vm, evaluate_trained, place, switch_pod};
///
/// let vm = |server, start_s| Vm {
///     start_s, end_s: start_s + 5, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// };
/// let trace = Trace::new("in turn", 0..20, vec![vm(0, 0), vm(1, 5), vm(0, 10), vm(1, 15)])?;
/// let fleet = place(&trace, &Placement::Given)?;
/// let options = Options { pods: 2, pooled_fraction: 0.5, ..Options::default() };
/// let trained = evaluate_trained(&switch_pod(2)?, &fleet, &options, 0.0)?;
/// assert_eq!((trained.capacity_gib.mean, trained.spilled_pods), (4.0, 0));
/// assert!((trained.savings.mean - 0.25).abs() < 1e-12);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn evaluate_trained(
    topology: &Topology,
    fleets: &(impl AsRef<[Fleet]> + ?Sized),
    options: &Options,
    margin: f64,
) -> Result<Trained> {
    if !(0.0..=1000.0).contains(&margin) {
        return Err(Error::BadNumber { field: "margin", value: margin, expected: "0 to 1000" });
    }
    let fleets = fleets.as_ref();
    let judged = for_each_pod(topology, fleets, options, |fleet, demand, _| {
        let window = fleet.window();
        let half_s = window.start + (window.end - window.start) / 2;
        let (first, second) = (demand.until(half_s), demand.since(half_s));
        let needed_gib = fractional_optimum(topology, &first)?.peak_gib();
        let capacity = crate::num::round_u32((needed_gib * (1.0 + margin)).ceil());
        let kept = replay(&second, &mut BoundedMigration::fixed(topology, capacity))?;
        let greedy = replay(&second, &mut LeastLoaded::with_capacity(topology, capacity))?;
        let capacity_gib = f64::from(capacity);
        let provision_gib = topology.mpds() as f64 * capacity_gib;
        let later_gib = fractional_optimum(topology, &second)?.peak_gib();
        let arrivals = second.events()[second.tracked_from()..].iter().filter(|e| e.arrives);
        Ok(Judged {
            capacity_gib,
            saving: options.pooled_fraction * saving(provision_gib, demand.baseline_gib() as f64),
            growth: if needed_gib > 0.0 { later_gib / needed_gib } else { 1.0 },
            vms: arrivals.count() as u64,
            spilled_vms: kept.spilled_vms,
            greedy_spilled_vms: greedy.spilled_vms,
            moved_gib: kept.window_moved_gib,
            allocated_gib: kept.window_allocated_gib,
        })
    })?;
    let draws = fleets.len().min(judged.len());
    let spread = |figure: fn(&Judged) -> f64| {
        let values: Vec<f64> = judged.iter().map(figure).collect();
        Spread::over(&values, draws)
    };
    let sum = |figure: fn(&Judged) -> u64| judged.iter().map(figure).sum::<u64>() as f64;
    let vms = sum(|j| j.vms).max(1.0);
    Ok(Trained {
        margin,
        pods: judged.len(),
        capacity_gib: spread(|j| j.capacity_gib),
        savings: spread(|j| j.saving),
        growth: spread(|j| j.growth),
        spilled_vms_fraction: sum(|j| j.spilled_vms) / vms,
        spilled_pods: judged.iter().filter(|j| j.spilled_vms > 0).count(),
        greedy_spilled_vms_fraction: sum(|j| j.greedy_spilled_vms) / vms,
        moved_fraction: sum(|j| j.moved_gib) / sum(|j| j.allocated_gib).max(1.0),
    })
}
