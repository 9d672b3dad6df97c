//! How long the expansion of a pod takes to prove: every subset of a small
//! one, reverse search in two of 96 servers, without and with symmetries.

use std::hint::black_box;
use std::ops::ControlFlow::Continue;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use octopus_design::expansion::{Options, profile};
use octopus_design::pod::{self, JellyfishSpec};

fn expansion(c: &mut Criterion) {
    let mut group = c.benchmark_group("expansion");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let random = JellyfishSpec { servers: 96, server_ports: 8, mpd_ports: 4, max_shared: None };
    let random = pod::jellyfish(&random, 0).expect("there are many such pods");
    let bibd = pod::bibd(25, 4).expect("it is built from a difference family");
    let pods = [(bibd, vec![25]), (random, vec![8, 10, 12]), (pod::octopus_96(), vec![10, 12, 14])];
    for (pod, sizes) in pods {
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
