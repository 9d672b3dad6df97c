//! The search itself, whatever the pod's size: the public way enumerates
//! small pods, so what is tested here would otherwise meet no brute force.

use std::ops::ControlFlow::Continue;

use proptest::prelude::*;

use super::bound::Tightness;
use super::graph::{Cover, Graph};
use super::prover::Prover;
use super::search::Outcome;
use super::symmetry::Group;
use super::{Expansion, Options};
use crate::Topology;

#[allow(dead_code, reason = "shared with tests/expansion.rs, which uses all")]
#[path = "../../tests/common/small_pods.rs"]
mod small_pods;
use small_pods::{Wiring, complete, net, wirings};

fn graph(wiring: &Wiring) -> Graph {
    let topology = Topology::new("t", 64, 64, wiring.servers, wiring.mpds.iter().cloned());
    Graph::new(&topology.unwrap())
}

fn options() -> Options {
    Options { restarts: 1, jobs: 1, work_per_k: u64::MAX, ..Options::default() }
}

/// Every question "do some k servers reach at most this many MPDs?" near the
/// answer's turn, put to the search alone.
fn check_answers(wiring: &Wiring, group: Group, knows_smaller: bool) {
    let truth = wiring.every_subset();
    let options = options();
    let mut prover = Prover::searching(graph(wiring), group, &options);
    for k in 1..=wiring.servers {
        prover.least =
            if knows_smaller { truth[..k].to_vec() } else { std::iter::repeat_n(0, k).collect() };
        let bound = prover.bound_from_smaller(k);
        assert!(bound <= truth[k], "k {k}: bound {bound} of {truth:?}");
        for target in truth[k].saturating_sub(3)..=truth[k] + 2 {
            let attempt = prover.attempt(k, target, u64::MAX, &mut |_| Continue(()));
            match attempt.outcome {
                Outcome::Exhausted => assert!(target < truth[k], "k {k}, {target}: {truth:?}"),
                Outcome::Found(set) => {
                    assert_eq!(set.len(), k);
                    assert!(set.is_sorted_by(|a, b| a < b));
                    let reached = graph(wiring).neighborhood(&set);
                    assert!(reached <= target && reached >= truth[k]);
                }
                Outcome::Cut => panic!("k {k}, {target}: nothing limits this search"),
            }
        }
    }
}

fn settle_all(wiring: &Wiring, group: Group, options: &Options) -> Vec<Expansion> {
    let mut prover = Prover::searching(graph(wiring), group, options);
    (1..=wiring.servers).map(|k| prover.settle(k, &mut |_| Continue(())).0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn search_answers_as_brute_force(wiring in wirings(10), knows_smaller: bool) {
        check_answers(&wiring, Group::trivial(wiring.servers), knows_smaller);
    }

    #[test]
    fn search_up_to_symmetry_answers_as_brute_force(wiring in wirings(10), knows_smaller: bool) {
        check_answers(&wiring, Group::of(&graph(&wiring)), knows_smaller);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn proofs_agree_with_brute_force(wiring in wirings(12)) {
        let truth = wiring.every_subset();
        for group in [Group::trivial(wiring.servers), Group::of(&graph(&wiring))] {
            for known in settle_all(&wiring, group, &options()) {
                prop_assert_eq!((known.lower, known.upper), (truth[known.k], truth[known.k]));
                let servers: Vec<usize> = known.witness.iter().map(|s| s.index()).collect();
                prop_assert_eq!(graph(&wiring).neighborhood(&servers), known.upper);
            }
        }
    }

    #[test]
    fn a_small_budget_never_lies(wiring in wirings(12), work in prop::sample::select(vec![0, 1, 10, 100])) {
        let truth = wiring.every_subset();
        let group = Group::of(&graph(&wiring));
        let limited = Options { work_per_k: work, ..options() };
        let one = settle_all(&wiring, group.clone(), &limited);
        for known in &one {
            prop_assert!(known.lower <= truth[known.k] && truth[known.k] <= known.upper);
        }
        for jobs in [2, 3] {
            let limited = Options { jobs, ..limited.clone() };
            prop_assert_eq!(&settle_all(&wiring, group.clone(), &limited), &one);
        }
    }

    /// Every set's chain of parents keeps the rules of `bound`.
    #[test]
    fn sets_within_the_target_are_tight(wiring in wirings(9), pick in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
        let graph = graph(&wiring);
        let mut cover = Cover::new(&graph);
        for index in pick {
            let server = index.index(graph.servers());
            if !cover.is_member[server] {
                cover.insert(server);
            }
        }
        let (k, target) = (cover.members.len(), cover.reached);
        let table = Tightness::new(k, target, graph.max_degree, graph.max_shared).unwrap();
        while !cover.members.is_empty() {
            let size = cover.members.len();
            let last = (0..size).max_by_key(|&i| cover.private[cover.members[i]]).unwrap();
            let private = usize::from(cover.private[cover.members[last]]);
            let most = table.most(size, private, cover.surplus);
            prop_assert!(i32::try_from(cover.reached).unwrap() <= most, "{size} {private} {most}");
            cover.swap_remove(last);
        }
    }

    /// Counts kept up to date are those of a fresh start.
    #[test]
    fn a_cover_that_shrinks_forgets(wiring in wirings(9), picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..30)) {
        let graph = graph(&wiring);
        let mut cover = Cover::new(&graph);
        for (index, tries) in picks {
            let server = index.index(graph.servers());
            if let Some(position) = cover.members.iter().position(|&m| m == server) {
                cover.swap_remove(position);
            } else if tries {
                cover.try_on(server);
                cover.take_off(server);
            } else {
                cover.insert(server);
            }
            let mut anew = Cover::new(&graph);
            cover.members.iter().for_each(|&m| anew.insert(m));
            prop_assert_eq!(&cover.count, &anew.count);
            prop_assert_eq!(&cover.fresh, &anew.fresh);
            prop_assert_eq!(&cover.private, &anew.private);
            prop_assert_eq!((cover.reached, cover.surplus), (anew.reached, anew.surplus));
            prop_assert_eq!(cover.reached, graph.neighborhood(&cover.members));
        }
    }
}

/// Pods of many symmetries, each with more than two servers to an orbit.
#[test]
fn symmetric_pods() {
    let cycle =
        |n: usize| Wiring { servers: n, mpds: (0..n).map(|s| vec![s, (s + 1) % n]).collect() };
    let petersen: Vec<Vec<usize>> = (0..5)
        .flat_map(|i| [vec![i, (i + 1) % 5], vec![i, i + 5], vec![i + 5, (i + 2) % 5 + 5]])
        .collect();
    let petersen = Wiring { servers: 10, mpds: petersen };
    let line = |shift: usize| [0, 1, 3, 9].map(|point| (point + shift) % 13).to_vec();
    let plane = Wiring { servers: 13, mpds: (0..13).map(line).collect() };
    let pods = [cycle(9), cycle(12), complete(7), petersen, plane, net(3, 3), net(3, 4)];
    for pod in pods {
        let group = Group::of(&graph(&pod));
        assert!(!group.is_trivial());
        check_answers(&pod, group, true);
        check_answers(&pod, Group::trivial(pod.servers), false);
    }
}

/// Symmetry must save work, or the tests above would not notice its absence.
#[test]
fn symmetry_saves_visits() {
    let pod = net(4, 3);
    let visits = |group| settle_all(&pod, group, &options()).iter().map(|e| e.visited).sum::<u64>();
    let (without, with) = (visits(Group::trivial(16)), visits(Group::of(&graph(&pod))));
    assert!(10 * with < without, "{with} of {without}");
}
