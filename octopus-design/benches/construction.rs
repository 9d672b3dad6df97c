//! How long designs take to build: geometry, and search from a symmetry.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use octopus_design::block;

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
}

criterion_group!(benches, construction);
criterion_main!(benches);
