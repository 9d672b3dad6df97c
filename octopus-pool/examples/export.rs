//! Writes the demand of one pod of 96 servers on the synthetic trace, for other
//! simulators to play, and plays it here.
//!
//! `cargo run --release -p octopus-pool --example export -- FOLDER` writes
//! `events.csv` and `topology.json`; `peers/replay.py` reads them.

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use octopus_design::{format, pod};
use octopus_pool::{Demand, LeastLoaded, Placement, SynthOptions, place, replay, synthesize};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    let trace = synthesize(&SynthOptions { servers: 96, ..SynthOptions::default() })?;
    let fleet = place(&trace, &Placement::Given)?;
    let servers: Vec<usize> = (0..fleet.servers()).collect();
    let demand = Demand::new(&fleet, 0.65, 1)?.pod(&servers)?;

    let mut csv = "time_s,arrives,vm,server,gib,in_window\n".to_owned();
    for (at, event) in demand.events().iter().enumerate() {
        let (arrives, inside) = (u8::from(event.arrives), u8::from(at >= demand.tracked_from()));
        let (time_s, vm, server, gib) = (event.time_s, event.vm, event.server, event.gib);
        writeln!(csv, "{time_s},{arrives},{vm},{server},{gib},{inside}")?;
    }
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("events.csv"), csv)?;
    let wiring = pod::octopus_96();
    std::fs::write(folder.join("topology.json"), format::to_json(&wiring))?;

    // the best of several runs: the others waited for something else
    let mut best_s = f64::INFINITY;
    let mut peak_gib = 0;
    for _ in 0..20 {
        let started = Instant::now();
        peak_gib = replay(&demand, &mut LeastLoaded::new(&wiring))?.peak_mpd_gib;
        best_s = best_s.min(started.elapsed().as_secs_f64());
    }
    let events = demand.events().len();
    println!("events            {events}");
    println!("peak of an MPD    {peak_gib} GiB");
    println!("events a second   {:.0}", events as f64 / best_s);
    Ok(())
}
