//! Figure 5: how far peaks stand above the average in larger groups.

use anyhow::Result;
use octopus_pool::peak_to_average;
use serde::{Deserialize, Serialize};

use super::Bench;
use super::item::{Drawing, Item, Table};
use super::row::{Kind, Row, Value, judge};
use crate::draw::plot::{self, Axes, Room, Series};

/// Group sizes; 25 and 32 are the ones the paper gives a number for.
const SIZES: [usize; 11] = [1, 2, 4, 8, 16, 20, 25, 32, 48, 64, 96];

/// “Even groups of 25-32 servers would still need about 1.5x” (Figure 5).
const PAPER: f64 = 1.5;

/// One size's figures, as they are kept.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Peak {
    servers: usize,
    groups: usize,
    mean: f64,
    ratio_of_means: f64,
    worst: f64,
}

#[derive(Serialize)]
struct Inputs {
    trace: super::TraceInputs,
    sizes: Vec<usize>,
    groups: usize,
}

/// Figure 5.
///
/// # Errors
///
/// A trace that cannot be used.
pub(crate) fn figure_5(bench: &Bench) -> Result<Item> {
    let words = bench.trace_in_words()?;
    let (groups, seed) = (bench.setting.effort.groups(), bench.setting.seed);
    let inputs = Inputs { trace: bench.trace_inputs(), sizes: SIZES.to_vec(), groups };
    let peaks: Vec<Peak> = bench.cache.get("peaks", &inputs, || {
        let fleet = bench.fleet()?;
        let sizes: Vec<usize> = SIZES.into_iter().filter(|size| *size <= fleet.servers()).collect();
        let found = peak_to_average(fleet, &sizes, groups, seed)?;
        let kept = found.iter().map(|peak| Peak {
            servers: peak.group_servers,
            groups: peak.groups,
            mean: peak.mean_of_ratios,
            ratio_of_means: peak.ratio_of_means,
            worst: peak.worst,
        });
        Ok(kept.collect())
    })?;

    let mut table =
        Table::new(["servers", "groups", "mean of ratios", "ratio of means", "worst group"]);
    for peak in &peaks {
        let ratio = |value: f64| format!("{value:.3}");
        table.push([
            peak.servers.to_string(),
            peak.groups.to_string(),
            ratio(peak.mean),
            ratio(peak.ratio_of_means),
            ratio(peak.worst),
        ]);
    }
    let series = |name: &str, value: &dyn Fn(&Peak) -> f64| Series {
        name: name.to_owned(),
        values: peaks
            .iter()
            .map(|peak| plot::Value {
                x: peak.servers as f64,
                y: value(peak),
                interval: None,
                exact: true,
            })
            .collect(),
    };
    let lines =
        [series("mean of groups", &|peak| peak.mean), series("worst group", &|peak| peak.worst)];
    let axes = Axes {
        id: "fig5",
        x: "servers in the group",
        y: "peak / average demand",
        x_step: 16.0,
        level: Some((PAPER, "paper, 25–32 servers")),
        hollow: None,
    };
    Ok(Item {
        id: "fig5",
        title: "Figure 5. Peaks against the average",
        caption: "The memory a group of servers needs at its peak, over what it uses on average. Larger \
                  groups even out their peaks, and the gain flattens towards 96 servers."
            .to_owned(),
        provenance: format!(
            "Modelled here by replaying {words}. Groups are drawn at random, {groups} of each size; all of \
             a VM's memory counts, and peaks are looked for at every event inside the window. The paper's \
             own trace is not public."
        ),
        drawings: vec![Drawing {
            caption: "Peak over average demand by group size; the dashed level is the paper's “about 1.5×”.".to_owned(),
            wide: plot::lines(&lines, &axes, Room::Wide),
            narrow: Some(plot::lines(&lines, &axes, Room::Narrow)),
        }],
        table,
        table_first: false,
        rows: peaks.iter().filter(|peak| matches!(peak.servers, 25 | 32)).map(row).collect(),
        headline: None,
    })
}

fn row(peak: &Peak) -> Row {
    Row {
        id: "fig5",
        item: format!("peak over average, groups of {}", peak.servers),
        unit: "x",
        paper: Some(Value::Number(PAPER)),
        ours: Value::Number(peak.mean),
        kind: Kind::Modelled,
        verdict: judge(PAPER, 1, peak.mean, None),
        note: format!(
            "mean over {} groups of another trace than the paper's; its worst group has {:.2}, and the \
             paper does not say whether its “about 1.5” is a mean",
            peak.groups, peak.worst
        ),
    }
}
