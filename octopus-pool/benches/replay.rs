//! Events a second of a replay: Octopus-96's size on the synthetic trace.
#![allow(missing_docs, reason = "criterion's macros make public items")]

#[path = "../tests/common/mod.rs"]
mod common;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use octopus_pool::{
    Demand, GlobalPool, LeastLoaded, Options, Placement, SynthOptions, evaluate,
    fractional_optimum, place, replay, synthesize,
};

fn benches(criterion: &mut Criterion) {
    let options = SynthOptions { servers: 96, ..SynthOptions::default() };
    let trace = synthesize(&options).expect("the default parameters are valid");
    let fleet = place(&trace, &Placement::Given).expect("the generator names hosts");
    let servers: Vec<usize> = (0..fleet.servers()).collect();
    let demand = Demand::new(&fleet, 0.65, 1).and_then(|d| d.pod(&servers)).expect("in range");
    let pod = common::random_pod(96, 8, 4, 1);

    let mut group = criterion.benchmark_group("replay-96");
    group.throughput(Throughput::Elements(demand.events().len() as u64));
    group.bench_function("least-loaded", |b| {
        b.iter(|| replay(&demand, &mut LeastLoaded::new(&pod)).expect("every server has links"));
    });
    group.bench_function("global-pool", |b| {
        b.iter(|| replay(&demand, &mut GlobalPool::new(96)).expect("of the same size"));
    });
    group.bench_function("fractional-optimum", |b| {
        b.iter(|| fractional_optimum(&pod, &demand).expect("every server has links"));
    });
    group.finish();

    // pods over threads: twice as fast on two, if nothing is in the way
    let mut group = criterion.benchmark_group("pods-60");
    group.sample_size(10);
    for jobs in [1, 2] {
        let options = Options { pods: 60, jobs, bounds: false, ..Options::default() };
        group.bench_function(format!("jobs-{jobs}"), |b| {
            b.iter(|| evaluate(&pod, &fleet, &options).expect("in range"));
        });
    }
    group.finish();
}

criterion_group!(replays, benches);
criterion_main!(replays);
