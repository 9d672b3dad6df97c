//! `inspect`: verify and measure any topology, ours or not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use anyhow::Result;
use comfy_table::{Table, presets};
use octopus_design::expansion::{self, Expansion, Options};
use octopus_design::{IslandId, Topology, measure, verify};
use serde::Serialize;

use crate::cli::InspectArgs;
use crate::progress::Progress;
use crate::status::Status;
use crate::{output, source};

/// Expansion is shown up to here where nothing is asked for: an answer in
/// seconds for a pod of a hundred servers.
const DEFAULT_MAX_K: usize = 8;

/// What `inspect --json` prints; the contract fixes the names.
#[derive(Debug, Serialize)]
struct Report {
    name: String,
    server_ports: usize,
    mpd_ports: usize,
    servers: usize,
    mpds: usize,
    links: usize,
    server_degree: [usize; 2],
    mpd_degree: [usize; 2],
    connected: bool,
    shared_mpds: BTreeMap<usize, u64>,
    mpd_hops: BTreeMap<String, u64>,
    spectral_gap: f64,
    islands: Vec<Island>,
    expansion: Vec<Point>,
    violations: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Island {
    servers: usize,
    pairwise_overlap: bool,
}

/// One e_k.
#[derive(Debug, Serialize)]
struct Point {
    k: usize,
    lower: usize,
    upper: usize,
    exact: bool,
    /// Sets the proof looked at: what it takes to prove it again.
    visited: u64,
    witness: Vec<usize>,
}

impl From<&Expansion> for Point {
    fn from(found: &Expansion) -> Self {
        Self {
            k: found.k,
            lower: found.lower,
            upper: found.upper,
            exact: found.is_exact(),
            visited: found.visited,
            witness: found.witness.iter().map(|server| server.index()).collect(),
        }
    }
}

/// Measures the topology and checks what it claims.
///
/// A false claim ends with status 1, its measures printed all the same. With
/// `--max-k` or `--time-s` given, an e_k left unproved ends with status 3.
///
/// # Errors
///
/// See [`source::topology`].
pub(crate) fn run(args: &InspectArgs) -> Result<Status> {
    let pod = source::topology(&args.topology, args.draw.seed)?;
    // The crate's measures share their work among the threads of this pool.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.draw.jobs().get()).build()?;
    let report = threads.install(|| measure(&pod, args));
    let text = if args.json { serde_json::to_string(&report)? + "\n" } else { tables(&report) };
    output::print(&text)?;

    let asked = args.max_k.is_some() || args.time_s.is_some();
    let unproved = report.expansion.iter().filter(|point| !point.exact).count();
    if let Some(first) = report.violations.first() {
        let others = report.violations.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} more)") };
        output::complain(&format!("{}: {first}{more}", args.topology));
        Ok(Status::No)
    } else if asked && unproved > 0 {
        output::complain(&format!("{unproved} of the e_k asked for were not proved in the budget"));
        Ok(Status::OutOfBudget)
    } else {
        Ok(Status::Done)
    }
}

fn measure(pod: &Topology, args: &InspectArgs) -> Report {
    let max_k = args.max_k.unwrap_or(DEFAULT_MAX_K).min(pod.servers());
    let progress = Progress::new(max_k as u64);
    progress.say("checking claims");
    let violations = verify::claims(pod);
    progress.say("counting pairs");
    let hops = measure::mpd_hops(pod);
    let mut mpd_hops: BTreeMap<String, u64> =
        hops.pairs.iter().map(|(mpds, pairs)| (mpds.to_string(), *pairs)).collect();
    if hops.unreachable > 0 {
        mpd_hops.insert("unreachable".to_owned(), hops.unreachable);
    }
    let options = Options {
        max_k,
        seed: args.draw.seed,
        jobs: args.draw.jobs().get(),
        deadline: args.time_s.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds)),
        work_per_k: args.work_per_k.unwrap_or(Options::default().work_per_k),
        ..Options::default()
    };
    let found = expansion::profile(pod, &options, &mut |step| {
        progress.follow(pod.name(), step);
        if let expansion::Progress::Settled(found) = step {
            progress.step();
            progress.leave(format!(
                "e_{}: {} to {}, {} sets",
                found.k, found.lower, found.upper, found.visited
            ));
        }
        ControlFlow::Continue(())
    });
    let holds = |island: usize| {
        let of_island = |violation: &verify::Violation| {
            matches!(violation,
            verify::Violation::NoOverlap { island: IslandId(at), .. } if *at == island)
        };
        !violations.iter().any(of_island)
    };
    let islands = pod.islands().iter().enumerate();
    Report {
        name: pod.name().to_owned(),
        server_ports: pod.server_ports(),
        mpd_ports: pod.mpd_ports(),
        servers: pod.servers(),
        mpds: pod.mpds(),
        links: pod.links(),
        server_degree: [*pod.server_degree().start(), *pod.server_degree().end()],
        mpd_degree: [*pod.mpd_degree().start(), *pod.mpd_degree().end()],
        connected: measure::connected(pod),
        shared_mpds: measure::shared_mpds(pod),
        mpd_hops,
        spectral_gap: measure::spectrum(pod).gap,
        islands: islands
            .map(|(at, island)| Island { servers: island.len(), pairwise_overlap: holds(at) })
            .collect(),
        expansion: found.iter().map(Point::from).collect(),
        violations: violations.iter().map(ToString::to_string).collect(),
    }
}

fn tables(report: &Report) -> String {
    let plain = || {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table
    };
    let range = |[least, most]: [usize; 2]| {
        if least == most { least.to_string() } else { format!("{least} to {most}") }
    };
    let counts = |counts: &mut dyn Iterator<Item = (String, u64)>| {
        counts.map(|(what, pairs)| format!("{what}: {pairs}")).collect::<Vec<_>>().join("   ")
    };
    let mut table = plain();
    let Report { servers, mpds, links, .. } = report;
    table.add_row(["servers, MPDs, links", &format!("{servers}, {mpds}, {links}")]);
    table.add_row([
        "links of a server",
        &format!("{} (X = {})", range(report.server_degree), report.server_ports),
    ]);
    table.add_row([
        "links of an MPD",
        &format!("{} (N = {})", range(report.mpd_degree), report.mpd_ports),
    ]);
    table.add_row(["connected", if report.connected { "yes" } else { "no" }]);
    table.add_row(["spectral gap", &format!("{:.4}", report.spectral_gap)]);
    let mut shared = report.shared_mpds.iter().map(|(mpds, pairs)| (mpds.to_string(), *pairs));
    table.add_row(["pairs by shared MPDs", &counts(&mut shared)]);
    let mut hops = report.mpd_hops.iter().map(|(mpds, pairs)| (mpds.clone(), *pairs));
    table.add_row(["pairs by MPDs crossed", &counts(&mut hops)]);
    for (number, island) in report.islands.iter().enumerate() {
        let overlap =
            if island.pairwise_overlap { "every pair overlaps" } else { "NOT every pair overlaps" };
        table.add_row([
            &format!("island I{number}"),
            &format!("{} servers, {overlap}", island.servers),
        ]);
    }

    let mut expansion = plain();
    expansion.set_header(["k", "e_k", "proved", "witness"]);
    for point in &report.expansion {
        let value = range([point.lower, point.upper]);
        let proved = if point.exact { "exact" } else { "bounds" };
        let witness: Vec<_> = point.witness.iter().map(|server| format!("S{server}")).collect();
        expansion.add_row([&point.k.to_string(), &value, proved, &witness.join(" ")]);
    }
    let mut text = format!("{}\n\n{}\n\n{}\n", report.name, table.trim_fmt(), expansion.trim_fmt());
    if !report.violations.is_empty() {
        text.push_str("\nviolated:\n");
    }
    for violation in &report.violations {
        // Writing to a String does not fail.
        let _ = writeln!(text, " {violation}");
    }
    text
}
