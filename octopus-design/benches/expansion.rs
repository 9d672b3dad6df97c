//! How long the expansion of a pod takes to prove: every subset of a small
//! one, and reverse search in a random one of 96 servers.

use std::hint::black_box;
use std::ops::ControlFlow::Continue;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use octopus_design::expansion::{Options, profile};
use octopus_design::{Topology, block};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// BIBD-25: two servers share exactly one MPD.
fn bibd_25() -> octopus_design::Result<Topology> {
    let design = block::build(25, 4)?;
    Topology::new("bibd-25", 8, 4, 25, design.blocks().iter().cloned())
}

/// Eight rounds, each of which deals 96 servers to 24 four-port MPDs.
fn random_96(seed: u64) -> octopus_design::Result<Topology> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut mpds = Vec::new();
    for _ in 0..8 {
        let mut servers: Vec<usize> = (0..96).collect();
        servers.shuffle(&mut rng);
        mpds.extend(servers.chunks(4).map(<[usize]>::to_vec));
    }
    Topology::new("random-96", 8, 4, 96, mpds)
}

fn expansion(c: &mut Criterion) {
    let mut group = c.benchmark_group("expansion");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let pods = [(bibd_25(), vec![25]), (random_96(0), vec![8, 10, 12])];
    for (pod, sizes) in pods {
        let pod = pod.expect("built from lists of servers in range");
        for max_k in sizes {
            let options = Options { max_k, ..Options::default() };
            group.bench_function(format!("{}, k to {max_k}", pod.name()), |b| {
                b.iter(|| profile(black_box(&pod), &options, &mut |_| Continue(())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, expansion);
criterion_main!(benches);
