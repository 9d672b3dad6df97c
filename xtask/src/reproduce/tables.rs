//! Tables 1 and 3: notation, and the Octopus designs, verified.

use octopus_design::verify::{self, Finding};
use octopus_design::{Topology, pod};

use super::item::{Item, Table};
use super::row::{Kind, Row, Value, judge};

/// A design of Table 3 with the numbers the paper gives for it.
struct Printed {
    pod: Topology,
    islands: usize,
    island_servers: usize,
    servers: usize,
    mpds: usize,
    /// X_i (sections 5.2 and 5.2.1).
    island_ports: usize,
}

fn designs() -> [Printed; 3] {
    let printed = |pod, islands, island_servers, servers, mpds, island_ports| Printed {
        pod,
        islands,
        island_servers,
        servers,
        mpds,
        island_ports,
    };
    [
        printed(pod::octopus_25(), 1, 25, 25, 50, 8),
        printed(pod::octopus_64(), 4, 16, 64, 128, 5),
        printed(pod::octopus_96(), 6, 16, 96, 192, 5),
    ]
}

/// X_i as the wiring has it: the links of each server to MPDs all of whose
/// servers are of its island, or nothing where servers differ.
fn island_ports(pod: &Topology) -> Option<usize> {
    let own = |server| {
        let inside = |mpd: &octopus_design::MpdId| {
            pod.servers_of(*mpd).all(|other| pod.island_of(other) == pod.island_of(server))
        };
        pod.mpds_of(server).filter(inside).count()
    };
    let first = pod.server_ids().next().map(own)?;
    pod.server_ids().all(|server| own(server) == first).then_some(first)
}

fn row(
    id: &'static str,
    item: String,
    unit: &'static str,
    paper: usize,
    ours: usize,
    note: &str,
) -> Row {
    Row {
        id,
        item,
        unit,
        paper: Some(Value::count(paper)),
        ours: Value::count(ours),
        kind: Kind::Computed,
        verdict: judge(paper as f64, 0, ours as f64, None),
        note: note.to_owned(),
    }
}

/// Table 1, with the default pod's values.
pub(crate) fn table_1() -> Item {
    let pod = pod::octopus_96();
    // The most a server or MPD uses is what its ports must be.
    let lines = [
        ("X", "CXL ports per server", 8, *pod.server_degree().end()),
        ("N", "CXL ports per MPD", 4, *pod.mpd_degree().end()),
        ("S", "servers in a pod", 96, pod.servers()),
        ("M", "MPDs in a pod", 192, pod.mpds()),
        ("Xi", "server ports to island-specific MPDs", 5, island_ports(&pod).unwrap_or(0)),
    ];
    let mut table = Table::new(["parameter", "description", "octopus-96"]);
    let mut rows = Vec::new();
    for (symbol, description, paper, ours) in lines {
        table.push([symbol.to_owned(), description.to_owned(), ours.to_string()]);
        rows.push(row(
            "table1",
            format!("octopus-96 {symbol}"),
            "",
            paper,
            ours,
            "counted on the wiring; the paper's value is from Table 3 and section 5.2",
        ));
    }
    Item {
        id: "table1",
        title: "Table 1. Notation",
        caption: "The five numbers a pod is described by, with the default pod's values."
            .to_owned(),
        provenance:
            "Computed here: counted on the links of octopus-96, not read from its port fields."
                .to_owned(),
        drawings: Vec::new(),
        table,
        table_first: true,
        rows,
        headline: Some(format!(
            "The pod: {} connects {} servers to {} MPDs of {} ports with {} cables and no switch, in {} \
             islands of {} servers.",
            pod.name(),
            pod.servers(),
            pod.mpds(),
            pod.mpd_ports(),
            pod.links(),
            pod.islands().len(),
            pod.islands().first().map_or(0, Vec::len)
        )),
    }
}

/// Table 3: every Octopus design, verified rule by rule.
pub(crate) fn table_3() -> Item {
    let designs = designs();
    let mut table = Table::new(["rule", "octopus-25", "octopus-64", "octopus-96"]);
    let of = |text: &str, value: &dyn Fn(&Topology) -> String| {
        std::iter::once(text.to_owned())
            .chain(designs.iter().map(|d| value(&d.pod)))
            .collect::<Vec<_>>()
    };
    table.rows.push(of("islands", &|pod| pod.islands().len().to_string()));
    table.rows.push(of("servers per island", &|pod| sizes(pod)));
    table.rows.push(of("servers S", &|pod| pod.servers().to_string()));
    table.rows.push(of("MPDs M", &|pod| pod.mpds().to_string()));

    let checks: Vec<_> =
        designs.iter().map(|d| verify::octopus(&d.pod, d.islands, d.island_ports)).collect();
    let findings: Vec<&[Finding]> = checks.iter().map(verify::OctopusCheck::findings).collect();
    for (at, rule) in verify::Rule::ALL.into_iter().enumerate() {
        let outcomes = findings
            .iter()
            .map(|findings| findings.get(at).map_or(String::new(), |f| f.outcome.to_string()));
        table.rows.push(std::iter::once(rule.to_string()).chain(outcomes).collect());
    }

    let mut rows = Vec::new();
    for design in &designs {
        let (name, note) = (design.pod.name(), "counted on the verified wiring");
        let size = design.pod.islands().first().map_or(0, Vec::len);
        rows.push(row(
            "table3",
            format!("{name} islands"),
            "islands",
            design.islands,
            design.pod.islands().len(),
            note,
        ));
        rows.push(row(
            "table3",
            format!("{name} servers per island"),
            "servers",
            design.island_servers,
            size,
            note,
        ));
        rows.push(row(
            "table3",
            format!("{name} servers"),
            "servers",
            design.servers,
            design.pod.servers(),
            note,
        ));
        rows.push(row(
            "table3",
            format!("{name} MPDs"),
            "MPDs",
            design.mpds,
            design.pod.mpds(),
            note,
        ));
    }
    let passed = checks.iter().filter(|check| check.passed()).count();
    Item {
        id: "table3",
        title: "Table 3. The Octopus designs",
        caption: "Each design of the paper, and whether its wiring keeps every rule of section 5.2.".to_owned(),
        provenance: "Computed here: each wiring is built, then every rule is checked by code that shares \
                     nothing with what built it. “Not applicable” says why; a single island has no \
                     external MPDs. The last two rules are ours: with them a message between any two \
                     servers crosses at most two MPDs."
            .to_owned(),
        drawings: Vec::new(),
        table,
        table_first: true,
        rows,
        headline: Some(format!(
            "What is proved: {passed} of {} Octopus designs keep all {} rules of their construction, \
             checked link by link; within an island any two servers share an MPD.",
            designs.len(),
            verify::Rule::ALL.len()
        )),
    }
}

/// The islands' sizes: one number where they agree.
fn sizes(pod: &Topology) -> String {
    let mut sizes: Vec<_> = pod.islands().iter().map(Vec::len).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn island_ports_are_counted_on_the_wiring() {
        let pod = Topology::new("p", 2, 2, 4, [[0, 1], [2, 3], [0, 2], [1, 3]]).unwrap();
        let islands = pod.clone().with_islands([[0, 1], [2, 3]]).unwrap();
        assert_eq!(island_ports(&islands), Some(1));
        let uneven = pod
            .with_islands([[0, 1], [2, 3]])
            .unwrap()
            .retain_links(|s, m| (s.index(), m.index()) != (0, 0));
        assert_eq!(island_ports(&uneven), None);
    }
}
