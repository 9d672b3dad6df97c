//! The values that took long to prove, and are kept as data.

use std::ops::ControlFlow::Continue;

use octopus_design::expansion::{Expansion, Options, kept, profile};
use octopus_design::pod::{Goal, find};
use octopus_design::{ServerId, Topology, format, pod};

/// The shipped pods that have kept values.
fn shipped() -> [Topology; 2] {
    [pod::octopus_64(), pod::octopus_96()]
}

#[test]
fn every_kept_witness_is_counted_again() {
    for pod in shipped() {
        let kept = kept(&pod);
        assert!(kept.iter().map(|known| known.k).eq(1..=25), "{}", pod.name());
        for known in &kept {
            assert_eq!(known.witness.len(), known.k);
            assert!(known.witness.is_sorted_by(|a, b| a < b));
            assert_eq!(pod.neighborhood(&known.witness), known.upper);
            assert!(known.lower <= known.upper);
        }
        assert!(kept.is_sorted_by_key(|known| known.lower));
        assert!(kept.is_sorted_by_key(|known| known.upper));
        // what the paper's section 5.2 asks of the shipped pods
        assert!(kept[..20].iter().all(Expansion::is_exact), "{}", pod.name());
    }
    let e = |pod: &Topology, k: usize| kept(pod)[k - 1].lower;
    let [small, large] = shipped();
    assert_eq!((e(&small, 8), e(&small, 16), e(&large, 16)), (42, 64, 68));
}

#[test]
fn kept_values_belong_to_the_wiring_not_to_the_name() {
    let pod = pod::octopus_64();
    let lists = || pod.mpd_ids().map(|mpd| pod.servers_of(mpd).map(ServerId::index).collect());
    let renamed = Topology::new("another", 8, 4, 64, lists()).unwrap();
    assert_eq!(kept(&renamed), kept(&pod));
    // two links exchanged: another pod, of which nothing is known
    let mut lists: Vec<Vec<usize>> = lists().collect();
    let other = (1..lists.len())
        .find(|&mpd| !lists[mpd].contains(&lists[0][0]) && !lists[0].contains(&lists[mpd][0]))
        .unwrap();
    (lists[0][0], lists[other][0]) = (lists[other][0], lists[0][0]);
    let exchanged = Topology::new(pod.name(), 8, 4, 64, lists).unwrap();
    assert!(kept(&exchanged).is_empty());
}

fn assert_proved_again(max_k: usize) {
    for pod in shipped() {
        let options = Options { max_k, work_per_k: u64::MAX, ..Options::default() };
        let proved = profile(&pod, &options, &mut |_| Continue(()));
        for (proved, kept) in proved.iter().zip(kept(&pod)) {
            assert!(proved.is_exact() && kept.is_exact(), "{proved:?} {kept:?}");
            assert_eq!((proved.k, proved.lower), (kept.k, kept.lower), "{}", pod.name());
        }
        assert_eq!(proved.len(), max_k);
    }
}

#[test]
fn the_first_kept_values_are_proved_again() {
    assert_proved_again(11);
}

#[test]
#[ignore = "the slower tier: a minute with --release"]
fn kept_values_to_17_are_proved_again() {
    assert_proved_again(17);
}

#[test]
#[ignore = "the slower tier: half a minute with --release"]
fn the_shipped_wirings_are_found_again() {
    let goals = |goals: &[(usize, usize)]| -> Vec<Goal> {
        goals.iter().map(|&(k, mpds)| Goal { k, mpds }).collect()
    };
    // as data/README.md has it
    for (blueprint, goals, shipped) in [
        (pod::octopus_64_blueprint(), goals(&[(8, 42), (16, 64)]), pod::octopus_64()),
        (
            pod::octopus_96_blueprint(),
            goals(&[(16, 68), (17, 72), (18, 75), (20, 80)]),
            pod::octopus_96(),
        ),
    ] {
        let found = find(&blueprint.unwrap(), &goals, 1, 3_000_000).unwrap();
        assert_eq!(format::to_json(&found), format::to_json(&shipped));
    }
}
