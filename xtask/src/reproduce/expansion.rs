//! Figure 6: expansion, exact values told from bounds.

use std::ops::ControlFlow;

use anyhow::Result;
use octopus_design::expansion::{self, Expansion, Options};
use octopus_design::pod::{self, JellyfishSpec};
use octopus_design::{ServerId, Topology, format};
use serde::{Deserialize, Serialize};

use super::Bench;
use super::item::{Drawing, Item, Table};
use super::row::{Kind, Row, Value, Verdict};
use super::setting::Effort;
use crate::draw::plot::{self, Axes, Room, Series};

/// The figure's last k.
pub(crate) const MAX_K: usize = 25;

/// One e_k, as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bounds {
    /// The number of hot servers.
    pub(crate) k: usize,
    /// Proved.
    pub(crate) lower: usize,
    /// Reached by a set of servers.
    pub(crate) upper: usize,
    /// Whether the proof was not run now but is kept with the wiring.
    pub(crate) kept: bool,
}

impl Bounds {
    /// Whether e_k is known.
    pub(crate) fn exact(self) -> bool {
        self.lower == self.upper
    }

    /// The value, or both bounds.
    pub(crate) fn shown(self) -> String {
        if self.exact() {
            self.upper.to_string()
        } else {
            format!("{}–{}", self.lower, self.upper)
        }
    }
}

/// A pod of the figure.
pub(crate) struct Subject {
    /// As in the legend.
    pub(crate) name: &'static str,
    /// Its wiring.
    pub(crate) pod: Topology,
}

/// A random biregular pod of 96 servers; how often two servers share is not limited.
///
/// # Errors
///
/// If none was found for this seed.
pub(crate) fn jellyfish_96(seed: u64) -> Result<Topology> {
    jellyfish(96, 8, 4, seed)
}

/// The same of any size.
///
/// # Errors
///
/// If there is none, or none was found for this seed.
pub(crate) fn jellyfish(
    servers: usize,
    server_ports: usize,
    mpd_ports: usize,
    seed: u64,
) -> Result<Topology> {
    let spec = JellyfishSpec { servers, server_ports, mpd_ports, max_shared: None };
    Ok(pod::jellyfish(&spec, seed)?)
}

/// The pods of the figure, in the order of its legend.
///
/// # Errors
///
/// If one of them cannot be built.
pub(crate) fn subjects(seed: u64) -> Result<Vec<Subject>> {
    Ok(vec![
        Subject { name: "BIBD-25", pod: pod::bibd(25, 4)? },
        Subject { name: "Octopus-96", pod: pod::octopus_96() },
        Subject { name: "Jellyfish-96", pod: jellyfish_96(seed)? },
        Subject { name: "Xpander-96", pod: pod::xpander(96, 8, 4, seed)? },
        Subject { name: "Octopus-64", pod: pod::octopus_64() },
    ])
}

/// What one e_k follows from.
#[derive(Serialize)]
struct Inputs<'a> {
    topology: &'a str,
    k: usize,
    work_per_k: u64,
    seed: u64,
}

/// [`Expansion`], as the cache keeps it.
#[derive(Serialize, Deserialize)]
struct Settled {
    k: usize,
    lower: usize,
    upper: usize,
    witness: Vec<usize>,
    visited: u64,
}

impl From<&Expansion> for Settled {
    fn from(found: &Expansion) -> Self {
        let Expansion { k, lower, upper, ref witness, visited } = *found;
        let witness = witness.iter().map(|server| server.index()).collect();
        Self { k, lower, upper, witness, visited }
    }
}

impl From<Settled> for Expansion {
    fn from(settled: Settled) -> Self {
        let Settled { k, lower, upper, witness, visited } = settled;
        Self { k, lower, upper, witness: witness.into_iter().map(ServerId).collect(), visited }
    }
}

impl Bench {
    /// The expansion of a pod up to [`MAX_K`]; the larger k of a shipped pod as
    /// kept with its wiring, unless the effort is deep.
    ///
    /// # Errors
    ///
    /// A cache that cannot be written.
    pub(crate) fn expansion(&self, name: &str, pod: &Topology) -> Result<Vec<Bounds>> {
        let kept = expansion::kept(pod);
        let (work_per_k, live_k) = match self.setting.effort {
            Effort::Quick => (200_000, 12),
            Effort::Usual => (4_000_000, 16),
            Effort::Deep => (1_000_000_000_000, MAX_K),
        };
        // what is kept with a wiring is proved again up to here only
        let max_k = if kept.len() > live_k { live_k } else { MAX_K };
        let found = self.proved(name, pod, max_k, work_per_k)?;
        let bounds = |e: &Expansion, upper, kept| Bounds { k: e.k, lower: e.lower, upper, kept };
        let live = found.iter().map(|e| bounds(e, e.upper, false));
        // a witness needs no trust: it is counted again
        let later = kept.iter().filter(|e| e.k > max_k && e.k <= MAX_K);
        let later = later.map(|e| bounds(e, pod.neighborhood(&e.witness), true));
        Ok(live.chain(later).collect())
    }

    /// Proves, and keeps each e_k as soon as it is settled, so that a run that
    /// is interrupted after hours goes on where it was.
    fn proved(
        &self,
        name: &str,
        pod: &Topology,
        max_k: usize,
        work_per_k: u64,
    ) -> Result<Vec<Expansion>> {
        let seed = self.setting.seed;
        let topology = format::to_json(pod);
        let inputs = |k| Inputs { topology: &topology, k, work_per_k, seed };
        let mut known = Vec::new();
        for k in 1..=max_k.min(pod.servers()) {
            match self.cache.find::<Settled>("expansion", &inputs(k))? {
                Some(settled) => known.push(settled.into()),
                None => break,
            }
        }
        let jobs = self.setting.jobs.get();
        let options = Options { max_k, seed, jobs, work_per_k, ..Options::default() };
        let mut failed = None;
        let known = expansion::resume(pod, known, &options, &mut |step| {
            self.progress.follow(name, step);
            if let expansion::Progress::Settled(found) = step {
                let kept = self.cache.keep("expansion", &inputs(found.k), &Settled::from(*found));
                failed = kept.err();
            }
            if failed.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        failed.map_or(Ok(known), Err)
    }
}

/// Figure 6.
///
/// # Errors
///
/// If a pod cannot be built or measured.
pub(crate) fn figure_6(bench: &Bench) -> Result<Item> {
    let subjects = subjects(bench.setting.seed)?;
    let mut found = Vec::new();
    for Subject { name, pod } in &subjects {
        found.push((*name, bench.expansion(name, pod)?));
    }
    let axes = Axes {
        id: "fig6",
        x: "k, hot servers",
        y: "MPDs the worst k servers reach",
        x_step: 5.0,
        level: None,
        hollow: Some("hollow: bounds only"),
    };
    let series: Vec<Series> = found.iter().map(|(name, bounds)| series(name, bounds)).collect();
    let head = std::iter::once("k").chain(found.iter().map(|(name, _)| *name));
    let mut table = Table { head: head.map(str::to_owned).collect(), rows: Vec::new() };
    for k in 1..=MAX_K {
        let values =
            found.iter().map(|(_, bounds)| at(bounds, k).map_or(String::new(), Bounds::shown));
        table.rows.push(std::iter::once(k.to_string()).chain(values).collect());
    }
    let kept: Vec<String> = found
        .iter()
        .filter_map(|(name, bounds)| {
            let kept: Vec<Bounds> = bounds.iter().copied().filter(|bounds| bounds.kept).collect();
            (!kept.is_empty()).then(|| format!("{name} {}", span(&kept)))
        })
        .collect();
    let kept = if kept.is_empty() {
        String::new()
    } else {
        format!(
            " Of these, {} were proved before and are kept with the wiring; their sets were counted \
             again now, and `--deep` proves them again.",
            kept.join("; ")
        )
    };
    let proved: Vec<String> =
        found.iter().map(|(name, bounds)| format!("{name} {}", span(bounds))).collect();
    Ok(Item {
        id: "fig6",
        title: "Figure 6. Expansion",
        caption: "How many MPDs the k servers reach that together reach the fewest: the more, the \
                  further their excess demand can be spread. Xpander-96 and Octopus-64 are beyond the \
                  paper's figure."
            .to_owned(),
        provenance: format!(
            "Computed here, by a search with proof. Filled points are exact: a set of servers \
             reaches that many and every other set is proved to reach at least as many. Hollow points \
             are the best set found, with a bar down to what is proved. Exact so far: {}.{kept} Jellyfish-96 \
             and Xpander-96 are drawn from seed {}; two of their servers may share several MPDs.",
            proved.join("; "),
            bench.setting.seed
        ),
        drawings: vec![Drawing {
            caption: "Expansion e_k for k = 1 to 25.".to_owned(),
            wide: plot::lines(&series, &axes, Room::Wide),
            narrow: Some(plot::lines(&series, &axes, Room::Narrow)),
        }],
        table,
        table_first: false,
        rows: rows(&found),
        headline: headline(&found),
    })
}

fn series(name: &str, bounds: &[Bounds]) -> Series {
    let values = bounds.iter().map(|bounds| plot::Value {
        x: bounds.k as f64,
        y: bounds.upper as f64,
        interval: (!bounds.exact()).then_some((bounds.lower as f64, bounds.upper as f64)),
        exact: bounds.exact(),
    });
    Series { name: name.to_owned(), values: values.collect() }
}

/// The bounds for one k.
pub(crate) fn at(bounds: &[Bounds], k: usize) -> Option<Bounds> {
    bounds.iter().copied().find(|bounds| bounds.k == k)
}

/// The k whose e_k is exact, as ranges.
fn span(bounds: &[Bounds]) -> String {
    let exact: Vec<usize> =
        bounds.iter().filter(|bounds| bounds.exact()).map(|bounds| bounds.k).collect();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for k in exact {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == k => *last = k,
            _ => ranges.push((k, k)),
        }
    }
    let shown: Vec<_> = ranges
        .iter()
        .map(
            |&(first, last)| {
                if first == last { first.to_string() } else { format!("{first}–{last}") }
            },
        )
        .collect();
    if shown.is_empty() { "none".to_owned() } else { format!("k = {}", shown.join(", ")) }
}

fn rows(found: &[(&'static str, Vec<Bounds>)]) -> Vec<Row> {
    let mut rows = Vec::new();
    let of = |name: &str| found.iter().find(|(known, _)| *known == name).map(|(_, bounds)| bounds);
    for (name, bounds) in found {
        for k in [8, 16] {
            if let Some(bounds) = at(bounds, k) {
                let ours = if bounds.exact() {
                    Value::count(bounds.upper)
                } else {
                    Value::Text(bounds.shown())
                };
                let status = match (bounds.exact(), bounds.kept) {
                    (true, false) => "exact",
                    (true, true) => "exact, proved before and kept with the wiring",
                    (false, _) => "lower and upper bound",
                };
                rows.push(Row {
                    id: "fig6",
                    item: format!("{name} e_{k}"),
                    unit: "MPDs",
                    paper: None,
                    ours,
                    kind: Kind::Computed,
                    verdict: Verdict::NotComparable,
                    note: format!("{status}; Figure 6 prints no numbers in the text we have"),
                });
            }
        }
    }
    if let (Some(octopus), Some(expander), Some(bibd)) =
        (of("Octopus-96"), of("Jellyfish-96"), of("BIBD-25"))
    {
        let stronger =
            expander.iter().zip(bibd).filter(|(e, b)| e.k >= 16 && e.lower > b.upper).count();
        let from_16 = bibd.iter().filter(|b| b.k >= 16).count();
        rows.push(Row {
            id: "fig6",
            item: "k from 16 to 25 at which Jellyfish-96 is proved to expand better than BIBD-25"
                .to_owned(),
            unit: "",
            paper: Some(Value::from("stronger")),
            ours: Value::Text(format!("{stronger} of {from_16}")),
            kind: Kind::Computed,
            verdict: if stronger == from_16 { Verdict::Matches } else { Verdict::Differs },
            note:
                "the paper says “stronger” without a k; a k counts where our lower bound for one \
                   passes our upper bound for the other"
                    .to_owned(),
        });
        let share = octopus.iter().zip(expander).map(|(o, e)| o.upper as f64 / e.upper as f64);
        rows.push(Row {
            id: "fig6",
            item: "Octopus-96 expansion as a share of Jellyfish-96's, worst k".to_owned(),
            unit: "",
            paper: Some(Value::from("close")),
            ours: Value::Number(share.fold(f64::INFINITY, f64::min)),
            kind: Kind::Computed,
            verdict: Verdict::NotComparable,
            note: "the paper gives a word, we a ratio of the best sets found".to_owned(),
        });
    }
    rows
}

/// The bound of section 5.2 for islands of sixteen servers: three external
/// ports each, and the twenty MPDs of one island.
const BOUND_16: usize = 3 * 16 + 20;

fn headline(found: &[(&'static str, Vec<Bounds>)]) -> Option<String> {
    let (name, bounds) = found.iter().find(|(name, _)| *name == "Octopus-96")?;
    let sixteen = at(bounds, 16)?;
    let mut line = format!(
        "Expansion of {name} is proved exactly for {}; its worst 16 servers reach {} MPDs",
        span(bounds),
        sixteen.shown()
    );
    if sixteen.exact() && sixteen.upper == BOUND_16 {
        line += ", and no pod of such islands can have more: the servers of one island reach its 20 \
                 MPDs and 3 others each, 68 in all";
    }
    Some(line + ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(of: &[(usize, usize, usize)]) -> Vec<Bounds> {
        of.iter().map(|&(k, lower, upper)| Bounds { k, lower, upper, kept: false }).collect()
    }

    #[test]
    fn what_is_exact_is_said_in_ranges() {
        assert_eq!(
            span(&bounds(&[(1, 8, 8), (2, 15, 15), (3, 20, 21), (4, 26, 26)])),
            "k = 1–2, 4"
        );
        assert_eq!(span(&bounds(&[(1, 7, 8)])), "none");
    }

    #[test]
    fn a_bound_is_no_row_of_its_own_number() {
        let rows = rows(&[("Octopus-96", bounds(&[(8, 42, 42), (16, 60, 68)]))]);
        assert_eq!(rows[0].ours, Value::count(42));
        assert_eq!(rows[1].ours, Value::Text("60–68".into()));
    }

    #[test]
    fn the_bound_is_only_claimed_where_it_is_met() {
        let met = headline(&[("Octopus-96", bounds(&[(16, 68, 68)]))]).unwrap();
        assert!(met.contains("68 in all"));
        let not = headline(&[("Octopus-96", bounds(&[(16, 60, 68)]))]).unwrap();
        assert!(!not.contains("in all"));
    }
}
