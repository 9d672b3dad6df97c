//! Finds the wiring of the shipped pods again.
//!
//! `cargo run --release --example find_pod -- 96 SEED [K:MPDS ..]` prints the
//! topology as JSON.

use octopus_design::pod::{self, Goal};
use octopus_design::{Error, format};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let servers = arguments.next().unwrap_or_else(|| "96".to_owned());
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let goals: Vec<Goal> = arguments
        .filter_map(|goal| {
            let (k, mpds) = goal.split_once(':')?;
            Some(Goal { k: k.parse().ok()?, mpds: mpds.parse().ok()? })
        })
        .collect();
    let blueprint =
        if servers == "64" { pod::octopus_64_blueprint()? } else { pod::octopus_96_blueprint()? };
    let pod = pod::find(&blueprint, &goals, seed, 3_000_000)?;
    println!("{}", format::to_json(&pod));
    Ok(())
}
