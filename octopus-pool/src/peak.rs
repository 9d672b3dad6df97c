//! Peak against average demand of groups of servers (Figure 5).

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::num::index_u32;
use crate::{Error, Fleet, Result};

/// The most groups of one size.
const MAX_GROUPS: usize = 10_000_000;

/// How far the peak of a group's memory demand stands above its average.
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
/// let of_two = octopus_pool::peak_to_average(&fleet, &[2], 1, 1)?[0];
/// // 16 GiB at the peak; 8 GiB for 4 + 7 s of 10 on average
/// assert!((of_two.worst - 16.0 / 8.8).abs() < 1e-9);
/// assert_eq!((of_two.group_servers, of_two.groups, of_two.idle_groups), (2, 1, 0));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PeakToAverage {
    /// Servers of a group.
    pub group_servers: usize,
    /// Groups with any demand, which the figures are over.
    pub groups: usize,
    /// Groups without demand, left out.
    pub idle_groups: usize,
    /// Mean over groups of peak / average; 0 if all are idle. A group that is
    /// nearly idle weighs as much as any, and can be far out.
    pub mean_of_ratios: f64,
    /// Sum of peaks / sum of averages; 0 if all are idle.
    pub ratio_of_means: f64,
    /// The largest peak / average of a group.
    pub worst: f64,
}

/// Peak to average memory demand inside the window, for random groups of each
/// size. All of a VM's memory counts, not only what could be pooled.
///
/// The fleet is shuffled and cut into disjoint groups, again and again, until
/// there are `groups` of them; servers left over by a cut sit it out.
///
/// # Errors
///
/// [`Error::OutOfRange`] for a size or number of groups of 0;
/// [`Error::FleetTooSmall`] for a size above the fleet's.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Placement, Trace, Vm, peak_to_average, place};
///
/// // Each server is busy for half of the time, in turn.
/// let vm = |server, start_s| Vm {
///     start_s, end_s: start_s + 5, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// };
/// let trace = Trace::new("in turn", 0..10, vec![vm(0, 0), vm(1, 5)])?;
/// let fleet = place(&trace, &Placement::Given)?;
/// let figures = peak_to_average(&fleet, &[1, 2], 4, 1)?;
/// assert!((figures[0].mean_of_ratios - 2.0).abs() < 1e-12);
/// assert!((figures[1].mean_of_ratios - 1.0).abs() < 1e-12);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn peak_to_average(
    fleet: &Fleet,
    group_sizes: &[usize],
    groups: usize,
    seed: u64,
) -> Result<Vec<PeakToAverage>> {
    if !(1..=MAX_GROUPS).contains(&groups) {
        let (value, most) = (groups as u64, MAX_GROUPS as u64);
        return Err(Error::OutOfRange { field: "groups", value, least: 1, most });
    }
    let changes = changes(fleet);
    let one = |(index, &size): (usize, &usize)| {
        if size == 0 {
            let most = fleet.servers() as u64;
            return Err(Error::OutOfRange { field: "group size", value: 0, least: 1, most });
        }
        if size > fleet.servers() {
            return Err(Error::FleetTooSmall { pod: size, fleet: fleet.servers() });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(index as u64);
        let mut order: Vec<usize> = (0..fleet.servers()).collect();
        let mut measured = Vec::with_capacity(groups);
        while measured.len() < groups {
            order.shuffle(&mut rng);
            let cut = (fleet.servers() / size).min(groups - measured.len());
            let mut group_of = vec![None; fleet.servers()];
            for (group, servers) in order.chunks_exact(size).take(cut).enumerate() {
                for &server in servers {
                    group_of[server] = Some(group);
                }
            }
            measured.extend(measure(fleet, &changes, &group_of, cut));
        }
        Ok(summary(size, &measured))
    };
    group_sizes.iter().enumerate().map(one).collect()
}

/// A change of a server's demand inside the window.
struct Change {
    time_s: i64,
    arrives: bool,
    server: u32,
    gib: f64,
}

/// All changes by time, departures first; what runs at the start arrives there.
fn changes(fleet: &Fleet) -> Vec<Change> {
    let window = fleet.window();
    let mut changes = Vec::with_capacity(2 * fleet.vms().len());
    for (vm, &server) in fleet.vms().iter().zip(fleet.hosts()) {
        let gib = vm.memory_gib;
        let start_s = vm.start_s.max(window.start);
        changes.push(Change { time_s: start_s, arrives: true, server, gib });
        if vm.end_s < window.end {
            changes.push(Change { time_s: vm.end_s, arrives: false, server, gib });
        }
    }
    changes.sort_by_key(|c| (c.time_s, c.arrives));
    changes
}

#[derive(Clone, Copy, Default)]
struct Group {
    now_gib: f64,
    peak_gib: f64,
    gib_seconds: f64,
    last_s: i64,
    vms: u32,
}

/// Peak and average of each group, GiB.
fn measure(
    fleet: &Fleet,
    changes: &[Change],
    group_of: &[Option<usize>],
    groups: usize,
) -> Vec<(f64, f64)> {
    let window = fleet.window();
    let mut state = vec![Group { last_s: window.start, ..Group::default() }; groups];
    for change in changes {
        let Some(group) = group_of[change.server as usize] else { continue };
        let group = &mut state[group];
        group.gib_seconds += group.now_gib * (change.time_s - group.last_s) as f64;
        group.last_s = change.time_s;
        if change.arrives {
            group.now_gib += change.gib;
            group.vms += 1;
            group.peak_gib = group.peak_gib.max(group.now_gib);
        } else {
            group.vms -= 1;
            // An empty group holds nothing, whatever rounding has left.
            group.now_gib = if group.vms == 0 { 0.0 } else { group.now_gib - change.gib };
        }
    }
    let length_s = (window.end - window.start) as f64;
    let close = |g: &Group| g.gib_seconds + g.now_gib * (window.end - g.last_s) as f64;
    state.iter().map(|g| (g.peak_gib, close(g) / length_s)).collect()
}

fn summary(group_servers: usize, measured: &[(f64, f64)]) -> PeakToAverage {
    let busy: Vec<_> = measured.iter().filter(|(_, average)| *average > 0.0).collect();
    let ratios = busy.iter().map(|(peak, average)| peak / average);
    let (peaks, averages) = busy.iter().fold((0.0, 0.0), |(p, a), m| (p + m.0, a + m.1));
    // 0 groups: every sum is 0, and so is what is defined as their ratio.
    let n = f64::from(index_u32(busy.len())).max(1.0);
    PeakToAverage {
        group_servers,
        groups: busy.len(),
        idle_groups: measured.len() - busy.len(),
        mean_of_ratios: ratios.clone().sum::<f64>() / n,
        ratio_of_means: if averages > 0.0 { peaks / averages } else { 0.0 },
        worst: ratios.fold(0.0, f64::max),
    }
}
