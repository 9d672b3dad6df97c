//! Figure 1: three kinds of pod, every server and device of each drawn.

use std::collections::BTreeSet;

use maud::{Markup, html};
use octopus_design::{MpdId, ServerId, Topology};

use super::island::is_inside;
use super::palette::{CABLE, EXTERNAL, GRID, HIGHLIGHT, INK, MPD, MUTED, PANEL, PAPER, SERVER};
use super::shape::{self, Point};

const WIDTH: f64 = 720.0;
const TEXT: f64 = 18.0;

/// Evenly spaced places in a row.
fn row(count: usize, left: f64, right: f64, y: f64) -> Vec<Point> {
    let pitch = (right - left) / count.max(1) as f64;
    (0..count).map(|place| (left + (place as f64 + 0.5) * pitch, y)).collect()
}

/// Figure 1a: every server wired to every MPD.
pub(crate) fn fully_connected(pod: &Topology) -> String {
    let servers = row(pod.servers(), 110.0, WIDTH - 110.0, 80.0);
    let mpds = row(pod.mpds(), 40.0, WIDTH - 40.0, 250.0);
    let body = html! {
        (two_rows(pod, &servers, &mpds))
        @for (at, server) in servers.iter().zip(pod.server_ids()) {
            (shape::server(*at, 25.0, SERVER, 2.0))
            (shape::label(*at, TEXT, INK, &server.to_string()))
        }
        @for (at, mpd) in mpds.iter().zip(pod.mpd_ids()) {
            (shape::device(*at, 22.0, MPD, 2.0))
            (shape::label(*at, TEXT, INK, &mpd.to_string()))
        }
        (shape::label((WIDTH / 2.0, 28.0), TEXT, MUTED, &format!("{} servers, {} links each", pod.servers(), pod.mpds())))
        (shape::label((WIDTH / 2.0, 304.0), TEXT, MUTED, &format!("{} MPDs of {} ports", pod.mpds(), pod.mpd_ports())))
    };
    shape::drawing(WIDTH, 330.0, "A fully-connected pod", &body)
}

fn two_rows(pod: &Topology, servers: &[Point], mpds: &[Point]) -> Markup {
    let cables = pod
        .mpd_ids()
        .zip(mpds)
        .flat_map(|(mpd, &to)| pod.servers_of(mpd).map(move |server| (server, to)));
    let (mut others, mut lit) = (Vec::new(), Vec::new());
    for (server, to) in cables {
        let from = servers[server.index()];
        if server == ServerId(0) {
            lit.push(shape::cable(from, to, HIGHLIGHT, 2.4));
        } else {
            others.push(shape::cable(from, to, CABLE, 1.2));
        }
    }
    html! { (shape::all(others)) (shape::all(lit)) }
}

/// A pod of CXL switches, as section 6.3.1 counts it: every server has a link
/// to every switch, and every switch has devices of its own behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SwitchPod {
    /// Servers, one link to each switch.
    pub(crate) servers: usize,
    /// Switches.
    pub(crate) switches: usize,
    /// Expansion devices behind each switch.
    pub(crate) devices_per_switch: usize,
}

/// Figure 1b: servers, switches, devices.
pub(crate) fn switch(pod: SwitchPod) -> String {
    let servers = row(pod.servers, 20.0, WIDTH - 20.0, 80.0);
    let switches = row(pod.switches, 20.0, WIDTH - 20.0, 225.0);
    let pitch = (WIDTH - 40.0) / pod.switches.max(1) as f64;
    let links = |lit: bool| {
        let ends = servers.iter().enumerate().filter(|(server, _)| (*server == 0) == lit);
        let (colour, width) = if lit { (HIGHLIGHT, 2.2) } else { (CABLE, 0.7) };
        shape::all(ends.flat_map(|(_, &from)| {
            switches.iter().map(move |&to| shape::cable(from, to, colour, width))
        }))
    };
    let body = html! {
        (links(false)) (links(true))
        @for &at in &servers { (shape::server(at, 14.0, SERVER, 1.8)) }
        @for &(x, y) in &switches {
            @for device in 0..pod.devices_per_switch {
                @let column = (device % 5) as f64;
                @let line = (device / 5) as f64;
                @let at = (x + (column - 2.0) * pitch / 6.0, y + 70.0 + 22.0 * line);
                (shape::cable((x, y), at, CABLE, 0.9))
                (shape::device(at, 5.5, MPD, 1.4))
            }
            (shape::panel((x - 0.42 * pitch, y - 18.0), 0.84 * pitch, 36.0, EXTERNAL))
            (shape::label((x, y), 16.0, INK, "switch"))
        }
        (shape::label((WIDTH / 2.0, 30.0), TEXT, MUTED, &format!("{} servers, a link to every switch", pod.servers)))
        (shape::label((WIDTH / 2.0, 352.0), TEXT, MUTED, &format!("{} expansion devices behind {} switches", pod.switches * pod.devices_per_switch, pod.switches)))
    };
    shape::drawing(WIDTH, 378.0, "A CXL switch pod", &body)
}

/// Where an Octopus pod's parts stand: islands above and below, external MPDs
/// between them.
struct Plan {
    servers: Vec<Point>,
    mpds: Vec<Point>,
    panels: Vec<Point>,
    panel: (f64, f64),
    middle: (f64, f64),
    height: f64,
}

const ISLAND_HEIGHT: f64 = 178.0;
const GAP: f64 = 12.0;
const EXTERNAL_COLUMNS: usize = 18;

impl Plan {
    fn new(pod: &Topology) -> Self {
        let islands = pod.islands();
        let columns = islands.len().div_ceil(2).max(1);
        let width = (WIDTH - GAP * (columns + 1) as f64) / columns as f64;
        let external: Vec<MpdId> = pod
            .mpd_ids()
            .filter(|&mpd| !islands.iter().any(|island| is_inside(pod, island, mpd)))
            .collect();
        let lines = external.len().div_ceil(EXTERNAL_COLUMNS);
        let middle = (ISLAND_HEIGHT + 48.0, 30.0 * lines as f64 + 46.0);
        let below = middle.0 + middle.1 + 48.0;
        let mut plan = Self {
            servers: vec![(0.0, 0.0); pod.servers()],
            mpds: vec![(0.0, 0.0); pod.mpds()],
            panels: Vec::new(),
            panel: (width, ISLAND_HEIGHT - 2.0 * GAP),
            middle,
            height: below + ISLAND_HEIGHT,
        };
        for (number, island) in islands.iter().enumerate() {
            let left = GAP + (number % columns) as f64 * (width + GAP);
            let upper = number < columns;
            let top = if upper { GAP } else { below + GAP };
            plan.panels.push((left, top));
            // Servers face the middle, where their other links go.
            let height = plan.panel.1;
            let y = |depth: f64| top + if upper { depth } else { height - depth };
            let inside: Vec<MpdId> =
                pod.mpd_ids().filter(|&mpd| is_inside(pod, island, mpd)).collect();
            let (mpd_rows, server_rows) = ([46.0, 70.0], [112.0, 136.0]);
            for (spot, mpd) in in_rows(inside.len(), left, width, mpd_rows).zip(&inside) {
                plan.mpds[mpd.index()] = (spot.0, y(spot.1));
            }
            for (spot, server) in in_rows(island.len(), left, width, server_rows).zip(island) {
                plan.servers[server.index()] = (spot.0, y(spot.1));
            }
        }
        for (place, mpd) in external.iter().enumerate() {
            let line = (place / EXTERNAL_COLUMNS) as f64;
            let spots =
                row(EXTERNAL_COLUMNS, 3.0 * GAP, WIDTH - 3.0 * GAP, middle.0 + 53.0 + 30.0 * line);
            plan.mpds[mpd.index()] = spots[place % EXTERNAL_COLUMNS];
        }
        plan
    }
}

/// Two rows, the second half a pitch aside so that cables can be told apart.
fn in_rows(count: usize, left: f64, width: f64, y: [f64; 2]) -> impl Iterator<Item = Point> {
    let half = count.div_ceil(2);
    let pitch = (width - 16.0) / (half as f64 + 0.5);
    (0..count).map(move |place| {
        let (line, column) = (place / half.max(1), (place % half.max(1)) as f64);
        let aside = if line == 0 { 0.5 } else { 1.0 };
        (left + 8.0 + (column + aside) * pitch, y[line])
    })
}

/// Figure 1c: an Octopus pod, every server and every MPD of it.
///
/// Links inside islands are drawn; of the links to external MPDs only the
/// first server's, and one of its external MPDs' other links, since all of
/// them would hide each other. A band stands for each island's share.
pub(crate) fn octopus(pod: &Topology) -> String {
    let plan = Plan::new(pod);
    let first = ServerId(0);
    let own: BTreeSet<MpdId> = pod.mpds_of(first).collect();
    let external = |mpd: MpdId| !pod.islands().iter().any(|island| is_inside(pod, island, mpd));
    let shown = own.iter().copied().find(|&mpd| external(mpd));

    let (mut others, mut lit) = (Vec::new(), Vec::new());
    for mpd in pod.mpd_ids() {
        let to = plan.mpds[mpd.index()];
        for server in pod.servers_of(mpd) {
            let from = plan.servers[server.index()];
            if server == first {
                lit.push(shape::cable(from, to, HIGHLIGHT, 2.2));
            } else if Some(mpd) == shown {
                lit.push(shape::cable(from, to, EXTERNAL.1, 2.0));
            } else if !external(mpd) {
                others.push(shape::cable(from, to, CABLE, 0.6));
            }
        }
    }
    let outside = |island: &[ServerId]| {
        let links = island.iter().flat_map(|&server| pod.mpds_of(server));
        links.filter(|&mpd| external(mpd)).count()
    };
    let external_count = pod.mpd_ids().filter(|&mpd| external(mpd)).count();
    let islands_of = |mpd| pod.servers_of(mpd).map(|server| pod.island_of(server));
    let spread = pod
        .mpd_ids()
        .filter(|&mpd| external(mpd))
        .all(|mpd| islands_of(mpd).collect::<BTreeSet<_>>().len() == pod.servers_of(mpd).count());
    let upper = |at: &Point| at.1 < plan.middle.0;
    let body = html! {
        @for at in &plan.panels {
            (band(*at, &plan, upper(at)))
            (shape::panel(*at, plan.panel.0, plan.panel.1, (PANEL, GRID)))
        }
        (shape::panel((GAP, plan.middle.0), WIDTH - 2.0 * GAP, plan.middle.1, (PAPER, EXTERNAL.1)))
        (shape::all(others)) (shape::all(lit))
        @for (at, island) in plan.panels.iter().zip(pod.islands()) {
            @let between = if upper(at) { plan.middle.0 - 18.0 } else { plan.middle.0 + plan.middle.1 + 18.0 };
            (shape::rimmed((at.0 + plan.panel.0 / 2.0, between), 16.0, INK, &format!("{} links", outside(island))))
        }
        @for mpd in pod.mpd_ids() {
            @let paint = if external(mpd) { EXTERNAL } else { MPD };
            @let half = if external(mpd) { 8.0 } else { 6.5 };
            @let edge = if own.contains(&mpd) { HIGHLIGHT } else { paint.1 };
            (shape::device(plan.mpds[mpd.index()], half, (paint.0, edge), if own.contains(&mpd) { 2.4 } else { 1.3 }))
        }
        @for server in pod.server_ids() {
            @let edge = if server == first { HIGHLIGHT } else { SERVER.1 };
            (shape::server(plan.servers[server.index()], 7.5, (SERVER.0, edge), if server == first { 2.4 } else { 1.3 }))
        }
        @for (number, (at, island)) in plan.panels.iter().zip(pod.islands()).enumerate() {
            @let inside = pod.mpd_ids().filter(|&mpd| is_inside(pod, island, mpd)).count();
            @let y = if upper(at) { at.1 + 20.0 } else { at.1 + plan.panel.1 - 20.0 };
            (shape::label((at.0 + plan.panel.0 / 2.0, y), 16.0, INK,
                &format!("Island {}: {} S, {inside} P", number + 1, island.len())))
        }
        (shape::rimmed((WIDTH / 2.0, plan.middle.0 + 21.0), TEXT, INK,
            &format!("{external_count} external MPDs{}", if spread { ", each on different islands" } else { "" })))
    };
    let title = format!(
        "An Octopus pod of {} islands, {} servers and {} MPDs",
        pod.islands().len(),
        pod.servers(),
        pod.mpds()
    );
    shape::drawing(WIDTH, plan.height, &title, &body)
}

/// A band from an island's panel to the middle, for the links not drawn.
fn band(at: Point, plan: &Plan, upper: bool) -> Markup {
    let centre = at.0 + plan.panel.0 / 2.0;
    let (top, bottom) = if upper {
        (at.1 + plan.panel.1, plan.middle.0)
    } else {
        (plan.middle.0 + plan.middle.1, at.1)
    };
    html! {
        (shape::panel((centre - 52.0, top - 8.0), 104.0, bottom - top + 16.0, (EXTERNAL.0, EXTERNAL.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Topology {
        // Two islands of two servers, one external MPD a pair.
        let mpds = [[0, 1], [2, 3], [0, 2], [1, 3]];
        Topology::new("small", 2, 2, 4, mpds).unwrap().with_islands([[0, 1], [2, 3]]).unwrap()
    }

    #[test]
    fn an_octopus_pod_is_drawn_whole() {
        let svg = octopus(&small());
        assert_eq!(svg.matches("<circle").count(), 4);
        assert!(svg.contains("2 external MPDs, each on different islands"));
        assert!(svg.contains("Island 2: 2 S, 1 P"));
        assert_eq!(svg.matches(">2 links<").count(), 4, "each over its rim");
    }

    /// The README's picture is what the report draws, to the byte.
    #[test]
    fn the_readme_shows_what_the_report_draws() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/octopus-96.svg");
        let drawn = octopus(&octopus_design::pod::octopus_96()) + "\n";
        if std::env::var_os("OCTOPUS_WRITE_DOCS").is_some() {
            std::fs::write(path, &drawn).unwrap();
        }
        let shown = std::fs::read_to_string(path).unwrap();
        assert!(shown == drawn, "OCTOPUS_WRITE_DOCS=1 cargo test -p xtask readme draws it anew");
    }

    #[test]
    fn a_fully_connected_pod_has_a_line_a_link() {
        let pod = Topology::new("fc", 2, 3, 3, [[0, 1, 2], [0, 1, 2]]).unwrap();
        assert_eq!(fully_connected(&pod).matches("<line").count(), 6);
    }

    #[test]
    fn a_switch_pod_has_its_devices() {
        let svg = switch(SwitchPod { servers: 3, switches: 2, devices_per_switch: 4 });
        assert_eq!(svg.matches("<circle").count(), 3);
        assert_eq!(svg.matches("<line").count(), 3 * 2 + 2 * 4);
    }
}
