//! Beyond the paper: allocation policies on the same pods.

use anyhow::Result;
use octopus_design::pod;
use octopus_pool::{
    BlastRadius, MpdFailure, Options, PolicyKind, Spread, Trained, blast_radius, evaluate_trained,
    mpd_failure,
};
use serde::{Deserialize, Serialize};

use super::Bench;
use super::item::{Drawing, Item, Table};
use super::row::{Kind, Row, Value, Verdict};
use super::savings::{LEAST_LOADED, MPD_FRACTION, Replay, Saving};
use crate::draw::plot::{self, Bar, Room};

/// Margins shown. The first is `pool`'s default.
const MARGINS: [f64; 3] = [0.06, 0.03, 0.15];

/// Of a fixed size, above what the first half of the trace needed.
const TRAINED_MARGIN: f64 = 0.15;

/// What [`evaluate_trained`] found, as it is kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Fixed {
    pods: usize,
    capacity_gib: f64,
    mean: f64,
    ci95: f64,
    sd: f64,
    growth_mean: f64,
    spilled: f64,
    spilled_pods: usize,
    greedy_spilled: f64,
    moved: f64,
}

impl From<&Trained> for Fixed {
    fn from(trained: &Trained) -> Self {
        Self {
            pods: trained.pods,
            capacity_gib: trained.capacity_gib.mean,
            mean: trained.savings.mean,
            ci95: trained.savings.ci95.unwrap_or(0.0),
            sd: trained.savings.sd,
            growth_mean: trained.growth.mean,
            spilled: trained.spilled_vms_fraction,
            spilled_pods: trained.spilled_pods,
            greedy_spilled: trained.greedy_spilled_vms_fraction,
            moved: trained.moved_fraction,
        }
    }
}

#[derive(Serialize)]
struct Inputs {
    trace: super::TraceInputs,
    pods: usize,
    margin: f64,
}

impl Bench {
    fn fixed(&self) -> Result<Fixed> {
        let pods = self.setting.effort.pods();
        let inputs = Inputs { trace: self.trace_inputs(), pods, margin: TRAINED_MARGIN };
        self.cache.get("trained", &inputs, || {
            let fleets = self.fleets()?;
            self.progress.say("a size from the first half, judged on the second");
            let options = Options {
                pods,
                pooled_fraction: MPD_FRACTION,
                seed: self.setting.seed,
                jobs: self.setting.jobs.get(),
                ..Options::default()
            };
            let trained = evaluate_trained(&pod::octopus_96(), fleets, &options, TRAINED_MARGIN)?;
            Ok(Fixed::from(&trained))
        })
    }
}

/// Moments at which an MPD fails, in each pod.
const MOMENTS: usize = 100;

/// [`BlastRadius`], as it is kept: means, and half the 95% interval.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Blast {
    vms: (f64, f64),
    share: (f64, f64),
    gib: (f64, f64),
    pods: usize,
}

impl From<BlastRadius> for Blast {
    fn from(blast: BlastRadius) -> Self {
        let pair = |spread: octopus_pool::Spread| (spread.mean, spread.ci95.unwrap_or(0.0));
        let (vms, share, gib) = (pair(blast.vms), pair(blast.vms_share), pair(blast.gib));
        Self { vms, share, gib, pods: blast.pods }
    }
}

#[derive(Serialize)]
struct BlastInputs {
    trace: super::TraceInputs,
    pods: usize,
    moments: usize,
    policy: PolicyKind,
    stripe_links: usize,
}

impl Bench {
    fn blast(&self, policy: PolicyKind, stripe_links: usize) -> Result<Blast> {
        let pods = self.setting.effort.pods();
        let trace = self.trace_inputs();
        let inputs = BlastInputs { trace, pods, moments: MOMENTS, policy, stripe_links };
        self.cache.get("blast", &inputs, || {
            let fleets = self.fleets()?;
            self.progress.say("an MPD fails");
            let options = Options {
                policy,
                pods,
                pooled_fraction: MPD_FRACTION,
                stripe_links,
                seed: self.setting.seed,
                jobs: self.setting.jobs.get(),
                ..Options::default()
            };
            Ok(blast_radius(&pod::octopus_96(), fleets, &options, MOMENTS)?.into())
        })
    }
}

/// [`MpdFailure`], as it is kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Failure {
    pods: usize,
    peak_rise: (f64, f64),
    spilled_vms: (f64, f64),
}

impl From<MpdFailure> for Failure {
    fn from(failure: MpdFailure) -> Self {
        let pair = |spread: Spread| (spread.mean, spread.ci95.unwrap_or(0.0));
        let spilled_vms = failure.spilled_vms_fraction.map_or((0.0, 0.0), pair);
        Self { pods: failure.pods, peak_rise: pair(failure.peak_rise), spilled_vms }
    }
}

impl Bench {
    fn failure(&self, policy: PolicyKind) -> Result<Failure> {
        let pods = self.setting.effort.pods();
        let trace = self.trace_inputs();
        let inputs = BlastInputs { trace, pods, moments: 1, policy, stripe_links: 1 };
        self.cache.get("mpd-failure", &inputs, || {
            let fleets = self.fleets()?;
            self.progress.say("an MPD fails and stays away");
            let options = Options {
                policy,
                pods,
                pooled_fraction: MPD_FRACTION,
                margin: MARGINS[0],
                seed: self.setting.seed,
                jobs: self.setting.jobs.get(),
                ..Options::default()
            };
            Ok(mpd_failure(&pod::octopus_96(), fleets, &options)?.into())
        })
    }
}

/// Policies on Octopus-96.
///
/// # Errors
///
/// A trace that cannot be used.
pub(crate) fn policies(bench: &Bench) -> Result<Item> {
    let words = bench.trace_in_words()?;
    let pod = pod::octopus_96();
    let mut found: Vec<(String, Saving)> = Vec::new();
    let mut add = |name: String, replay: Replay| -> Result<()> {
        let saving = bench.saving(&format!("octopus-96, {name}"), &pod, replay)?;
        found.push((name, saving));
        Ok(())
    };
    let quick = Replay { bounds: false, ..LEAST_LOADED };
    add("least-loaded".to_owned(), LEAST_LOADED)?;
    for stripe_links in [2, 4, 8] {
        let policy = PolicyKind::Striped;
        add(
            format!("each VM over {stripe_links} links"),
            Replay { policy, stripe_links, ..quick },
        )?;
    }
    for margin in MARGINS {
        let policy = PolicyKind::BoundedMigration;
        add(
            format!("bounded migration, margin {:.0}%", 100.0 * margin),
            Replay { policy, margin, ..quick },
        )?;
    }
    add(
        "the best with this wiring".to_owned(),
        Replay { policy: PolicyKind::Optimum, bounds: true, ..quick },
    )?;
    add("one global pool".to_owned(), Replay { policy: PolicyKind::GlobalPool, ..quick })?;
    let fixed = bench.fixed()?;
    let blasts = [
        ("least-loaded allocation", bench.blast(PolicyKind::LeastLoaded, 1)?),
        ("each VM on one MPD", bench.blast(PolicyKind::Striped, 1)?),
    ];
    let failures = [
        ("least-loaded allocation", bench.failure(PolicyKind::LeastLoaded)?),
        ("bounded migration", bench.failure(PolicyKind::BoundedMigration)?),
    ];

    let table = table(&found, &fixed);
    let bars: Vec<Bar> = found
        .iter()
        .map(|(name, saving)| Bar {
            name: name.replace("bounded migration, margin", "migration,"),
            value: 100.0 * saving.mean,
            reach: (100.0 * saving.ci95, 100.0 * saving.ci95),
            paper: None,
        })
        .collect();
    let default = found.iter().find(|(name, _)| name.starts_with("bounded"));
    let headline = default.map(|(_, saving)| {
        format!(
            "What a better policy adds: with moves only where an MPD would pass its cap, the same pods save \
             {:.1}% ± {:.1}, moving {:.1}% of the memory they allocate; no look into the future.",
            100.0 * saving.mean,
            100.0 * saving.ci95,
            100.0 * saving.moved
        )
    });
    Ok(Item {
        id: "policies",
        title: "Beyond the paper. Allocation policies",
        caption: "The paper leaves migration open (section 7). Here memory moves a GiB at a time, and only \
                  where a VM would otherwise push an MPD past its cap: a margin above what the wiring has \
                  needed at least so far, which a shadow of the demand knows exactly."
            .to_owned(),
        provenance: format!(
            "Modelled here by replaying {words}. The same {} pods under every policy. The margin of 6% was \
             fixed on the first half of the Azure window, as the smallest that moves at most 3% there; what \
             it does on the second half alone, `cargo run --release -p octopus-pool --example margin` \
             prints. “The best” is the exact \
             fractional optimum, a bound and not a way to run a pod. A fixed size is {:.0}% above the \
             optimum of the first half of the window, judged on the second half, whose optimum is {:.2} \
             times the first's on average.",
            fixed.pods,
            100.0 * TRAINED_MARGIN,
            fixed.growth_mean
        ),
        drawings: vec![Drawing {
            caption: "Mean saving of Octopus-96 with its 95% interval.".to_owned(),
            wide: plot::bars("policies", &bars, "saved, % of all DRAM", Room::Wide),
            narrow: Some(plot::bars("policies", &bars, "saved, % of all DRAM", Room::Narrow)),
        }],
        table,
        table_first: true,
        rows: rows(&found, &fixed, &blasts, &failures),
        headline,
    })
}

fn table(found: &[(String, Saving)], fixed: &Fixed) -> Table {
    let share = |share: f64| format!("{:.2}", 100.0 * share);
    let mut table = Table::new([
        "policy",
        "saved % of all DRAM",
        "95% interval ±",
        "sd of a pod",
        "pods n",
        "GiB moved, % of allocated",
        "moved GiB an hour a server",
        "most GiB moved for one VM",
    ]);
    for (name, saving) in found {
        let moves = name.starts_with("bounded");
        let moved = |text: String| if moves { text } else { String::new() };
        table.push([
            name.clone(),
            share(saving.mean),
            share(saving.ci95),
            share(saving.sd),
            saving.pods.to_string(),
            moved(share(saving.moved)),
            moved(format!("{:.3}", saving.moved_gib_per_server_hour)),
            moved(saving.largest_burst_gib.to_string()),
        ]);
    }
    table.push([
        format!("bounded migration, {:.1} GiB an MPD, sized on the first half", fixed.capacity_gib),
        share(fixed.mean),
        share(fixed.ci95),
        share(fixed.sd),
        fixed.pods.to_string(),
        share(fixed.moved),
        String::new(),
        String::new(),
    ]);
    table
}

fn rows(
    found: &[(String, Saving)],
    fixed: &Fixed,
    blasts: &[(&str, Blast)],
    failures: &[(&str, Failure)],
) -> Vec<Row> {
    let row = |item: String, unit, ours: f64, note: String| Row {
        id: "policies",
        item,
        unit,
        paper: None,
        ours: Value::Number(ours),
        kind: Kind::Modelled,
        verdict: Verdict::NotComparable,
        note,
    };
    let mut rows: Vec<Row> = found
        .iter()
        .map(|(name, saving)| {
            let note = format!(
                "± {:.1} (95% of the mean, n = {}); the paper has the first policy only",
                100.0 * saving.ci95,
                saving.pods
            );
            row(format!("Octopus-96 saving, {name}"), "%", 100.0 * saving.mean, note)
        })
        .collect();
    rows.push(row(
        "Octopus-96 saving, MPDs sized on the first half of the trace".to_owned(),
        "%",
        100.0 * fixed.mean,
        format!(
            "± {:.1}; in the second half {:.2}% of VMs spilled, in {} of {} pods; least-loaded \
             allocation on the same MPDs spilled {:.2}% of VMs",
            100.0 * fixed.ci95,
            100.0 * fixed.spilled,
            fixed.spilled_pods,
            fixed.pods,
            100.0 * fixed.greedy_spilled
        ),
    ));
    for (name, blast) in blasts {
        rows.push(row(
            format!("VMs that lose memory when an MPD fails, {name}"),
            "% of the pod's",
            100.0 * blast.share.0,
            format!(
                "± {:.1} (95% of the mean over {} pods, {MOMENTS} moments each): {:.0} VMs and {:.1} GiB; \
                 nothing is replicated, and a VM with any GiB on the MPD counts",
                100.0 * blast.share.1, blast.pods, blast.vms.0, blast.gib.0
            ),
        ));
    }
    for (name, failure) in failures {
        rows.push(row(
            format!("busiest MPD's peak after another has failed mid-run, {name}"),
            "% more",
            100.0 * failure.peak_rise.0,
            format!(
                "± {:.1} (95% of the mean over {} pods, one failure each); what was lost starts anew on \
                 the MPDs that are left. On MPDs that hold the undisturbed peak and no more, {:.2}% ± {:.2} \
                 of the VMs that start from then on find too little room",
                100.0 * failure.peak_rise.1,
                failure.pods,
                100.0 * failure.spilled_vms.0,
                100.0 * failure.spilled_vms.1
            ),
        ));
    }
    rows
}
