//! Properties that hold for every trace and pod, against brute force.

mod common;

use common::{affine_plane_16, any_pod, random_pod, random_trace};
use octopus_design::{ServerId, Topology};
use octopus_pool::{
    Demand, GlobalPool, Lease, LeastLoaded, Options, Placement, PodDemand, Policy, PolicyKind,
    evaluate, fractional_optimum, place, replay, theorem_a1,
};
use proptest::prelude::*;

/// The demand of a random trace on all its servers.
fn demand(servers: u32, vms: usize, seed: u64) -> PodDemand {
    let fleet = place(&random_trace(servers, vms, seed), &Placement::Given).expect("hosts");
    let all: Vec<usize> = (0..fleet.servers()).collect();
    Demand::new(&fleet, 0.65, seed).and_then(|d| d.pod(&all)).expect("in range")
}

/// Calls `visit` with the servers' demands at every instant of the window.
fn at_every_instant(demand: &PodDemand, mut visit: impl FnMut(&[u64])) {
    let mut used = vec![0_u64; demand.servers()];
    for (at, event) in demand.events().iter().enumerate() {
        if at == demand.tracked_from() {
            visit(&used);
        }
        let server = &mut used[event.server as usize];
        if event.arrives {
            *server += u64::from(event.gib);
        } else {
            *server -= u64::from(event.gib);
        }
        if at >= demand.tracked_from() {
            visit(&used);
        }
    }
    visit(&used);
}

/// max D(U) / |N(U)| over all sets and instants.
fn optimum_by_subsets(pod: &Topology, demand: &PodDemand) -> f64 {
    let sets: Vec<(Vec<usize>, f64)> = (1_u32..1 << pod.servers())
        .map(|bits| {
            let set: Vec<_> = (0..pod.servers()).filter(|s| bits >> s & 1 == 1).collect();
            let ids: Vec<_> = set.iter().copied().map(ServerId).collect();
            let reached = pod.neighborhood(&ids) as f64;
            (set, reached)
        })
        .collect();
    let mut most = 0.0_f64;
    at_every_instant(demand, |used| {
        for (set, reached) in &sets {
            let wanted: u64 = set.iter().map(|&s| used[s]).sum();
            most = most.max(wanted as f64 / reached);
        }
    });
    most
}

/// `e_k` for every k.
fn expansion_by_subsets(pod: &Topology) -> Vec<usize> {
    let mut least = vec![usize::MAX; pod.servers()];
    for bits in 1_u32..1 << pod.servers() {
        let set: Vec<_> = (0..pod.servers()).filter(|s| bits >> s & 1 == 1).map(ServerId).collect();
        least[set.len() - 1] = least[set.len() - 1].min(pod.neighborhood(&set));
    }
    least
}

/// The paper's policy as it is worded: one unit at a time.
fn allocate_by_units(pod: &Topology, loads: &mut [u32], server: ServerId, gib: u32) -> Vec<u32> {
    let mut shares = vec![0; pod.mpds()];
    for _ in 0..gib {
        let mpd = pod.mpds_of(server).min_by_key(|mpd| (loads[mpd.index()], *mpd)).expect("a link");
        loads[mpd.index()] += 1;
        shares[mpd.index()] += 1;
    }
    shares
}

proptest! {
    #[test]
    fn filling_to_a_level_is_unit_by_unit(
        pod in any_pod(),
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0_u32..40, any::<bool>()), 1..60),
    ) {
        let mut policy = LeastLoaded::new(&pod);
        let (mut loads, mut peak) = (vec![0; pod.mpds()], 0);
        let mut held: Vec<(Lease, Vec<u32>)> = Vec::new();
        for (pick, gib, release) in steps {
            if release && !held.is_empty() {
                let (lease, shares) = held.swap_remove(pick.index(held.len()));
                let freed = policy.release(lease).unwrap();
                prop_assert_eq!(freed, shares.iter().sum::<u32>());
                loads.iter_mut().zip(&shares).for_each(|(load, share)| *load -= share);
            } else {
                let server = ServerId(pick.index(pod.servers()));
                let shares = allocate_by_units(&pod, &mut loads, server, gib);
                let lease = policy.allocate(server, gib).unwrap();
                for (mpd, share) in policy.shares(&lease).unwrap() {
                    prop_assert_eq!(share, shares[mpd.index()]);
                }
                held.push((lease, shares));
            }
            peak = peak.max(*loads.iter().max().unwrap());
            prop_assert_eq!(policy.loads_gib(), &loads);
            prop_assert_eq!(policy.peak_gib(), peak);
        }
    }

    #[test]
    fn nothing_is_lost(servers in 1_u32..9, vms in 1_usize..60, seed in any::<u64>()) {
        let demand = demand(servers, vms, seed);
        let pod = random_pod(demand.servers(), 1, 1, seed);
        for replay in [
            replay(&demand, &mut LeastLoaded::new(&pod)).unwrap(),
            replay(&demand, &mut GlobalPool::new(demand.servers())).unwrap(),
        ] {
            prop_assert_eq!(replay.allocated_gib, replay.released_gib + replay.resident_gib);
        }
        // At every instant: what is held is what was asked for.
        let mut policy = GlobalPool::new(demand.servers());
        let mut leases: Vec<Option<Lease>> = (0..demand.vms()).map(|_| None).collect();
        let mut wanted = 0;
        for event in demand.events() {
            if event.arrives {
                let lease = policy.allocate(ServerId(event.server as usize), event.gib).unwrap();
                leases[event.vm as usize] = Some(lease);
                wanted += event.gib;
            } else {
                let lease = leases[event.vm as usize].take().unwrap();
                wanted -= policy.release(lease).unwrap();
            }
            prop_assert_eq!(policy.loads_gib()[0], wanted);
        }
    }

    #[test]
    fn peaks_are_those_of_every_instant(servers in 1_u32..9, vms in 1_usize..60, seed in any::<u64>()) {
        let demand = demand(servers, vms, seed);
        let (mut own, mut total) = (vec![0; demand.servers()], 0);
        at_every_instant(&demand, |used| {
            own.iter_mut().zip(used).for_each(|(peak, now)| *peak = (*peak).max(*now));
            total = total.max(used.iter().sum::<u64>());
        });
        prop_assert_eq!(demand.server_peaks_gib(), &own);
        prop_assert_eq!(demand.peak_total_gib(), total);
        let pooled = replay(&demand, &mut GlobalPool::new(demand.servers())).unwrap();
        prop_assert_eq!(u64::from(pooled.peak_mpd_gib), total);
    }

    #[test]
    fn bounds_are_exact_and_ordered(pod in any_pod(), vms in 1_usize..40, seed in any::<u64>()) {
        let servers = u32::try_from(pod.servers()).unwrap();
        // One VM on the last server keeps the fleet as large as the pod.
        let mut trace = random_trace(servers, vms, seed).vms().to_vec();
        trace[0].server = Some(servers - 1);
        let trace = octopus_pool::Trace::new("t", 0..200, trace).unwrap();
        let fleet = place(&trace, &Placement::Given).unwrap();
        let all: Vec<usize> = (0..fleet.servers()).collect();
        let demand = Demand::new(&fleet, 0.65, seed).unwrap().pod(&all).unwrap();

        let optimum = fractional_optimum(&pod, &demand).unwrap();
        prop_assert!((optimum.peak_gib() - optimum_by_subsets(&pod, &demand)).abs() < 1e-9);
        // The certificate holds by itself.
        if !optimum.servers.is_empty() {
            prop_assert_eq!(pod.neighborhood(&optimum.servers) as u64, optimum.mpds);
            let mut used = vec![0_u64; pod.servers()];
            for event in &demand.events()[..optimum.after_events] {
                let server = &mut used[event.server as usize];
                let gib = u64::from(event.gib);
                *server = if event.arrives { *server + gib } else { *server - gib };
            }
            let wanted: u64 = optimum.servers.iter().map(|s| used[s.index()]).sum();
            prop_assert_eq!(wanted, optimum.demand_gib);
        }
        let greedy = replay(&demand, &mut LeastLoaded::new(&pod)).unwrap();
        prop_assert!(optimum.peak_gib() <= f64::from(greedy.peak_mpd_gib) + 1e-9);
        let envelope = theorem_a1(&demand, &expansion_by_subsets(&pod)).unwrap();
        prop_assert!(optimum.peak_gib() <= envelope + 1e-9);
        let even = demand.peak_total_gib() as f64 / pod.mpds() as f64;
        prop_assert!(even <= optimum.peak_gib() + 1e-9);
    }
}

#[test]
fn the_optimum_is_exact_on_an_island() {
    let pod = affine_plane_16();
    let demand = demand(16, 400, 3);
    assert_eq!(demand.servers(), 16);
    let optimum = fractional_optimum(&pod, &demand).unwrap();
    assert!((optimum.peak_gib() - optimum_by_subsets(&pod, &demand)).abs() < 1e-9);
    let envelope = theorem_a1(&demand, &expansion_by_subsets(&pod)).unwrap();
    assert!(optimum.peak_gib() <= envelope);
}

/// Under the assumption of Theorem A.1, its figure is the optimum: one server
/// wants everything, and any one server reaches `e_1` MPDs.
#[test]
fn the_theorem_is_tight_for_one_hot_server() {
    let pod = affine_plane_16();
    let vm = octopus_pool::Vm {
        start_s: 1,
        end_s: 9,
        memory_gib: 100.0,
        cores: 1,
        server: Some(15),
        censored: false,
    };
    let trace = octopus_pool::Trace::new("hot", 0..10, vec![vm]).unwrap();
    let fleet = place(&trace, &Placement::Given).unwrap();
    let all: Vec<usize> = (0..16).collect();
    let demand = Demand::new(&fleet, 1.0, 0).unwrap().pod(&all).unwrap();
    let optimum = fractional_optimum(&pod, &demand).unwrap();
    assert_eq!((optimum.demand_gib, optimum.mpds), (100, 5));
    let bound = theorem_a1(&demand, &expansion_by_subsets(&pod)).unwrap();
    assert!((bound - 20.0).abs() < 1e-12);
}

#[test]
fn jobs_change_nothing_and_policies_are_ordered() {
    let fleet = place(&random_trace(60, 3000, 5), &Placement::Given).unwrap();
    let pod = random_pod(24, 4, 4, 1);
    let expansion = vec![4, 7, 9];
    let base = Options { pods: 9, seed: 3, jobs: 1, expansion, ..Options::default() };
    let greedy = evaluate(&pod, &fleet, &base).unwrap();
    for jobs in [2, 3, 7] {
        assert_eq!(evaluate(&pod, &fleet, &Options { jobs, ..base.clone() }).unwrap(), greedy);
    }
    let with = |policy| evaluate(&pod, &fleet, &Options { policy, ..base.clone() }).unwrap();
    let (optimum, global) = (with(PolicyKind::Optimum), with(PolicyKind::GlobalPool));
    assert!(greedy.savings_mean < optimum.savings_mean);
    assert!(optimum.savings_mean <= global.savings_mean + 1e-12);
    assert!(greedy.savings_min <= greedy.savings_mean && greedy.savings_mean <= greedy.savings_max);
    assert!(greedy.savings_ci95.unwrap() > 0.0 && greedy.theorem_a1_gib_mean.is_some());
    assert_ne!(evaluate(&pod, &fleet, &Options { seed: 4, ..base }).unwrap(), greedy);
}

/// A trace whose servers demand these GiB at one instant.
fn hot(demands: &[u32]) -> PodDemand {
    let vm = |(server, gib): (usize, &u32)| octopus_pool::Vm {
        start_s: 1,
        end_s: 9,
        memory_gib: f64::from(*gib),
        cores: 1,
        server: u32::try_from(server).ok(),
        censored: false,
    };
    let vms = demands.iter().enumerate().filter(|(_, gib)| **gib > 0).map(vm).collect();
    let trace = octopus_pool::Trace::new("hot", 0..10, vms).expect("valid VMs");
    let fleet = place(&trace, &Placement::Given).expect("hosts");
    let all: Vec<usize> = (0..demands.len()).collect();
    Demand::new(&fleet, 1.0, 0).and_then(|demand| demand.pod(&all)).expect("in range")
}

/// The worst case of Theorem A.1: the hottest servers are relabelled to sit on
/// the witness of `e_k`. Then its figure bounds the peak from below, and the
/// optimum meets it; elsewhere the same demand may do with less.
#[test]
fn relabelled_to_the_witness_the_theorem_bounds_the_peak() {
    let pod = affine_plane_16();
    let expansion = expansion_by_subsets(&pod);
    for k in [2, 3, 5] {
        let sets = (1_u32..1 << 16).filter(|bits| bits.count_ones() == k);
        let ids = |bits: u32| -> Vec<ServerId> {
            (0..16).filter(|s| bits >> s & 1 == 1).map(ServerId).collect()
        };
        let witness = sets.min_by_key(|&bits| pod.neighborhood(&ids(bits))).unwrap();
        let demands: Vec<u32> =
            (0..16).map(|s| if witness >> s & 1 == 1 { 60 } else { 1 }).collect();
        let demand = hot(&demands);
        let optimum = fractional_optimum(&pod, &demand).unwrap();
        let e_k = expansion[k as usize - 1] as f64;
        let bound = f64::from(60 * k) / e_k;
        assert!(optimum.peak_gib() >= bound - 1e-9, "k = {k}");
        let greedy = replay(&demand, &mut LeastLoaded::new(&pod)).unwrap();
        assert!(f64::from(greedy.peak_mpd_gib) >= bound);
        assert!(
            (theorem_a1(&demand, &expansion).unwrap() - optimum.peak_gib()).abs() < 1e-9,
            "k = {k}"
        );
    }
}

/// Extreme skew: one server wants nearly everything, and no policy puts it on
/// more MPDs than it reaches.
#[test]
fn one_hot_server_is_bound_by_its_own_links() {
    let pod = octopus_design::pod::octopus_96();
    let mut demands = vec![1; 96];
    demands[17] = 4_000;
    let demand = hot(&demands);
    let optimum = fractional_optimum(&pod, &demand).unwrap();
    assert!((optimum.peak_gib() - 500.0).abs() < 1e-9);
    assert_eq!(optimum.servers, [ServerId(17)]);
    let greedy = replay(&demand, &mut LeastLoaded::new(&pod)).unwrap();
    let mut migrating = octopus_pool::BoundedMigration::online(&pod, 0.0).unwrap();
    let moved = replay(&demand, &mut migrating).unwrap();
    // in any order of arrival the small ones move out of the way
    assert_eq!(moved.peak_mpd_gib, 500);
    assert!((500..=502).contains(&greedy.peak_mpd_gib), "{greedy:?}");
}
