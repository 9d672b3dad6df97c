//! Table 2: what each topology is good for, in classes with stated rules.

use anyhow::Result;
use octopus_design::{Topology, measure, pod};

use super::Bench;
use super::expansion::{Bounds, at, jellyfish_96};
use super::item::{Item, Table};
use super::row::{Kind, Row, Value, Verdict};
use super::savings::{LEAST_LOADED, Saving};

/// The pooling class looks at this many hot servers (or all of a smaller pod).
const HOT: usize = 16;

/// Shares of the best pod's e_HOT from which a pod is optimal and near
/// optimal. The paper does not say where its classes end; these are ours.
const OPTIMAL: f64 = 0.98;
const NEAR_OPTIMAL: f64 = 0.85;

/// Branches the clique search may take; the pods here need a few thousand.
const DOMAIN_BUDGET: u64 = 50_000_000;

/// The pooling class for a share of the best expansion.
fn pooling_class(share: f64) -> &'static str {
    match share {
        share if share >= OPTIMAL => "Optimal",
        share if share >= NEAR_OPTIMAL => "Near Optimal",
        _ => "Poor",
    }
}

/// The communication class: low among `domain` servers if that is the whole
/// pod or more than the servers of one MPD, which every topology has.
fn communication_class(domain: Option<usize>, servers: usize, mpd_ports: usize) -> String {
    match domain {
        Some(k) if k == servers || k > mpd_ports => format!("Low ({k})"),
        Some(_) => "High".to_owned(),
        None => "unknown".to_owned(),
    }
}

/// A topology of the table, with the paper's classes where it is in the paper's.
struct Subject {
    name: &'static str,
    pod: Topology,
    paper: Option<(&'static str, &'static str)>,
}

fn subjects(seed: u64) -> Result<Vec<Subject>> {
    let subject = |name, pod, paper| Subject { name, pod, paper };
    Ok(vec![
        subject("Fully-connected (S=4)", pod::fully_connected(8, 4)?, Some(("Poor", "Low (4)"))),
        subject("BIBD (S=25)", pod::bibd(25, 4)?, Some(("Poor", "Low (25)"))),
        subject("Expander (S=96), Jellyfish", jellyfish_96(seed)?, Some(("Optimal", "High"))),
        subject("Octopus (S=96)", pod::octopus_96(), Some(("Near Optimal", "Low (16)"))),
        subject("Expander (S=96), Xpander", pod::xpander(96, 8, 4, seed)?, None),
        subject("Octopus (S=64)", pod::octopus_64(), None),
    ])
}

/// What was found for a subject.
struct Found {
    e_hot: Bounds,
    share: f64,
    pooling: &'static str,
    communication: String,
    hops: Option<usize>,
    saving: Saving,
}

/// Table 2.
///
/// # Errors
///
/// A trace that cannot be used, or a pod that cannot be built or measured.
pub(crate) fn table_2(bench: &Bench) -> Result<Item> {
    let words = bench.trace_in_words()?;
    let subjects = subjects(bench.setting.seed)?;
    // The trace first: it is the input that can be wrong.
    let mut savings = Vec::new();
    for subject in &subjects {
        savings.push(bench.saving(subject.name, &subject.pod, LEAST_LOADED)?);
    }
    let mut e_hot = Vec::new();
    for Subject { name, pod, .. } in &subjects {
        let bounds = bench.expansion(name, pod)?;
        let k = HOT.min(pod.servers());
        e_hot.push(at(&bounds, k).unwrap_or(Bounds {
            k,
            lower: 0,
            upper: pod.mpds(),
            kept: false,
        }));
    }
    let best = e_hot.iter().map(|bounds| bounds.upper).max().unwrap_or(1).max(1);
    let found: Vec<Found> = subjects
        .iter()
        .zip(e_hot.iter().zip(savings))
        .map(|(subject, (&e_hot, saving))| {
            let share = e_hot.upper as f64 / best as f64;
            let domain = measure::low_latency_domain(&subject.pod, DOMAIN_BUDGET);
            let (servers, ports) = (subject.pod.servers(), subject.pod.mpd_ports());
            Found {
                e_hot,
                share,
                pooling: pooling_class(share),
                communication: communication_class(domain, servers, ports),
                hops: measure::mpd_hops(&subject.pod).diameter(),
                saving,
            }
        })
        .collect();

    let mut table = Table::new([
        "topology",
        "pooling",
        "communication",
        "e_k at k hot servers",
        "share of the best",
        "MPDs a message crosses at most",
        "saving % ± 95%",
    ]);
    for (subject, found) in subjects.iter().zip(&found) {
        table.push([
            subject.name.to_owned(),
            found.pooling.to_owned(),
            found.communication.clone(),
            format!("{} (k = {})", found.e_hot.shown(), found.e_hot.k),
            format!("{:.2}", found.share),
            found.hops.map_or("not connected".to_owned(), |hops| hops.to_string()),
            format!("{:.1} ± {:.1}", 100.0 * found.saving.mean, 100.0 * found.saving.ci95),
        ]);
    }
    Ok(Item {
        id: "table2",
        title: "Table 2. Pooling against communication",
        caption: "What each topology is good for. The savings in the last column are least-loaded \
                  allocation's and do not decide the class: greedy allocation blurs what the wiring allows."
            .to_owned(),
        provenance: format!(
            "Computed here, by rules of ours since the paper gives none. Communication: the largest k such \
             that every server belongs to k servers any two of which share an MPD, found on the wiring by \
             exact clique search; “Low (k)” if that is the whole pod or more than one MPD's servers, \
             “High” otherwise. Pooling: e_k for k = {HOT} hot servers (all of a smaller pod), the best set \
             found, as a share of the best topology's: from {OPTIMAL} “Optimal”, from {NEAR_OPTIMAL} “Near \
             Optimal”, below “Poor”; these two limits were set with the pods' values in view, so that the pooling \
             column is calibrated on the paper's. Savings modelled by replaying {words}."
        ),
        drawings: Vec::new(),
        table,
        table_first: true,
        rows: subjects.iter().zip(&found).flat_map(|(subject, found)| rows(subject, found)).collect(),
        headline: None,
    })
}

fn rows(subject: &Subject, found: &Found) -> Vec<Row> {
    let Some((pooling, communication)) = subject.paper else { return Vec::new() };
    let row = |what, paper: &str, ours: &str, note: String| Row {
        id: "table2",
        item: format!("{} {what}", subject.name),
        unit: "",
        paper: Some(Value::from(paper)),
        ours: Value::from(ours),
        kind: Kind::Computed,
        verdict: if paper == ours { Verdict::Matches } else { Verdict::Differs },
        note,
    };
    vec![
        row(
            "pooling",
            pooling,
            found.pooling,
            format!(
                "by expansion: {} MPDs for {} hot servers, {:.2} of the best; the class limits {OPTIMAL} \
                 and {NEAR_OPTIMAL} are ours, set to tell the paper's classes apart",
                found.e_hot.shown(),
                found.e_hot.k,
                found.share
            ),
        ),
        row(
            "communication",
            communication,
            &found.communication,
            format!(
                "by exact clique search on the wiring; a message crosses at most {} MPDs",
                found.hops.map_or("(not connected)".to_owned(), |hops| hops.to_string())
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_end_where_they_say() {
        assert_eq!(pooling_class(1.0), "Optimal");
        assert_eq!(pooling_class(0.9), "Near Optimal");
        assert_eq!(pooling_class(0.849), "Poor");
        assert_eq!(communication_class(Some(4), 4, 4), "Low (4)");
        assert_eq!(communication_class(Some(4), 96, 4), "High");
        assert_eq!(communication_class(Some(16), 96, 4), "Low (16)");
        assert_eq!(communication_class(None, 96, 4), "unknown");
    }
}
