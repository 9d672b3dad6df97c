//! How long designs take to build, by geometry and by search from a symmetry;
//! and pods.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use octopus_design::block;
use octopus_design::pod::{self, JellyfishSpec, OctopusSpec};

fn construction(c: &mut Criterion) {
    let mut group = c.benchmark_group("block design");
    for (points, block_size) in [(16, 4), (25, 4), (28, 4), (61, 5), (66, 6), (76, 6), (183, 14)] {
        group.bench_function(format!("({points},{block_size})"), |b| {
            b.iter(|| block::build(black_box(points), black_box(block_size)));
        });
    }
    group.bench_function("every size, 16 ports", |b| {
        b.iter(|| {
            let sizes = (2..=16).flat_map(|k| block::sizes(k, 16).map(move |(v, e)| (v, k, e)));
            let built = sizes.filter(|(.., existence)| existence.constructed);
            built.map(|(v, k, _)| block::build(v, k)).collect::<Result<Vec<_>, _>>()
        });
    });
    group.finish();

    let mut group = c.benchmark_group("pod");
    group.sample_size(10);
    let random =
        |max_shared| JellyfishSpec { servers: 96, server_ports: 8, mpd_ports: 4, max_shared };
    for spec in [random(None), random(Some(1))] {
        let limit = spec.max_shared.map_or("any".to_owned(), |most| most.to_string());
        group.bench_function(format!("jellyfish-96, pairs share {limit}"), |b| {
            b.iter(|| pod::jellyfish(black_box(&spec), 1));
        });
    }
    group.bench_function("xpander-96", |b| b.iter(|| pod::xpander(black_box(96), 8, 4, 1)));
    for (island_ports, islands) in [(5, 4), (5, 6), (4, 7)] {
        let spec = OctopusSpec { server_ports: 8, island_ports, mpd_ports: 4, islands };
        group.bench_function(
            format!("octopus, {islands} islands of {}", spec.island_servers()),
            |b| {
                b.iter(|| pod::octopus(black_box(&spec), 1));
            },
        );
    }
    let blueprint = pod::octopus_96_blueprint().expect("its islands are affine planes");
    group.bench_function("octopus-96 from its blueprint, no goal", |b| {
        b.iter(|| pod::find(black_box(&blueprint), &[], 1, 1_000_000));
    });
    group.finish();
}

criterion_group!(benches, construction);
criterion_main!(benches);
