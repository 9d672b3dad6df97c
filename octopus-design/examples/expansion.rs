//! The expansion of a topology file, with the proof's state.
//!
//! `cargo run --release --example expansion -- FILE [MAX_K]`, where `-` stands
//! for standard input and `MAX_K` for 12 if it is absent.

use std::ops::ControlFlow::Continue;
use std::process::ExitCode;
use std::time::Instant;

use octopus_design::expansion::{Options, Progress, profile};
use octopus_design::{Topology, format};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, max_k) = match &arguments[..] {
        [file] => (file, Ok(12)),
        [file, max_k] => (file, max_k.parse()),
        _ => return refuse("usage: expansion FILE [MAX_K]"),
    };
    let Ok(max_k) = max_k else {
        return refuse(&format!("MAX_K is {}, expected a number", arguments[1]));
    };
    match read(file) {
        Ok(pod) => print(&pod, max_k),
        Err(message) => return refuse(&format!("{file}: {message}")),
    }
    ExitCode::SUCCESS
}

fn refuse(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::from(2)
}

fn read(file: &str) -> Result<Topology, String> {
    let pod = if file == "-" {
        format::read("stdin", std::io::stdin().lock())
    } else {
        let opened = std::fs::File::open(file).map_err(|error| error.to_string())?;
        format::read(file, opened)
    };
    pod.map_err(|error| error.to_string())
}

fn print(pod: &Topology, max_k: usize) {
    println!("{}: {} servers, {} MPDs", pod.name(), pod.servers(), pod.mpds());
    println!("{:>3} {:>6} {:>6} {:>6} {:>12} {:>8}", "k", "lower", "upper", "exact", "sets", "s");
    let mut start = Instant::now();
    let options = Options { max_k, ..Options::default() };
    profile(pod, &options, &mut |progress| {
        if let Progress::Settled(e) = progress {
            let (exact, seconds) = (if e.is_exact() { "yes" } else { "no" }, start.elapsed());
            let (k, lower, upper, sets) = (e.k, e.lower, e.upper, e.visited);
            let seconds = seconds.as_secs_f64();
            println!("{k:>3} {lower:>6} {upper:>6} {exact:>6} {sets:>12} {seconds:>8.2}");
            start = Instant::now();
        }
        Continue(())
    });
}
