//! `pool`: what a topology saves on a VM trace.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context, Result};
use comfy_table::{Table, presets};
use octopus_design::expansion;
use octopus_pool::{
    Fleet, Format, MpdFailure, Options, PolicyKind, ReadOptions, Savings, SynthOptions,
};
use serde::Serialize;

use crate::cli::{Policy, PoolArgs, TraceFormat};
use crate::progress::Progress;
use crate::status::Status;
use crate::{fleet, output, source};

/// Up to this k the expansion is searched for Theorem A.1: few servers are hot
/// at once, and the search takes a moment only.
const THEOREM_MAX_K: usize = 8;

/// What `pool --json` prints: the crate's figures and how they came to be.
#[derive(Debug, Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    savings: &'a Savings,
    #[serde(skip_serializing_if = "Option::is_none")]
    mpd_failure: Option<MpdFailure>,
    trace: String,
    timing: Timing,
}

#[derive(Debug, Serialize)]
struct Timing {
    seconds: f64,
}

/// Replays random pods of the topology's size and prints what they save.
///
/// # Errors
///
/// A topology or trace that cannot be used.
pub(crate) fn run(args: &PoolArgs) -> Result<Status> {
    let pod = source::topology(&args.topology, args.draw.seed)?;
    let progress = Progress::new(1);
    let pooled_fraction = pooled_fraction(args)?;
    progress.say("reading the trace");
    let fleets = read(args)?;
    progress.say("expansion, for Theorem A.1");
    let options = expansion::Options {
        max_k: THEOREM_MAX_K.min(pod.servers()),
        seed: args.draw.seed,
        jobs: args.draw.jobs().get(),
        ..expansion::Options::default()
    };
    let found = expansion::profile(&pod, &options, &mut |step| {
        progress.follow(pod.name(), step);
        ControlFlow::Continue(())
    });
    let mut expansion: Vec<usize> = found.iter().map(|e| e.lower).collect();
    if expansion.contains(&0) {
        // A server without links: the theorem divides by its expansion.
        expansion.clear();
    }
    progress.say(format!("replaying {} pods", args.pods));
    let started = Instant::now();
    let options = Options {
        policy: match args.policy {
            Policy::LeastLoaded => PolicyKind::LeastLoaded,
            Policy::Striped => PolicyKind::Striped,
            Policy::BoundedMigration => PolicyKind::BoundedMigration,
            Policy::GlobalPool => PolicyKind::GlobalPool,
            Policy::Optimum => PolicyKind::Optimum,
        },
        pods: args.pods.get(),
        pooled_fraction,
        margin: args.margin,
        mpd_capacity_gib: args.mpd_capacity_gib,
        mpd_sizes_gib: args.mpd_sizes_gib.clone(),
        stripe_links: args.stripe_links,
        fail_links: args.fail_links,
        window: None,
        seed: args.draw.seed,
        jobs: args.draw.jobs().get(),
        bounds: true,
        expansion,
    };
    let savings = octopus_pool::evaluate(&pod, &fleets, &options)?;
    let mpd_failure =
        args.fail_mpd.then(|| octopus_pool::mpd_failure(&pod, &fleets, &options)).transpose()?;
    let timing = Timing { seconds: started.elapsed().as_secs_f64() };
    drop(progress);
    let trace = fleets
        .first()
        .map_or(String::new(), |fleet| format!("{}: {}", fleet.source(), fleet::describe(fleet)));
    let text = if args.json {
        serde_json::to_string(&Report { savings: &savings, mpd_failure, trace, timing })? + "\n"
    } else {
        table(&savings, mpd_failure.as_ref(), &trace, &timing)
    };
    output::print(&text)?;
    Ok(Status::Done)
}

/// The part of memory that is pooled: as given, or as workloads tolerate.
fn pooled_fraction(args: &PoolArgs) -> Result<f64> {
    let (Some(path), Some(latency_ns)) = (&args.slowdowns, args.latency_ns) else {
        return Ok(args.pooled_fraction);
    };
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| name.clone())?;
    let found = octopus_pool::tolerated_fraction(file, &name, latency_ns, args.tolerated)?;
    output::note(&format!(
        "{:.1}% of {} workloads tolerate {latency_ns} ns ({} of them measured on one side of it only)",
        100.0 * found.fraction,
        found.workloads,
        found.extrapolated
    ));
    Ok(found.fraction)
}

/// The trace on its servers, as often as is asked for.
fn read(args: &PoolArgs) -> Result<Vec<Fleet>> {
    let draws = args.draws.min(args.pods);
    fleet::draws(args.draw.seed, draws, args.draw.jobs(), |seed| read_one(args, seed))
}

fn read_one(args: &PoolArgs, seed: u64) -> Result<Fleet> {
    let format = match args.format {
        None | Some(TraceFormat::Synthetic) if args.trace.as_os_str() == "synthetic" => {
            return fleet::synthetic(SynthOptions::default(), seed);
        }
        Some(TraceFormat::Synthetic) => {
            let name = args.trace.display().to_string();
            let text = fs::read_to_string(&args.trace).with_context(|| name.clone())?;
            return fleet::synthetic(SynthOptions::from_toml(&text, &name)?, seed);
        }
        None => None,
        Some(TraceFormat::Plain) => Some(Format::Plain),
        Some(TraceFormat::AzureWindow) => Some(Format::AzureWindow),
        Some(TraceFormat::AzureV1) => Some(Format::AzureV1),
        Some(TraceFormat::AzureV2) => Some(Format::AzureV2),
        Some(TraceFormat::AzurePacking) => Some(Format::AzurePacking),
        Some(TraceFormat::Parquet) => Some(Format::Parquet),
        Some(TraceFormat::HuaweiEast) => Some(Format::HuaweiEast),
    };
    let (lenient, machine) = (args.lenient, args.machine);
    let warm_up = args.warm_up;
    let options = ReadOptions { format, warm_up, lenient, machine, seed, ..ReadOptions::default() };
    fleet::read(&args.trace, &options, args.placement)
}

fn table(savings: &Savings, failure: Option<&MpdFailure>, trace: &str, timing: &Timing) -> String {
    let percent = |share: f64| format!("{:.2}%", 100.0 * share);
    let gib = |gib: Option<f64>| gib.map_or("–".to_owned(), |gib| format!("{gib:.1} GiB"));
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let ci = savings.savings_ci95.map_or(String::new(), |ci| format!(" ± {}", percent(ci)));
    table.add_row([
        "saved, of all DRAM",
        &format!("{}{ci} (95% of the mean)", percent(savings.savings_mean)),
    ]);
    table.add_row([
        "spread between pods",
        &format!(
            "sd {}, {} to {}",
            percent(savings.savings_sd),
            percent(savings.savings_min),
            percent(savings.savings_max)
        ),
    ]);
    if let Some(sd) = savings.savings_draw_sd {
        let draws = format!("sd {} of the mean of each of {}", percent(sd), savings.draws);
        table.add_row(["spread between draws", &draws]);
    }
    table.add_row(["saved, of pooled memory", &percent(savings.savings_of_pooled_mean)]);
    table.add_row([
        "policy",
        &format!("{}, {} of memory pooled", savings.policy, percent(savings.pooled_fraction)),
    ]);
    table.add_row([
        "pods",
        &format!(
            "{} of {} servers from a fleet of {}",
            savings.pods, savings.servers, savings.fleet_servers
        ),
    ]);
    table.add_row(["busiest MPD's peak", &gib(Some(savings.peak_mpd_gib_mean))]);
    table.add_row(["least peak of any policy", &gib(savings.lower_bound_gib_mean)]);
    table.add_row(["Theorem A.1", &gib(savings.theorem_a1_gib_mean)]);
    if savings.policy == PolicyKind::BoundedMigration {
        table.add_row([
            "moved between MPDs",
            &format!(
                "{} of what was allocated, {:.3} GiB an hour a server, at most {} GiB for one VM",
                percent(savings.moved_fraction),
                savings.moved_gib_per_server_hour,
                savings.largest_burst_gib
            ),
        ]);
    }
    if let Some(capacity_gib) = savings.mpd_capacity_gib {
        table.add_row(["an MPD holds", &format!("{capacity_gib} GiB")]);
    }
    if savings.fail_links > 0.0 {
        table.add_row(["failed links", &percent(savings.fail_links)]);
    }
    if savings.mpd_capacity_gib.is_some() || savings.spilled_gib_fraction > 0.0 {
        table.add_row([
            "found no room",
            &format!(
                "{} of the memory, of {} of the VMs",
                percent(savings.spilled_gib_fraction),
                percent(savings.spilled_vms_fraction)
            ),
        ]);
    }
    if let Some(failure) = failure {
        table.add_row([
            "an MPD that fails",
            &format!(
                "takes {:.1} VMs and {:.1} GiB along; the busiest peak of the rest is {} higher",
                failure.vms.mean,
                failure.gib.mean,
                percent(failure.peak_rise.mean)
            ),
        ]);
        if let Some(spilled) = &failure.spilled_vms_fraction {
            table.add_row([
                "on MPDs of the peak's size",
                &format!("{} of the VMs then find no room", percent(spilled.mean)),
            ]);
        }
    }
    table.add_row(["replayed", &format!("{} events in {:.2} s", savings.events, timing.seconds)]);
    format!("{} on {trace}\n\n{}\n", savings.topology, table.trim_fmt())
}
