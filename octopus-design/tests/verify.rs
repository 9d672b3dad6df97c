//! explore
#[path = "common/pods.rs"]
mod pods;
use octopus_design::Topology;
use octopus_design::verify::{Rule, octopus};
use pods::{first_pod, octopus_64};
use std::collections::{BTreeMap, BTreeSet};

fn failing(pod: &Topology, islands: usize, island_ports: usize) -> BTreeSet<Rule> {
    octopus(pod, islands, island_ports).failures().map(|(rule, _)| rule).collect()
}

#[test]
fn explore() {
    let t = std::time::Instant::now();
    let c = octopus(&octopus_64().pod(), 4, 5);
    for f in c.findings() {
        println!("{}: {}", f.rule, f.outcome);
    }
    println!("{:?} {:?}", c.island_pairs(), t.elapsed());
    for (i, n, r) in [(5, 3, 3), (5, 3, 2), (4, 2, 3), (6, 4, 3)] {
        let t = std::time::Instant::now();
        if (i, n, r) == (6, 4, 3) {
            continue;
        }
        let d = first_pod(i, n, r);
        println!("{i} {n} {r} {:?} {:?}", d.mpds, t.elapsed());
        let c = octopus(&d.pod(), i, 1);
        for f in c.findings() {
            println!("   {}: {}", f.rule, f.outcome);
        }
        println!("{:?}", c.island_pairs());
        let mut seen = BTreeMap::new();
        let t = std::time::Instant::now();
        for e in d.exchanges(0) {
            let f = failing(&e.pod(), i, 1);
            *seen.entry(f).or_insert(0) += 1;
        }
        println!("{seen:#?} {:?}", t.elapsed());
    }
}
