//! Figures 1 and 7: what the pods look like.

use anyhow::{Context, Result};
use octopus_design::{Topology, pod};

use super::item::{Drawing, Item, Table};
use super::row::{Kind, Row, Value, Verdict, judge};
use crate::draw::island;
use crate::draw::pods::{self, SwitchPod};

/// The switch pod of section 6.3.1: a 32-port switch keeps 10 ports for
/// devices and 2 for management, which leaves 20 servers; each of their eight
/// ports goes to another switch.
const SWITCH_POD: SwitchPod = SwitchPod { servers: 20, switches: 8, devices_per_switch: 10 };

/// Figure 1.
///
/// # Errors
///
/// If a pod cannot be built.
pub(crate) fn figure_1() -> Result<Item> {
    let full = pod::fully_connected(8, 4)?;
    let octopus = pod::octopus_96();
    let panel = |caption: String, wide| Drawing { caption, wide, narrow: None };
    let drawings = vec![
        panel(
            format!(
                "(a) A fully-connected MPD pod: every one of {} servers is wired to every one of {} \
                 MPDs. Red: the links of S0.",
                full.servers(),
                full.mpds()
            ),
            pods::fully_connected(&full),
        ),
        panel(
            "(b) A CXL switch pod. Red: the links of one server, one to each switch.".to_owned(),
            pods::switch(SWITCH_POD),
        ),
        panel(
            format!(
                "(c) {}: circles are servers, orange squares island MPDs, green squares external MPDs. \
                 Red: the {} links of S0. Green lines: the other servers of one of its external MPDs. \
                 All links inside islands are drawn; a green band stands for an island's links to the \
                 external MPDs.",
                octopus.name(),
                octopus.mpds_of(octopus_design::ServerId(0)).count()
            ),
            pods::octopus(&octopus),
        ),
    ];
    let mut table = Table::new(["pod", "servers", "devices", "switches", "links"]);
    for (name, pod) in [("a: fully connected", &full), ("c: octopus-96", &octopus)] {
        table.push([
            name.into(),
            pod.servers().to_string(),
            pod.mpds().to_string(),
            "0".into(),
            pod.links().to_string(),
        ]);
    }
    let SwitchPod { servers, switches, devices_per_switch } = SWITCH_POD;
    let devices = switches * devices_per_switch;
    let links = servers * switches + devices;
    table.rows.insert(
        1,
        [
            "b: switch".to_owned(),
            servers.to_string(),
            devices.to_string(),
            switches.to_string(),
            links.to_string(),
        ]
        .to_vec(),
    );
    let row = |item: &str, unit, paper: usize, ours: usize| Row {
        id: "fig1",
        item: item.to_owned(),
        unit,
        paper: Some(Value::count(paper)),
        ours: Value::count(ours),
        kind: Kind::Computed,
        verdict: judge(paper as f64, 0, ours as f64, None),
        note: "counted on the drawn topology".to_owned(),
    };
    Ok(Item {
        id: "fig1",
        title: "Figure 1. Three kinds of pod",
        caption: "Full connection keeps latency low and pods small; switches make pods larger at a \
                  price; an Octopus pod is sparse."
            .to_owned(),
        provenance: "Drawn here from the topologies that `design fully-connected` and `design \
                     octopus-96` write. The switch pod follows the paper's port count: of a switch's \
                     32 ports, 10 for devices and 2 for management leave 20 servers."
            .to_owned(),
        drawings,
        table,
        table_first: false,
        rows: vec![
            row("Figure 1c servers", "servers", 96, octopus.servers()),
            row("Figure 1c MPDs", "MPDs", 192, octopus.mpds()),
            row("Figure 1c islands", "islands", 6, octopus.islands().len()),
        ],
        headline: None,
    })
}

/// Figure 7.
///
/// # Errors
///
/// If the pod cannot be built.
pub(crate) fn figure_7() -> Result<Item> {
    let pod = pod::octopus_96();
    let island = pod.islands().first().context("octopus-96 has no island")?;
    let first = *island.first().context("an island is empty")?;
    let inside: Vec<_> =
        pod.mpd_ids().filter(|&mpd| island::is_inside(&pod, island, mpd)).collect();
    let mut table = Table::new(["MPD", "servers"]);
    for &mpd in &inside {
        let servers: Vec<_> = pod.servers_of(mpd).map(|server| server.to_string()).collect();
        table.push([mpd.to_string(), servers.join(" ")]);
    }
    let common = |other| {
        inside.iter().filter(|&&mpd| pod.linked(first, mpd) && pod.linked(other, mpd)).count()
    };
    let pairs_at_one = all_pairs(island).filter(|&(a, b)| shared(&pod, &inside, a, b) == 1).count();
    let pairs = island.len() * (island.len() - 1) / 2;
    let others = island.iter().filter(|&&other| other != first && common(other) == 1).count();
    Ok(Item {
        id: "fig7",
        title: "Figure 7. One island",
        caption: format!(
            "Every two of the island's {} servers share exactly one of its {} MPDs, so a message \
             between them crosses one device.",
            island.len(),
            inside.len()
        ),
        provenance: format!(
            "Drawn here from island I0 of {}. Red: the MPDs of S0 and their links. Its external links \
             are left out, as in the paper's figure.",
            pod.name()
        ),
        drawings: vec![Drawing {
            caption: format!("Island I0 of {}; squares are MPDs, circles servers.", pod.name()),
            wide: island::draw(&pod, island),
            narrow: None,
        }],
        table,
        table_first: false,
        rows: vec![
            Row {
                id: "fig7",
                item: "server pairs of the island that share exactly one of its MPDs".to_owned(),
                unit: "pairs",
                paper: Some(Value::count(pairs)),
                ours: Value::count(pairs_at_one),
                kind: Kind::Computed,
                verdict: if pairs_at_one == pairs { Verdict::Matches } else { Verdict::Differs },
                note: "the paper says “every pair”, which is this many; all pairs were walked"
                    .to_owned(),
            },
            Row {
                id: "fig7",
                item: "servers that share an MPD with S0".to_owned(),
                unit: "servers",
                paper: Some(Value::count(island.len() - 1)),
                ours: Value::count(others),
                kind: Kind::Computed,
                verdict: judge((island.len() - 1) as f64, 0, others as f64, None),
                note: "counted over the highlighted links".to_owned(),
            },
        ],
        headline: None,
    })
}

fn all_pairs(
    servers: &[octopus_design::ServerId],
) -> impl Iterator<Item = (octopus_design::ServerId, octopus_design::ServerId)> + '_ {
    servers.iter().enumerate().flat_map(|(at, &a)| servers[at + 1..].iter().map(move |&b| (a, b)))
}

fn shared(
    pod: &Topology,
    mpds: &[octopus_design::MpdId],
    a: octopus_design::ServerId,
    b: octopus_design::ServerId,
) -> usize {
    mpds.iter().filter(|&&mpd| pod.linked(a, mpd) && pod.linked(b, mpd)).count()
}
