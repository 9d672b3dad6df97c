//! Reads a topology (JSON or edge list) from a file, or from standard input
//! without one, and says whether its claims hold and what its wiring is worth.
//!
//! ```sh
//! printf 'server,mpd\n0,0\n1,0\n1,1\n2,1\n' | cargo run --example inspect_file
//! ```

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use octopus_design::measure::{connected, mpd_hops, shared_mpds, spectrum};
use octopus_design::verify::claims;
use octopus_design::{Topology, format};

fn main() -> ExitCode {
    let path = std::env::args().nth(1);
    let source: io::Result<Box<dyn Read>> = match &path {
        Some(path) => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
        None => Ok(Box::new(io::stdin())),
    };
    let name = path.as_deref().unwrap_or("stdin");
    let pod =
        source.map_err(octopus_design::Error::Read).and_then(|source| format::read(name, source));
    match pod {
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(2)
        }
        // A reader that has seen enough closes the pipe: no fault of the pod's.
        Ok(pod) => print(&pod).unwrap_or(ExitCode::SUCCESS),
    }
}

fn print(pod: &Topology) -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let (servers, mpds, links) = (pod.servers(), pod.mpds(), pod.links());
    writeln!(out, "{}: {servers} servers, {mpds} MPDs, {links} links", pod.name())?;
    writeln!(out, "connected: {}", connected(pod))?;
    for (shared, pairs) in shared_mpds(pod) {
        writeln!(out, "pairs sharing {shared} MPDs: {pairs}")?;
    }
    let hops = mpd_hops(pod);
    for (mpds, pairs) in &hops.pairs {
        writeln!(out, "pairs whose messages cross {mpds} MPDs: {pairs}")?;
    }
    writeln!(out, "pairs that cannot reach each other: {}", hops.unreachable)?;
    writeln!(out, "spectral gap: {:.6}", spectrum(pod).gap)?;
    let violations = claims(pod);
    for violation in &violations {
        writeln!(out, "false claim: {violation}")?;
    }
    Ok(if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
