//! VM traces, read or drawn, and put on servers.

use std::fmt::Write;
use std::path::Path;

use crate::cli::PlacementKind;
use anyhow::Result;
use octopus_pool::{Fleet, Placement, ReadOptions, SynthOptions};

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
