//! What pods save by pooling: section 6.3.1.

use anyhow::Result;
use octopus_design::{Topology, format, pod};
use octopus_pool::{Options, PolicyKind, evaluate, switch_pod};
use serde::{Deserialize, Serialize};

use super::Bench;
use super::expansion::jellyfish_96;
use super::item::{Drawing, Item, Table};
use super::row::{Kind, Row, Value, judge};
use crate::draw::plot::{self, Bar, Room};

/// The share of memory that can be pooled behind MPDs, and behind switches
/// (section 4.2).
pub(crate) const MPD_FRACTION: f64 = 0.65;
const SWITCH_FRACTION: f64 = 0.35;

/// What random pods save, as it is kept. Fractions of all DRAM.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Saving {
    /// Mean over pods.
    pub(crate) mean: f64,
    /// Standard deviation of one pod's saving.
    pub(crate) sd: f64,
    /// Pods.
    pub(crate) pods: usize,
    /// Draws of the trace they were taken from.
    pub(crate) draws: usize,
    /// Standard deviation of the mean of a draw; 0 for a single one.
    pub(crate) draw_sd: f64,
    /// Half the 95% interval of the mean.
    pub(crate) ci95: f64,
    /// Mean, as a fraction of the pooled memory alone.
    pub(crate) of_pooled: f64,
    /// What the best policy would save on the same pods: the fractional optimum.
    pub(crate) optimum: Option<f64>,
    /// GiB moved as a fraction of GiB allocated.
    pub(crate) moved: f64,
    /// GiB moved an hour a server.
    pub(crate) moved_gib_per_server_hour: f64,
    /// The most GiB moved for one VM.
    pub(crate) largest_burst_gib: u64,
}

#[derive(Serialize)]
struct Inputs<'a> {
    trace: super::TraceInputs,
    topology: &'a str,
    pods: usize,
    replay: Replay,
}

/// How a pod is replayed.
#[derive(Clone, Copy, Serialize)]
pub(crate) struct Replay {
    /// The policy.
    pub(crate) policy: PolicyKind,
    /// The share of memory that is pooled.
    pub(crate) pooled_fraction: f64,
    /// The margin of bounded migration.
    pub(crate) margin: f64,
    /// The links each VM uses when striped.
    pub(crate) stripe_links: usize,
    /// The share of failed links.
    pub(crate) fail_links: f64,
    /// Whether the best any policy could do is found too.
    pub(crate) bounds: bool,
}

/// The paper's policy for MPDs.
pub(crate) const LEAST_LOADED: Replay = Replay {
    policy: PolicyKind::LeastLoaded,
    pooled_fraction: MPD_FRACTION,
    margin: 0.0,
    stripe_links: 1,
    fail_links: 0.0,
    bounds: true,
};

/// A switch reaches all devices alike: one pool, of the smaller share.
const SWITCHED: Replay = Replay {
    policy: PolicyKind::GlobalPool,
    pooled_fraction: SWITCH_FRACTION,
    bounds: false,
    ..LEAST_LOADED
};

impl Bench {
    /// What a pod saves on the trace, from the cache if it can be.
    ///
    /// # Errors
    ///
    /// A trace that cannot be used, or too few servers in it.
    pub(crate) fn saving(&self, name: &str, pod: &Topology, replay: Replay) -> Result<Saving> {
        let pods = self.setting.effort.pods();
        let Replay { policy, pooled_fraction, margin, stripe_links, fail_links, bounds } = replay;
        let topology = &format::to_json(pod);
        let inputs = Inputs { trace: self.trace_inputs(), topology, pods, replay };
        self.cache.get("savings", &inputs, || {
            let fleets = self.fleets()?;
            self.progress.say(format!("savings of {name}, {pods} pods"));
            let options = Options {
                margin,
                mpd_capacity_gib: None,
                mpd_sizes_gib: Vec::new(),
                stripe_links,
                fail_links,
                window: None,
                policy,
                pods,
                pooled_fraction,
                seed: self.setting.seed,
                jobs: self.setting.jobs.get(),
                bounds,
                expansion: Vec::new(),
            };
            let found = evaluate(pod, fleets, &options)?;
            let optimum = found.lower_bound_gib_mean.map(|peak_gib| {
                pooled_fraction * (1.0 - peak_gib * found.mpds as f64 / found.baseline_gib_mean)
            });
            Ok(Saving {
                mean: found.savings_mean,
                sd: found.savings_sd,
                pods: found.pods,
                draws: found.draws,
                draw_sd: found.savings_draw_sd.unwrap_or(0.0),
                ci95: found.savings_ci95.unwrap_or(0.0),
                of_pooled: found.savings_of_pooled_mean,
                optimum,
                moved: found.moved_fraction,
                moved_gib_per_server_hour: found.moved_gib_per_server_hour,
                largest_burst_gib: found.largest_burst_gib,
            })
        })
    }
}

/// A pod and what the paper prints for it, in per cent of all DRAM.
struct Subject {
    name: &'static str,
    pod: Topology,
    replay: Replay,
    paper: Option<f64>,
    source: &'static str,
}

fn subjects(seed: u64) -> Result<Vec<Subject>> {
    let subject = |name, pod, replay, paper, source| Subject { name, pod, replay, paper, source };
    Ok(vec![
        subject(
            "Octopus-96",
            pod::octopus_96(),
            LEAST_LOADED,
            Some(16.0),
            "Table 5 and section 6.3.1",
        ),
        subject(
            "Expander-96",
            jellyfish_96(seed)?,
            LEAST_LOADED,
            Some(17.0),
            "Figure 16 at 0% failures",
        ),
        subject("Octopus-64", pod::octopus_64(), LEAST_LOADED, None, ""),
        subject("Octopus-25", pod::octopus_25(), LEAST_LOADED, None, ""),
        subject("Fully connected, 4", pod::fully_connected(8, 4)?, LEAST_LOADED, None, ""),
        subject("Switch, 20", switch_pod(20)?, SWITCHED, Some(12.0), "section 6.3.1"),
        subject(
            "Switch, 90",
            switch_pod(90)?,
            SWITCHED,
            Some(16.0),
            "section 6.3.1, its optimistic bound",
        ),
    ])
}

/// The savings of section 6.3.1.
///
/// # Errors
///
/// A trace that cannot be used, or a pod that cannot be built.
pub(crate) fn savings(bench: &Bench) -> Result<Item> {
    let words = bench.trace_in_words()?;
    let subjects = subjects(bench.setting.seed)?;
    let mut found = Vec::new();
    for subject in &subjects {
        found.push((subject, bench.saving(subject.name, &subject.pod, subject.replay)?));
    }
    let percent = |share: f64| format!("{:.2}", 100.0 * share);
    let mut table = Table::new([
        "pod",
        "pooled %",
        "policy",
        "saved % of all DRAM",
        "95% interval ±",
        "sd of a pod",
        "pods n",
        "sd of a draw",
        "draws n",
        "saved % of pooled",
        "best any policy %",
    ]);
    for (subject, saving) in &found {
        table.push([
            subject.name.to_owned(),
            format!("{:.0}", 100.0 * subject.replay.pooled_fraction),
            subject.replay.policy.to_string(),
            percent(saving.mean),
            percent(saving.ci95),
            percent(saving.sd),
            saving.pods.to_string(),
            percent(saving.draw_sd),
            saving.draws.to_string(),
            percent(saving.of_pooled),
            saving.optimum.map_or(String::new(), percent),
        ]);
    }
    let bars: Vec<Bar> = found.iter().map(|(subject, saving)| bar(subject, saving)).collect();
    Ok(Item {
        id: "savings",
        title: "Section 6.3.1. What pooling saves",
        caption: "DRAM that a pod need not buy because its servers' peaks do not coincide, in per cent of \
                  all DRAM. Each GiB goes to the least-loaded MPD its server is wired to and stays there; \
                  the last column of the data is what the best policy could reach on the same pods."
            .to_owned(),
        provenance: format!(
            "Modelled here by replaying {words}. MPD pods pool 65% of memory, switch pods 35% as one \
             global pool. Provision: number of MPDs times the highest load of any MPD at any time; \
             baseline: the sum of the servers' own peaks of pooled demand. These headline definitions \
             were chosen among about 75 because they come closest to the paper, so agreement here is \
             calibrated, not independent. {} The interval covers both, not the choice of trace.",
            draws_in_words(found.first().map_or(1, |(_, saving)| saving.draws))
        ),
        drawings: vec![Drawing {
            caption: "Mean saving with its 95% interval; diamonds are the paper's values.".to_owned(),
            wide: plot::bars("savings", &bars, "saved, % of all DRAM", Room::Wide),
            narrow: Some(plot::bars("savings", &bars, "saved, % of all DRAM", Room::Narrow)),
        }],
        table,
        table_first: false,
        rows: rows(&found),
        headline: found.first().map(|(subject, saving)| headline(subject, saving, bench)),
    })
}

/// Where pods come from, for a report.
fn draws_in_words(draws: usize) -> String {
    if draws > 1 {
        format!(
            "Pods are drawn at random from {draws} draws of the trace in turn, each with a placement \
             of its own."
        )
    } else {
        "Pods are drawn at random from the fleet.".to_owned()
    }
}

impl Saving {
    /// Its two spreads, for a report.
    pub(crate) fn spread_in_words(&self) -> String {
        let pods = format!("sd of a pod {:.1}, n = {}", 100.0 * self.sd, self.pods);
        if self.draws > 1 {
            format!("{pods}; sd of a draw {:.1}, n = {}", 100.0 * self.draw_sd, self.draws)
        } else {
            pods
        }
    }
}

fn bar(subject: &Subject, saving: &Saving) -> Bar {
    let reach = 100.0 * saving.ci95;
    Bar {
        name: subject.name.to_owned(),
        value: 100.0 * saving.mean,
        reach: (reach, reach),
        paper: subject.paper,
    }
}

fn rows(found: &[(&Subject, Saving)]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (subject, saving) in found {
        let Some(paper) = subject.paper else { continue };
        let (mean, ci) = (100.0 * saving.mean, 100.0 * saving.ci95);
        rows.push(Row {
            id: "savings",
            item: format!("{} saving", subject.name),
            unit: "%",
            paper: Some(Value::Number(paper)),
            ours: Value::Number(mean),
            kind: Kind::Modelled,
            verdict: judge(paper, 0, mean, Some((mean - ci, mean + ci))),
            note: format!(
                "{mean:.1} ± {ci:.1} (95% of the mean; {}); paper: {}; another trace than the paper's, \
                 calibrated definitions",
                saving.spread_in_words(),
                subject.source
            ),
        });
    }
    for (name, paper) in [("Octopus-96", 25.0), ("Switch, 90", 46.0)] {
        let Some((subject, saving)) = found.iter().find(|(subject, _)| subject.name == name) else {
            continue;
        };
        let fraction = subject.replay.pooled_fraction;
        let (of_pooled, ci) = (100.0 * saving.of_pooled, 100.0 * saving.ci95 / fraction);
        rows.push(Row {
            id: "savings",
            item: format!("{name} saving of the pooled memory"),
            unit: "%",
            paper: Some(Value::Number(paper)),
            ours: Value::Number(of_pooled),
            kind: Kind::Modelled,
            verdict: judge(paper, 0, of_pooled, Some((of_pooled - ci, of_pooled + ci))),
            note: format!(
                "{of_pooled:.1} ± {ci:.1}; the same replay as above, over {:.0}% of memory: the paper's \
                 65% x 25% against 35% x 46%",
                100.0 * fraction
            ),
        });
    }
    rows
}

fn headline(subject: &Subject, saving: &Saving, bench: &Bench) -> String {
    let best = saving.optimum.map_or(String::new(), |best| {
        format!("; the wiring would allow {:.1}% with the best policy", 100.0 * best)
    });
    format!(
        "What it saves: {} saves {:.1}% ± {:.1} of all DRAM on {} (mean of {} random pods, 95% interval; \
         the paper: 16%){best}.",
        subject.name,
        100.0 * saving.mean,
        100.0 * saving.ci95,
        bench.setting.trace_name(),
        saving.pods
    )
}
