//! What an MPD that fails takes with it.

use octopus_design::{MpdId, Topology};
use rand::RngExt;
use serde::Serialize;

use crate::savings::for_each_pod;
use crate::{
    BoundedMigration, Error, Fleet, LeastLoaded, Options, Policy, PolicyKind, Replayer,
    Result, Spread, Striped,
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
