//! A stream of events that is never whole in memory: VMs come and go on the
//! servers of Octopus-96 for as long as one likes.
//!
//! `cargo run --release -p octopus-pool --example stream -- [EVENTS]`; a million
//! where it is not given.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Instant;

use octopus_design::pod;
use octopus_pool::{Error, Event, LeastLoaded, Replayer};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// VMs that are there at a time, once the stream is under way.
const ALIVE: i64 = 10_000;

/// Arrivals a second at most, each followed by a departure some time later.
struct Stream {
    rng: ChaCha8Rng,
    clock_s: i64,
    /// When each VM departs, its number, server and memory.
    departures: BinaryHeap<Reverse<(i64, u32, u32, u32)>>,
    /// Numbers of VMs that are gone.
    free: Vec<u32>,
    numbers: u32,
}

impl Stream {
    fn new(seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { rng, clock_s: 0, departures: BinaryHeap::new(), free: Vec::new(), numbers: 0 }
    }

    fn arrival(&mut self) -> Event {
        let vm = self.free.pop().unwrap_or_else(|| {
            self.numbers += 1;
            self.numbers - 1
        });
        let server = self.rng.random_range(0..96);
        let gib = 1 << self.rng.random_range(0..6);
        let life_s = self.rng.random_range(1..2 * ALIVE);
        self.departures.push(Reverse((self.clock_s + life_s, vm, server, gib)));
        Event { time_s: self.clock_s, vm, server, gib, arrives: true }
    }
}

impl Iterator for Stream {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if let Some(&Reverse((time_s, vm, server, gib))) = self.departures.peek()
            && time_s <= self.clock_s
        {
            self.departures.pop();
            self.free.push(vm);
            return Some(Event { time_s, vm, server, gib, arrives: false });
        }
        let event = self.arrival();
        self.clock_s += 1;
        Some(event)
    }
}

fn main() -> Result<(), Error> {
    let events = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let mut policy = LeastLoaded::new(&pod::octopus_96());
    let mut player = Replayer::new(&mut policy);
    player.open_window();
    let started = Instant::now();
    for event in Stream::new(1).take(events) {
        player.play(&event)?;
    }
    let played = player.finish();
    let seconds = started.elapsed().as_secs_f64();
    println!("{} events in {seconds:.2} s, generator included", played.events);
    println!("peak of an MPD: {} GiB", played.peak_mpd_gib);
    println!("allocated {} GiB, released {}", played.allocated_gib, played.released_gib);
    assert_eq!(played.allocated_gib, played.released_gib + played.resident_gib);
    Ok(())
}
