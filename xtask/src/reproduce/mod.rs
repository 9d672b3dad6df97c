//! `reproduce`: the paper's tables and figures, recomputed beside its values.
//!
//! An item is computed from the crates' results, which the [`cache`] keeps;
//! then everything is written at once, so that a report is of one run.

mod cache;
mod classes;
mod demand;
mod drawings;
mod expansion;
mod html;
mod item;
mod markdown;
mod policies;
mod pooling;
mod row;
mod savings;
mod setting;
mod tables;

use std::cell::OnceCell;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::{Context, Result};
use octopus_pool::{Fleet, ReadOptions, SynthOptions};
use serde::Serialize;

use crate::cli::{PlacementKind, ReproduceArgs};
use crate::progress::Progress;
use crate::status::{Status, UsageError};
use crate::{fleet, output};
use cache::Cache;
use item::Item;
use row::Row;
use setting::{Effort, Setting};

/// How an item is computed.
type Make = fn(&Bench) -> Result<Item>;

/// Every item, in the order of the report.
const ITEMS: [(&str, Make); 12] = [
    ("table1", |_| Ok(tables::table_1())),
    ("table2", classes::table_2),
    ("table3", |_| Ok(tables::table_3())),
    ("fig1", |_| drawings::figure_1()),
    ("fig5", demand::figure_5),
    ("fig6", expansion::figure_6),
    ("fig7", |_| drawings::figure_7()),
    ("savings", savings::savings),
    ("fig13", pooling::figure_13),
    ("fig14", pooling::figure_14),
    ("fig16", pooling::figure_16),
    ("policies", policies::policies),
];

/// Draws of the trace that pods are taken from in turn: their luck differs by as
/// much as that of pods.
const DRAWS: NonZeroUsize = NonZeroUsize::new(10).expect("ten");

/// The items that read the trace. They come first, so that a trace that is no
/// good is found out before anything long is begun or anything is written.
const ON_TRACE: [&str; 7] = ["fig5", "savings", "table2", "fig13", "fig14", "fig16", "policies"];

/// What items are computed with.
pub(crate) struct Bench {
    setting: Setting,
    cache: Cache,
    progress: Progress,
    /// Hash of the trace file, where one is given.
    trace: Option<String>,
    /// The trace on its servers, drawn several times.
    fleets: OnceCell<Vec<Fleet>>,
}

/// What a result on the trace follows from, beside its own inputs.
#[derive(Clone, Debug, Serialize)]
struct TraceInputs {
    trace: Option<String>,
    seed: u64,
}

impl Bench {
    fn new(args: &ReproduceArgs, steps: usize) -> Result<Self> {
        let effort = match (args.quick, args.deep) {
            (true, _) => Effort::Quick,
            (false, true) => Effort::Deep,
            (false, false) => Effort::Usual,
        };
        let trace = args.trace.as_deref().map(hash_file).transpose()?;
        let folder = (!args.no_cache).then(|| args.out.join(".cache"));
        Ok(Self {
            setting: Setting {
                effort,
                seed: args.draw.seed,
                jobs: args.draw.jobs(),
                trace: args.trace.clone(),
            },
            cache: Cache::open(folder)?,
            progress: Progress::new(steps as u64),
            trace,
            fleets: OnceCell::new(),
        })
    }

    fn trace_inputs(&self) -> TraceInputs {
        TraceInputs { trace: self.trace.clone(), seed: self.setting.seed }
    }

    /// The draws of the trace on its servers, read when they are first needed.
    fn fleets(&self) -> Result<&[Fleet]> {
        if let Some(fleets) = self.fleets.get() {
            return Ok(fleets);
        }
        self.progress.say(format!("reading {}", self.setting.trace_name()));
        let Setting { seed, jobs, ref trace, .. } = self.setting;
        let fleets = fleet::draws(seed, DRAWS, jobs, |seed| match trace {
            Some(path) => {
                let options = ReadOptions { seed, ..ReadOptions::default() };
                fleet::read(path, &options, PlacementKind::Random)
            }
            None => fleet::synthetic(SynthOptions::default(), seed),
        })?;
        Ok(self.fleets.get_or_init(|| fleets))
    }

    /// The first of the draws.
    fn fleet(&self) -> Result<&Fleet> {
        self.fleets()?.first().context("no draw of the trace")
    }

    /// Servers that every draw has.
    fn fleet_servers(&self) -> Result<usize> {
        Ok(self.fleets()?.iter().map(Fleet::servers).min().unwrap_or(0))
    }

    /// The trace and what was done to it, in words.
    fn trace_in_words(&self) -> Result<String> {
        let words =
            self.cache.get("trace", &self.trace_inputs(), || Ok(fleet::describe(self.fleet()?)))?;
        Ok(format!("{}: {words}", self.setting.trace_name()))
    }
}

fn hash_file(path: &Path) -> Result<String> {
    let read = || -> std::io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path)?)?;
        Ok(hasher.finalize().to_hex().to_string())
    };
    read().with_context(|| path.display().to_string())
}

/// Computes the items asked for and writes the report.
///
/// # Errors
///
/// An unknown item, a trace that cannot be used, a folder that cannot be
/// written.
pub(crate) fn run(args: &ReproduceArgs) -> Result<Status> {
    let chosen = chosen(&args.only)?;
    let bench = Bench::new(args, chosen.len())?;
    let mut made: Vec<Option<Item>> = vec![None; chosen.len()];
    for on_trace in [true, false] {
        for (slot, (id, make)) in made.iter_mut().zip(&chosen) {
            if ON_TRACE.contains(id) == on_trace {
                bench.progress.say(*id);
                *slot = Some(make(&bench).with_context(|| (*id).to_owned())?);
                bench.progress.step();
            }
        }
    }
    let items: Vec<Item> = made.into_iter().flatten().collect();
    write(&args.out, &items, &bench.setting)?;
    let hits = bench.cache.hits();
    drop(bench);
    output::note(&format!("{hits} results read from the cache"));
    output::print(&format!("{}\n", args.out.join("report.html").display()))?;
    Ok(Status::Done)
}

/// The items of `--only`, in the report's order; all where none are named.
fn chosen(only: &[String]) -> Result<Vec<(&'static str, Make)>> {
    if let Some(id) = only.iter().find(|id| ITEMS.iter().all(|(known, _)| known != id)) {
        let known = ITEMS.map(|(known, _)| known).join(", ");
        return Err(UsageError::UnknownItem { id: id.clone(), known }.into());
    }
    let wanted = |id: &str| only.is_empty() || only.iter().any(|only| only == id);
    Ok(ITEMS.into_iter().filter(|(id, _)| wanted(id)).collect())
}

fn write(out: &Path, items: &[Item], setting: &Setting) -> Result<()> {
    for item in items {
        let csv = item.table.to_csv();
        output::write_file(&out.join(format!("{}.csv", item.id)), csv.as_bytes())?;
        if let Some(svg) = item.svg() {
            output::write_file(&out.join(format!("{}.svg", item.id)), svg.as_bytes())?;
        }
    }
    let rows: Vec<&Row> = items.iter().flat_map(|item| &item.rows).collect();
    let summary = serde_json::to_string_pretty(&rows)? + "\n";
    output::write_file(&out.join("summary.json"), summary.as_bytes())?;
    output::write_file(&out.join("report.md"), markdown::page(items, setting).as_bytes())?;
    output::write_file(&out.join("report.html"), html::page(items, setting).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_the_reports_order_and_once() {
        let only = ["fig7", "table1", "fig7"].map(str::to_owned);
        let ids: Vec<_> = chosen(&only).unwrap().into_iter().map(|(id, _)| id).collect();
        assert_eq!(ids, ["table1", "fig7"]);
        assert_eq!(chosen(&[]).unwrap().len(), ITEMS.len());
        let error = chosen(&["fig99".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("fig99") && error.contains("table1, table2"));
    }

    #[test]
    fn every_item_on_the_trace_is_an_item() {
        assert!(ON_TRACE.iter().all(|id| ITEMS.iter().any(|(known, _)| known == id)));
    }
}
