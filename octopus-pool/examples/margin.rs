//! How the margin of bounded migration is chosen: on the first half of a trace,
//! as the smallest that moves no more than a given share of the memory it
//! allocates; and what it does on the second half, which had no part in that.
//!
//! `cargo run --release -p octopus-pool --example margin -- [TRACE [PERCENT]]`;
//! the synthetic trace and 3% where they are not given.

use octopus_design::pod;
use octopus_pool::{
    Error, Fleet, Options, Placement, PolicyKind, ReadOptions, Savings, SynthOptions, evaluate,
    place, read_trace, synthesize,
};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let trace = match arguments.next() {
        Some(path) => read_trace(path.as_ref(), &ReadOptions::default())?,
        None => synthesize(&SynthOptions::default())?,
    };
    let percent: f64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(3.0);
    let fleet = place(&trace, &Placement::for_trace(&trace, 1))?;
    let window = fleet.window();
    let half = window.start + (window.end - window.start) / 2;
    let halves = [window.start..half, half..window.end];

    println!("octopus-96 on {}", fleet.source());
    println!("margin   first half: saved  moved    second half: saved  moved");
    let mut chosen = None;
    for margin in [0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15] {
        let [first, second] = [0, 1].map(|half: usize| judged(&fleet, margin, &halves[half]));
        let (first, second) = (first?, second?);
        let shown = |s: &Savings| {
            format!("{:5.2}% {:5.2}%", 100.0 * s.savings_mean, 100.0 * s.moved_fraction)
        };
        println!(
            "{:4.0}%               {}                {}",
            100.0 * margin,
            shown(&first),
            shown(&second)
        );
        if chosen.is_none() && 100.0 * first.moved_fraction <= percent {
            chosen = Some(margin);
        }
    }
    match chosen {
        Some(margin) => println!("chosen on the first half: {:.0}%", 100.0 * margin),
        None => println!("none of these moves so little"),
    }
    Ok(())
}

fn judged(fleet: &Fleet, margin: f64, window: &std::ops::Range<i64>) -> Result<Savings, Error> {
    let options = Options {
        policy: PolicyKind::BoundedMigration,
        margin,
        window: Some(window.clone()),
        bounds: false,
        seed: 1,
        ..Options::default()
    };
    evaluate(&pod::octopus_96(), fleet, &options)
}
