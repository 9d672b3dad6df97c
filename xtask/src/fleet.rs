//! VM traces, read or drawn, and put on servers.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::cli::PlacementKind;
use anyhow::Result;
use octopus_pool::{Fleet, Placement, ReadOptions, SynthOptions, WarmUp};
use rayon::prelude::*;

/// Several draws of the same trace: where each VM goes, and whatever else of it
/// is random. One where nothing is.
///
/// # Errors
///
/// What `of` says of the first seed it fails for.
pub(crate) fn draws(
    seed: u64,
    draws: NonZeroUsize,
    jobs: NonZeroUsize,
    of: impl Fn(u64) -> Result<Fleet> + Sync,
) -> Result<Vec<Fleet>> {
    let first = of(seed)?;
    let is_random = matches!(first.placement(), Placement::RandomFeasible { .. })
        || first.warm_up() != WarmUp::None;
    let mut fleets = vec![first];
    if is_random {
        // Far apart, so that runs of neighbouring seeds share no draw.
        let seeds = (1..draws.get() as u64).map(|draw| seed.wrapping_add(draw << 32));
        let seeds: Vec<u64> = seeds.collect();
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build()?;
        let more: Vec<Result<Fleet>> = threads.install(|| seeds.into_par_iter().map(&of).collect());
        fleets.extend(more.into_iter().collect::<Result<Vec<_>>>()?);
    }
    Ok(fleets)
}

/// Reads a trace file and puts its VMs on servers: the hosts it names, or
/// those that `kind` gives.
///
/// # Errors
///
/// Whatever is wrong with the file, with its name and line.
pub(crate) fn read(path: &Path, options: &ReadOptions, kind: PlacementKind) -> Result<Fleet> {
    let trace = octopus_pool::read_trace(path, options)?;
    let placement = match (Placement::for_trace(&trace, options.seed), kind) {
        (
            Placement::RandomFeasible { size, peak_core_use, servers, .. },
            PlacementKind::BestFit,
        ) => Placement::BestFit { size, peak_core_use, servers },
        (
            Placement::RandomFeasible { size, peak_core_use, servers, .. },
            PlacementKind::WorstFit,
        ) => Placement::WorstFit { size, peak_core_use, servers },
        (given, _) => given,
    };
    Ok(octopus_pool::place(&trace, &placement)?)
}

/// The synthetic trace, on its own hosts.
///
/// # Errors
///
/// What the crate refuses of the parameters.
pub(crate) fn synthetic(options: SynthOptions, seed: u64) -> Result<Fleet> {
    let seed = options.seed.wrapping_add(seed);
    let trace = octopus_pool::synthesize(&SynthOptions { seed, ..options })?;
    Ok(octopus_pool::place(&trace, &Placement::Given)?)
}

/// In one sentence: where the VMs come from, how they got their servers, what
/// the population at the start is, and what was left out.
pub(crate) fn describe(fleet: &Fleet) -> String {
    let days = (fleet.window().end - fleet.window().start) as f64 / 86_400.0;
    let mut text = format!(
        "{} VMs over {days:.1} days on {} servers; placement: {}; start: {}",
        fleet.vms().len(),
        fleet.servers(),
        fleet.placement(),
        fleet.warm_up()
    );
    for cleaned in fleet.cleaning() {
        let what = if cleaned.rule.dropped() { "dropped" } else { "marked" };
        // Writing to a String does not fail.
        let _ = write!(text, "; {} rows {what} as {}", cleaned.rows, cleaned.rule);
    }
    text
}
