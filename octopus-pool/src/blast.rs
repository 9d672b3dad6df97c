//! What an MPD that fails takes with it, and how the pod goes on without it.

use octopus_design::{MpdId, Topology};
use rand::RngExt;
use serde::Serialize;

use crate::savings::for_each_pod;
use crate::{
    BoundedMigration, Error, Fleet, Held, LeastLoaded, Options, PodDemand, Policy, PolicyKind,
    Replay, Replayer, Result, Spread, Striped, replay,
};

/// The most moments looked at in one pod.
const MAX_MOMENTS: usize = 100_000;

/// What one failing MPD takes with it, over random moments and MPDs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BlastRadius {
    /// Pods.
    pub pods: usize,
    /// Moments looked at in each, an MPD each.
    pub moments: usize,
    /// VMs that lose memory; the spread is over pods.
    pub vms: Spread,
    /// The same as a share of the pod's VMs that hold pooled memory then; 0
    /// where none does.
    pub vms_share: Spread,
    /// GiB lost.
    pub gib: Spread,
}

/// Fails a random MPD at random moments of random pods, and counts what it held.
///
/// The policy, pods, pooled fraction, failed links and seed of the options are
/// used. All VMs with a share on the MPD lose it: nothing is replicated.
///
/// # Errors
///
/// As [`crate::evaluate`]; [`Error::DoesNotApply`] for a policy that does not
/// place memory on MPDs; [`Error::OutOfRange`] unless `moments` is 1 to 100000.
///
/// # Examples
///
/// One VM on one server: an MPD of two takes half of it, and the VM with it.
///
/// ```
/// use octopus_design::Topology;
/// use octopus_pool::{Options, Placement, Trace, Vm, blast_radius, place};
///
/// let vm = Vm { start_s: 0, end_s: 10, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
/// let fleet = place(&Trace::new("one VM", 0..10, vec![vm])?, &Placement::Given)?;
/// let pod = Topology::new("two MPDs", 2, 1, 1, [[0], [0]])?;
/// let options = Options { pods: 2, pooled_fraction: 1.0, ..Options::default() };
/// let blast = blast_radius(&pod, &fleet, &options, 5)?;
/// assert_eq!((blast.vms.mean, blast.vms_share.mean, blast.gib.mean), (1.0, 1.0, 4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn blast_radius(
    topology: &Topology,
    fleets: &(impl AsRef<[Fleet]> + ?Sized),
    options: &Options,
    moments: usize,
) -> Result<BlastRadius> {
    if !(1..=MAX_MOMENTS).contains(&moments) {
        let (value, most) = (moments as u64, MAX_MOMENTS as u64);
        return Err(Error::OutOfRange { field: "moments", value, least: 1, most });
    }
    let fleets = fleets.as_ref();
    let hit = for_each_pod(topology, fleets, options, |_, demand, mut rng| {
        let (events, from) = (demand.events(), demand.tracked_from());
        let mut stops: Vec<(usize, MpdId)> = (0..moments)
            .map(|_| {
                // after one of the window's events, if it has any
                let at = rng.random_range((from + 1).min(events.len())..=events.len());
                (at, MpdId(rng.random_range(0..topology.mpds())))
            })
            .collect();
        stops.sort_unstable();
        let mut policy = placing(topology, options)?;
        let mut player = Replayer::new(policy.as_mut());
        let (mut at, mut sums) = (0, [0.0; 3]);
        for (stop, mpd) in stops {
            for event in &events[at..stop] {
                player.play(event)?;
            }
            at = stop;
            let lost = player.held_by(mpd)?;
            let share = if lost.all_vms > 0 { lost.vms as f64 / lost.all_vms as f64 } else { 0.0 };
            for (sum, value) in sums.iter_mut().zip([lost.vms as f64, share, lost.gib as f64]) {
                *sum += value;
            }
        }
        Ok(sums.map(|sum| sum / moments as f64))
    })?;
    let draws = fleets.len().min(hit.len());
    let spread = |figure: usize| {
        let values: Vec<f64> = hit.iter().map(|pod| pod[figure]).collect();
        Spread::over(&values, draws)
    };
    Ok(BlastRadius {
        pods: hit.len(),
        moments,
        vms: spread(0),
        vms_share: spread(1),
        gib: spread(2),
    })
}

/// How pods go on after one of their MPDs has failed.
///
/// # Examples
///
/// See [`mpd_failure`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MpdFailure {
    /// Pods, one failure each.
    pub pods: usize,
    /// VMs lost with the MPD, and started anew at once.
    pub vms: Spread,
    /// GiB lost.
    pub gib: Spread,
    /// How far the busiest MPD's peak comes to lie above that of the same pod
    /// without the failure, as a fraction of it.
    pub peak_rise: Spread,
    /// On MPDs that hold that undisturbed peak and no more: VMs that find less
    /// room than they ask for, as a fraction of those that start after the
    /// failure or with it. None for a policy without a fixed capacity.
    pub spilled_vms_fraction: Option<Spread>,
    /// The same of GiB.
    pub spilled_gib_fraction: Option<Spread>,
}

/// Fails one random MPD at a random moment of each random pod, and plays on
/// without it.
///
/// All VMs with a share on the MPD are lost and start anew at once on the same
/// servers. The policy, pods, pooled fraction and seed of the options are used;
/// and the capacity of an MPD, if one is given, in place of the peak that the
/// undisturbed pod has.
///
/// # Errors
///
/// As [`crate::evaluate`]; [`Error::DoesNotApply`] for a policy that does not
/// place memory on MPDs.
///
/// # Examples
///
/// A server with two MPDs keeps a VM's memory on both. One fails, and the VM's
/// new memory is all on the other: twice what that held, and half of it more
/// than it has room for.
///
/// ```
/// use octopus_design::Topology;
/// use octopus_pool::{Options, Placement, Trace, Vm, mpd_failure, place};
///
/// let vm = Vm { start_s: 0, end_s: 10, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
/// let fleet = place(&Trace::new("one VM", 0..10, vec![vm])?, &Placement::Given)?;
/// let pod = Topology::new("two MPDs", 2, 1, 1, [[0], [0]])?;
/// let options = Options { pods: 2, pooled_fraction: 1.0, ..Options::default() };
/// let failure = mpd_failure(&pod, &fleet, &options)?;
/// assert_eq!((failure.vms.mean, failure.gib.mean, failure.peak_rise.mean), (1.0, 4.0, 1.0));
/// assert_eq!(failure.spilled_gib_fraction.map(|spilled| spilled.mean), Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mpd_failure(
    topology: &Topology,
    fleets: &(impl AsRef<[Fleet]> + ?Sized),
    options: &Options,
) -> Result<MpdFailure> {
    let fleets = fleets.as_ref();
    let found = for_each_pod(topology, fleets, options, |_, demand, mut rng| {
        let free = Options { mpd_capacity_gib: None, ..options.clone() };
        let undisturbed_gib = replay(&demand, placing(topology, &free)?.as_mut())?.peak_mpd_gib;
        let (events, from) = (demand.events().len(), demand.tracked_from());
        let at = rng.random_range((from + 1).min(events)..=events);
        let mpd = MpdId(rng.random_range(0..topology.mpds()));
        let (lost, after) = failing(&demand, placing(topology, &free)?.as_mut(), at, mpd)?;
        let rise = match undisturbed_gib {
            0 => 0.0,
            gib => f64::from(after.peak_mpd_gib) / f64::from(gib) - 1.0,
        };
        let spilled = if options.policy == PolicyKind::Striped {
            None
        } else {
            let capacity_gib = Some(options.mpd_capacity_gib.unwrap_or(undisturbed_gib));
            let bought = Options { mpd_capacity_gib: capacity_gib, ..options.clone() };
            let (lost, after) = failing(&demand, placing(topology, &bought)?.as_mut(), at, mpd)?;
            let started = &demand.events()[at..];
            let vms = started.iter().filter(|e| e.arrives).count() as u64 + lost.vms;
            let share = |part: u64, of: u64| if of > 0 { part as f64 / of as f64 } else { 0.0 };
            let gib = after.window_allocated_gib + after.spilled_gib;
            Some((share(after.spilled_vms, vms), share(after.spilled_gib, gib)))
        };
        Ok((lost, rise, spilled))
    })?;
    let draws = fleets.len().min(found.len());
    let of = |values: Vec<f64>| Spread::over(&values, draws);
    let spilled: Option<Vec<(f64, f64)>> = found.iter().map(|pod| pod.2).collect();
    Ok(MpdFailure {
        pods: found.len(),
        vms: of(found.iter().map(|pod| pod.0.vms as f64).collect()),
        gib: of(found.iter().map(|pod| pod.0.gib as f64).collect()),
        peak_rise: of(found.iter().map(|pod| pod.1).collect()),
        spilled_vms_fraction: spilled.as_ref().map(|s| of(s.iter().map(|s| s.0).collect())),
        spilled_gib_fraction: spilled.as_ref().map(|s| of(s.iter().map(|s| s.1).collect())),
    })
}

/// Plays a demand to after event `at`, fails an MPD, and plays on; what was
/// allocated and spilled inside the window counts from the failure on.
fn failing(
    demand: &PodDemand,
    policy: &mut dyn Policy,
    at: usize,
    mpd: MpdId,
) -> Result<(Held, Replay)> {
    let (from, events) = (demand.tracked_from(), demand.events());
    let mut player = Replayer::new(policy);
    for event in &events[..from] {
        player.play(event)?;
    }
    player.open_window();
    for event in &events[from..at] {
        player.play(event)?;
    }
    let before = player.so_far();
    let lost = player.fail_mpd(mpd)?;
    for event in &events[at..] {
        player.play(event)?;
    }
    let after = player.finish();
    let after = Replay {
        window_allocated_gib: after.window_allocated_gib - before.window_allocated_gib,
        spilled_gib: after.spilled_gib - before.spilled_gib,
        spilled_vms: after.spilled_vms - before.spilled_vms,
        ..after
    };
    Ok((lost, after))
}

/// The policy of the options, if it places memory on the wiring's MPDs.
fn placing(topology: &Topology, options: &Options) -> Result<Box<dyn Policy>> {
    let capacity_gib = options.mpd_capacity_gib;
    Ok(match options.policy {
        PolicyKind::LeastLoaded => {
            Box::new(LeastLoaded::with_capacity(topology, capacity_gib.unwrap_or(u32::MAX)))
        }
        PolicyKind::Striped => Box::new(Striped::new(topology, options.stripe_links)?),
        PolicyKind::BoundedMigration => Box::new(match capacity_gib {
            Some(capacity_gib) => BoundedMigration::fixed(topology, capacity_gib),
            None => BoundedMigration::online(topology, options.margin)?,
        }),
        policy @ (PolicyKind::GlobalPool | PolicyKind::Optimum) => {
            return Err(Error::DoesNotApply { option: "a failing MPD", policy: policy.name() });
        }
    })
}
