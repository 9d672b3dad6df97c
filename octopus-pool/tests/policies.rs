//! Policies that move or spill memory, event by event, against brute force.

mod common;

use common::any_pod;
use octopus_design::{MpdId, ServerId, Topology};
use octopus_pool::{BoundedMigration, GlobalPool, Lease, LeastLoaded, Policy, Striped};
use proptest::prelude::*;

/// The least whole cap under which these demands fit: the largest D(U) over
/// |N(U)|, rounded up.
fn least_cap(pod: &Topology, used: &[u64]) -> u64 {
    let caps = (1_u32..1 << pod.servers()).map(|bits| {
        let set: Vec<_> = (0..pod.servers()).filter(|s| bits >> s & 1 == 1).map(ServerId).collect();
        let wanted: u64 = set.iter().map(|s| used[s.index()]).sum();
        // those without links ask for nothing
        wanted.div_ceil(pod.neighborhood(&set).max(1) as u64)
    });
    caps.max().unwrap_or(0)
}

/// A VM that is held, and what it got.
struct Held {
    lease: Lease,
    server: usize,
    asked: u32,
    got: u32,
}

/// One step: an arrival of some GiB at a server, or a departure.
type Steps = Vec<(prop::sample::Index, u32, bool)>;

fn steps() -> impl Strategy<Value = Steps> {
    prop::collection::vec(
        (any::<prop::sample::Index>(), 0_u32..40, prop::bool::weighted(0.4)),
        1..60,
    )
}

/// Plays steps, and after each hands the policy and what is held to `check`.
fn play<P: Policy>(
    pod: &Topology,
    policy: &mut P,
    steps: Steps,
    mut check: impl FnMut(&P, &[Held], Option<usize>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut held: Vec<Held> = Vec::new();
    let mut spilled = 0;
    for (pick, asked, departs) in steps {
        let mut arrived = None;
        if departs && !held.is_empty() {
            let vm = held.swap_remove(pick.index(held.len()));
            prop_assert_eq!(policy.release(vm.lease).expect("held"), vm.got);
        } else {
            let server = pick.index(pod.servers());
            let lease = policy.allocate(ServerId(server), asked).expect("far from 2^32 GiB");
            let got = asked
                - u32::try_from(policy.spilled_gib() - spilled).expect("at most what was asked");
            spilled = policy.spilled_gib();
            held.push(Held { lease, server, asked, got });
            arrived = Some(server);
        }
        // every GiB lies on an MPD that its server reaches, and no other does
        let mut loads = vec![0; pod.mpds()];
        for vm in &held {
            let shares = policy.shares(&vm.lease).expect("held");
            prop_assert_eq!(shares.iter().map(|(_, gib)| gib).sum::<u32>(), vm.got);
            for (mpd, gib) in shares {
                prop_assert!(pod.linked(ServerId(vm.server), mpd));
                loads[mpd.index()] += gib;
            }
        }
        prop_assert_eq!(policy.loads_gib(), &loads);
        prop_assert!(policy.peak_gib() >= loads.into_iter().max().unwrap_or(0));
        check(policy, &held, arrived)?;
    }
    Ok(())
}

fn used(servers: usize, held: &[Held], of: impl Fn(&Held) -> u32) -> Vec<u64> {
    let mut used = vec![0; servers];
    for vm in held {
        used[vm.server] += u64::from(of(vm));
    }
    used
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The online rule knows exactly what the wiring has needed, stays under
    /// its cap, and spills nothing.
    #[test]
    fn an_online_cap_is_the_optimum_so_far(pod in any_pod(), steps in steps(), percent in 0_u32..30) {
        let mut policy = BoundedMigration::online(&pod, f64::from(percent) / 100.0).unwrap();
        let mut needed = 0;
        play(&pod, &mut policy, steps, |policy, held, _| {
            needed = needed.max(least_cap(&pod, &used(pod.servers(), held, |vm| vm.asked)));
            prop_assert_eq!(policy.needed_gib(), needed);
            let cap = (needed * u64::from(100 + percent)).div_ceil(100);
            // the margin is a float: its product may lie a hair above a whole number
            prop_assert!((cap..=cap + 1).contains(&u64::from(policy.cap_gib())));
            prop_assert!(needed <= u64::from(policy.peak_gib()), "no policy stays below the optimum");
            prop_assert!(policy.peak_gib() <= policy.cap_gib());
            prop_assert_eq!(policy.spilled_gib(), 0);
            Ok(())
        })?;
    }

    /// Under a fixed capacity, what spills could not have been kept by any
    /// movement.
    #[test]
    fn a_fixed_cap_spills_only_what_does_not_fit(pod in any_pod(), steps in steps(), capacity in 0_u32..30) {
        let mut policy = BoundedMigration::fixed(&pod, capacity);
        play(&pod, &mut policy, steps, |policy, held, arrived| {
            prop_assert!(policy.peak_gib() <= capacity);
            let mut kept = used(pod.servers(), held, |vm| vm.got);
            prop_assert!(least_cap(&pod, &kept) <= u64::from(capacity));
            if let Some(server) = arrived && held.last().is_some_and(|vm| vm.got < vm.asked) {
                kept[server] += 1;
                prop_assert!(least_cap(&pod, &kept) > u64::from(capacity));
            }
            Ok(())
        })?;
    }

    /// Greedy under a capacity spills what its own MPDs do not hold.
    #[test]
    fn greedy_under_a_capacity_fills_it(pod in any_pod(), steps in steps(), capacity in 0_u32..30) {
        let mut policy = LeastLoaded::with_capacity(&pod, capacity);
        play(&pod, &mut policy, steps, |policy, held, arrived| {
            prop_assert!(policy.peak_gib() <= capacity);
            prop_assert_eq!(policy.moved_gib(), 0);
            if let Some(server) = arrived && held.last().is_some_and(|vm| vm.got < vm.asked) {
                let full = |mpd: octopus_design::MpdId| policy.loads_gib()[mpd.index()] == capacity;
                prop_assert!(pod.mpds_of(ServerId(server)).all(full));
            }
            Ok(())
        })?;
    }

    /// At every event the peak so far is at least the optimum so far, whatever
    /// the policy.
    #[test]
    fn no_policy_stays_below_the_optimum(pod in any_pod(), steps in steps()) {
        let mut needed = 0;
        play(&pod, &mut LeastLoaded::new(&pod), steps.clone(), |policy, held, _| {
            needed = needed.max(least_cap(&pod, &used(pod.servers(), held, |vm| vm.asked)));
            prop_assert!(needed <= u64::from(policy.peak_gib()));
            Ok(())
        })?;
        needed = 0;
        play(&pod, &mut Striped::new(&pod, 2).unwrap(), steps, |policy, held, _| {
            needed = needed.max(least_cap(&pod, &used(pod.servers(), held, |vm| vm.asked)));
            prop_assert!(needed <= u64::from(policy.peak_gib()));
            Ok(())
        })?;
    }

    /// A striped VM lies evenly on as many MPDs as asked for, the least loaded.
    #[test]
    fn stripes_are_even(pod in any_pod(), steps in steps(), links in 1_usize..6) {
        let mut policy = Striped::new(&pod, links).unwrap();
        play(&pod, &mut policy, steps, |policy, held, arrived| {
            if let (Some(_), Some(vm)) = (arrived, held.last()) {
                let shares = policy.shares(&vm.lease).expect("held");
                let width = links.min(pod.mpds_of(ServerId(vm.server)).count());
                let even = |(_, gib): &(_, u32)| {
                    let least = vm.asked / u32::try_from(width).unwrap_or(1);
                    (least..=least + 1).contains(gib)
                };
                prop_assert!(shares.len() <= width && shares.iter().all(even));
                prop_assert_eq!(policy.spilled_gib(), 0);
            }
            Ok(())
        })?;
    }

    /// A capacity that is never met changes nothing.
    #[test]
    fn an_ample_capacity_is_none(pod in any_pod(), steps in steps()) {
        let mut free = LeastLoaded::new(&pod);
        let mut loads = Vec::new();
        play(&pod, &mut free, steps.clone(), |policy, _, _| {
            loads.push(policy.loads_gib().to_vec());
            Ok(())
        })?;
        let mut at = 0;
        let mut capped = LeastLoaded::with_capacity(&pod, 60 * 40);
        play(&pod, &mut capped, steps.clone(), |policy, _, _| {
            prop_assert_eq!(policy.loads_gib(), &loads[at]);
            at += 1;
            Ok(())
        })?;
        // nor does migration move anything then, and it fills as greedy does
        let mut migration = BoundedMigration::fixed(&pod, 60 * 40);
        at = 0;
        play(&pod, &mut migration, steps, |policy, _, _| {
            prop_assert_eq!(policy.loads_gib(), &loads[at]);
            prop_assert_eq!(policy.moved_gib(), 0);
            at += 1;
            Ok(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    /// GiB in are GiB out and GiB resident, at every event, under every policy.
    #[test]
    fn nothing_is_lost_at_any_event(
        servers in 1_usize..9,
        steps in prop::collection::vec((any::<prop::sample::Index>(), 0_u32..40, any::<bool>()), 1..40),
        capacity in 0_u32..60,
        seed: u64,
    ) {
        let pod = common::random_pod(servers * 2, 2, 2, seed);
        let mut policies: [Box<dyn Policy>; 6] = [
            Box::new(LeastLoaded::new(&pod)),
            Box::new(LeastLoaded::with_capacity(&pod, capacity)),
            Box::new(Striped::new(&pod, 2).expect("in range")),
            Box::new(BoundedMigration::online(&pod, 0.06).expect("in range")),
            Box::new(BoundedMigration::fixed(&pod, capacity)),
            Box::new(GlobalPool::new(servers * 2)),
        ];
        for policy in &mut policies {
            let (mut held, mut asked, mut freed): (Vec<Lease>, u64, u64) = Default::default();
            for (pick, gib, departs) in &steps {
                if *departs && !held.is_empty() {
                    let lease = held.swap_remove(pick.index(held.len()));
                    freed += u64::from(policy.release(lease).expect("held"));
                } else {
                    let server = ServerId(pick.index(pod.servers()));
                    held.push(policy.allocate(server, *gib).expect("far from 2^32 GiB"));
                    asked += u64::from(*gib);
                }
                let resident: u64 = policy.loads_gib().iter().copied().map(u64::from).sum();
                prop_assert_eq!(asked, freed + resident + policy.spilled_gib());
            }
        }
    }
}

/// A lease, its server, and the GiB on each MPD.
type Standing = (Lease, usize, Vec<(MpdId, u32)>);

/// After an MPD fails: what it held is gone and nothing else, and from there on
/// the policy does what it does on a pod that never had that MPD.
fn fails<P: Policy>(
    pod: &Topology,
    policy: &mut P,
    before: Steps,
    mpd: prop::sample::Index,
    after: Steps,
    mut check: impl FnMut(&P, &Topology) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut held: Vec<Standing> = Vec::new();
    for (pick, gib, _) in before {
        let server = pick.index(pod.servers());
        held.push((policy.allocate(ServerId(server), gib).expect("small"), server, Vec::new()));
    }
    let mpd = MpdId(mpd.index(pod.mpds()));
    for (lease, _, shares) in &mut held {
        *shares = policy.shares(lease).expect("held");
    }
    let on_it = policy.loads_gib()[mpd.index()];
    prop_assert_eq!(policy.fail_mpd(mpd).expect("an MPD of the pod"), on_it);
    prop_assert_eq!(policy.fail_mpd(mpd).expect("an MPD of the pod"), 0, "only once");
    prop_assert!(policy.fail_mpd(MpdId(pod.mpds())).is_err());
    for (lease, _, shares) in &mut held {
        shares.retain(|(at, _)| *at != mpd);
        prop_assert_eq!(&policy.shares(lease).expect("held"), shares);
    }
    let cut = pod.retain_links(|_, at| at != mpd);
    check(policy, &cut)?;
    for (pick, gib, departs) in after {
        if departs && !held.is_empty() {
            let (lease, ..) = held.swap_remove(pick.index(held.len()));
            let had: u32 = policy.shares(&lease).expect("held").iter().map(|(_, gib)| gib).sum();
            prop_assert_eq!(policy.release(lease).expect("held"), had);
        } else {
            let server = pick.index(pod.servers());
            let spilled = policy.spilled_gib();
            let lease = policy.allocate(ServerId(server), gib).expect("small");
            let got: u32 = policy.shares(&lease).expect("held").iter().map(|(_, gib)| gib).sum();
            prop_assert_eq!(u64::from(gib - got), policy.spilled_gib() - spilled);
            held.push((lease, server, Vec::new()));
        }
        let mut loads = vec![0; pod.mpds()];
        for (lease, server, _) in &held {
            for (at, gib) in policy.shares(lease).expect("held") {
                prop_assert!(cut.linked(ServerId(*server), at));
                loads[at.index()] += gib;
            }
        }
        prop_assert_eq!(policy.loads_gib(), &loads);
        check(policy, &cut)?;
    }
    for (lease, ..) in held {
        policy.release(lease).expect("held");
    }
    prop_assert!(policy.loads_gib().iter().all(|load| *load == 0));
    Ok(())
}

proptest! {
    #[test]
    fn a_failed_mpd_is_gone(
        pod in any_pod(),
        before in steps(),
        mpd in any::<prop::sample::Index>(),
        after in steps(),
        capacity in 0_u32..60,
    ) {
        let anything = |_: &dyn Policy, _: &Topology| Ok(());
        let step = || (before.clone(), mpd, after.clone());
        let (a, b, c) = step();
        fails(&pod, &mut LeastLoaded::new(&pod), a, b, c, |p, t| anything(p, t))?;
        let (a, b, c) = step();
        fails(&pod, &mut LeastLoaded::with_capacity(&pod, capacity), a, b, c, |p, _| {
            prop_assert!(p.loads_gib().iter().all(|load| *load <= capacity));
            Ok(())
        })?;
        let (a, b, c) = step();
        let mut striped = Striped::new(&pod, 2).expect("in range");
        fails(&pod, &mut striped, a, b, c, |p, t| anything(p, t))?;
        let (a, b, c) = step();
        let mut fixed = BoundedMigration::fixed(&pod, capacity);
        fails(&pod, &mut fixed, a, b, c, |p, _| {
            prop_assert!(p.loads_gib().iter().all(|load| *load <= capacity));
            Ok(())
        })?;
        let (a, b, c) = step();
        let mut online = BoundedMigration::online(&pod, 0.1).expect("in range");
        fails(&pod, &mut online, a, b, c, |p, _| {
            prop_assert!(p.loads_gib().iter().all(|load| *load <= p.cap_gib()));
            Ok(())
        })?;
    }

    /// The cap that is needed knows of the MPD that is gone, and of what is
    /// still asked for.
    #[test]
    fn after_a_failure_the_shadow_is_that_of_the_rest(
        pod in any_pod(),
        before in steps(),
        mpd in any::<prop::sample::Index>(),
        server in any::<prop::sample::Index>(),
        gib in 0_u32..40,
    ) {
        let mut policy = BoundedMigration::online(&pod, 0.0).expect("in range");
        let mut asked = vec![0_u64; pod.servers()];
        for (pick, gib, _) in before {
            let server = pick.index(pod.servers());
            policy.allocate(ServerId(server), gib).expect("small");
            asked[server] += u64::from(gib);
        }
        let whole = least_cap(&pod, &asked);
        let mpd = MpdId(mpd.index(pod.mpds()));
        policy.fail_mpd(mpd).expect("an MPD of the pod");
        let server = server.index(pod.servers());
        policy.allocate(ServerId(server), gib).expect("small");
        asked[server] += u64::from(gib);
        let cut = pod.retain_links(|_, at| at != mpd);
        for server in cut.server_ids() {
            if cut.mpds_of(server).next().is_none() {
                asked[server.index()] = 0;
            }
        }
        prop_assert_eq!(policy.needed_gib(), least_cap(&cut, &asked).max(whole));
    }
}
