//! `racks.svg`: the three racks from the front, every box in its place.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};
use octopus_design::{IslandId, MpdId, ServerId, Topology};
use octopus_layout::{Geometry, MpdPlace, Placement, Rack, ServerPlace};

use super::palette::{Colour, GRID, HIGHLIGHT, INK, MUTED, PANEL, PAPER, SERIES, SERVER};
use super::shape::{self, Point};

/// A sheet of A4 at 96 pixels an inch; racks of few slots take less of it.
const SHEET: (f64, f64) = (794.0, 1123.0);
const MARGIN: f64 = 28.0;
/// Six points, the least that can be read on paper.
const LEAST_TEXT: f64 = 8.0;
const TEXT: f64 = 11.0;
/// A character's width, ems: no narrower in any common sans-serif for what is
/// written here.
const EM: f64 = 0.62;
const NUMBERS: f64 = 30.0;
const GAP: f64 = 50.0;
const SERVER_WIDTH: f64 = 158.0;
const MOST_PITCH: f64 = 26.0;
/// More islands than this are not listed one by one.
const LISTED: usize = 12;

/// A box's ground, edge and text; a dashed edge is for what belongs nowhere.
#[derive(Clone, Copy)]
struct Paint {
    ground: Colour,
    edge: Colour,
    text: Colour,
    dashed: bool,
}

const fn paint(ground: Colour, edge: Colour, text: Colour) -> Paint {
    Paint { ground, edge, text, dashed: false }
}

/// An MPD that reaches servers of several islands, or none.
const EXTERNAL: Paint = Paint { dashed: true, ..paint(PANEL, INK, INK) };
const NO_ISLAND: Paint = paint(SERVER.0, SERVER.1, INK);
const EMPTY: Paint = paint(PAPER, GRID, MUTED);

fn of_island(island: IslandId) -> Paint {
    let colour = SERIES[island.index() % SERIES.len()];
    paint(colour, colour, PAPER)
}

/// A rectangle by its top left corner.
#[derive(Clone, Copy)]
struct Cell {
    at: Point,
    width: f64,
    height: f64,
}

/// Draws a placement that fits its pod and racks ([`Placement::check`]).
///
/// Servers carry their island's colour and number, as do MPDs all of whose
/// servers are of one island; other MPDs are pale with a dashed edge, so that
/// a black and white print tells them apart. One of the longest cables is drawn.
/// Where slots are too low for text of six points, a box's name is its tooltip.
pub(crate) fn draw(pod: &Topology, geometry: &Geometry, placement: &Placement) -> String {
    let longest = Longest::of(pod, geometry, placement);
    let legend = Legend::new(pod, longest.as_ref());
    let sheet = Sheet::new(geometry, 64.0 + legend.height);
    let ends = longest.as_ref().map(|longest| (longest.server, longest.mpd));
    let body = html! {
        (text((MARGIN, 34.0), 18.0, INK, "start", &title(pod)))
        (legend.body)
        (sheet.frame(geometry))
        @for (server, &place) in pod.server_ids().zip(&placement.servers) {
            @let island = pod.island_of(server);
            @let paint = island.map_or(NO_ISLAND, of_island);
            @let lit = ends.is_some_and(|(end, _)| end == server);
            (named(sheet.server(place), paint, lit, &server.to_string(), island))
        }
        @for (mpd, &place) in pod.mpd_ids().zip(&placement.mpds) {
            @let island = island_of_mpd(pod, mpd);
            @let paint = island.map_or(EXTERNAL, of_island);
            @let lit = ends.is_some_and(|(_, end)| end == mpd);
            (named(sheet.mpd(place), paint, lit, &mpd.to_string(), island))
        }
        @if let Some(longest) = &longest { (sheet.cable(longest, placement)) }
    };
    shape::drawing(SHEET.0, sheet.height, &title(pod), &body)
}

fn title(pod: &Topology) -> String {
    // A name may be of any length; two thirds of the sheet are its.
    let name: String = pod.name().chars().take(40).collect();
    let more = if pod.name().chars().nth(40).is_some() { "..." } else { "" };
    format!("{name}{more}: {} servers, {} MPDs", pod.servers(), pod.mpds())
}

/// The island that all servers of an MPD are of.
fn island_of_mpd(pod: &Topology, mpd: MpdId) -> Option<IslandId> {
    let mut islands = pod.servers_of(mpd).map(|server| pod.island_of(server));
    let first = islands.next()??;
    islands.all(|island| island == Some(first)).then_some(first)
}

/// A longest cable, and how many are as long.
struct Longest {
    server: ServerId,
    mpd: MpdId,
    length_m: f64,
    count: usize,
}

impl Longest {
    /// None where the pod has no links.
    fn of(pod: &Topology, geometry: &Geometry, placement: &Placement) -> Option<Self> {
        let most_m = placement.max_cable_m(pod, geometry);
        let links = pod.mpd_ids().flat_map(|mpd| pod.servers_of(mpd).map(move |s| (s, mpd)));
        // Lengths closer than a nanometre are one length.
        let mut longest = links
            .filter(|&(server, mpd)| placement.length_m(geometry, server, mpd) > most_m - 1e-9);
        let (server, mpd) = longest.next()?;
        Some(Self { server, mpd, length_m: most_m, count: 1 + longest.count() })
    }
}

/// Where things go on the sheet.
struct Sheet {
    /// The bottom of slot 0.
    floor: f64,
    /// The height of a slot.
    pitch: f64,
    mpd_width: f64,
    height: f64,
}

impl Sheet {
    const LEFT: f64 = MARGIN + NUMBERS;
    const MIDDLE: f64 = Self::LEFT + SERVER_WIDTH + GAP;
    const RIGHT: f64 = SHEET.0 - MARGIN - NUMBERS - SERVER_WIDTH;
    const MIDDLE_WIDTH: f64 = Self::RIGHT - GAP - Self::MIDDLE;

    fn new(geometry: &Geometry, top: f64) -> Self {
        let rows = geometry.server_slots.max(geometry.mpd_slots) as f64;
        let top = top + 26.0;
        let pitch = ((SHEET.1 - MARGIN - top) / rows).min(MOST_PITCH);
        let floor = top + rows * pitch;
        Self {
            floor,
            pitch,
            mpd_width: Self::MIDDLE_WIDTH / geometry.mpds_per_slot as f64,
            height: floor + MARGIN,
        }
    }

    fn top_of(&self, slot: usize) -> f64 {
        self.floor - (slot as f64 + 1.0) * self.pitch
    }

    fn server(&self, place: ServerPlace) -> Cell {
        let x = match place.rack {
            Rack::Left => Self::LEFT,
            Rack::Right => Self::RIGHT,
        };
        Cell { at: (x, self.top_of(place.slot)), width: SERVER_WIDTH, height: self.pitch }
    }

    fn mpd(&self, place: MpdPlace) -> Cell {
        let x = Self::MIDDLE + place.position as f64 * self.mpd_width;
        Cell { at: (x, self.top_of(place.slot)), width: self.mpd_width, height: self.pitch }
    }

    /// The racks with all their slots empty, and the slots' numbers.
    fn frame(&self, geometry: &Geometry) -> Markup {
        let servers = |rack, label: &str| {
            let x = self.server(ServerPlace { rack, slot: 0 }).at.0;
            let slots = (0..geometry.server_slots)
                .map(|slot| plain(self.server(ServerPlace { rack, slot }), EMPTY, false));
            let middle = x + SERVER_WIDTH / 2.0;
            let cells = shape::all(slots);
            html! { (cells) (self.heading(middle, geometry.server_slots, label)) }
        };
        let positions = (0..geometry.mpd_slots).flat_map(|slot| {
            (0..geometry.mpds_per_slot).map(move |position| MpdPlace { slot, position })
        });
        let cells = shape::all(positions.map(|place| plain(self.mpd(place), EMPTY, false)));
        let middle = Self::MIDDLE + Self::MIDDLE_WIDTH / 2.0;
        html! {
            (servers(Rack::Left, "Left rack: servers"))
            (servers(Rack::Right, "Right rack: servers"))
            (cells)
            (self.heading(middle, geometry.mpd_slots, "Middle rack: MPDs"))
            (self.numbers(Self::LEFT - 6.0, "end", geometry.server_slots))
            (self.numbers(Self::MIDDLE - 6.0, "end", geometry.mpd_slots))
            (self.numbers(Self::RIGHT + SERVER_WIDTH + 6.0, "start", geometry.server_slots))
        }
    }

    fn heading(&self, x: f64, slots: usize, label: &str) -> Markup {
        text((x, self.floor - slots as f64 * self.pitch - 12.0), 12.0, INK, "middle", label)
    }

    fn numbers(&self, x: f64, anchor: &str, slots: usize) -> Markup {
        let steps = [1, 2, 5, 10, 20, 50, 100];
        let step = steps.into_iter().find(|step| *step as f64 * self.pitch >= 1.2 * LEAST_TEXT);
        let size = (0.6 * self.pitch).clamp(LEAST_TEXT, TEXT);
        let one = |slot| {
            let at = (x, self.top_of(slot) + self.pitch / 2.0);
            text(at, size, MUTED, anchor, &slot.to_string())
        };
        shape::all((0..slots).step_by(step.unwrap_or(200)).map(one))
    }

    /// From the server's inner corner along the gap to the MPD's slot, and along
    /// the slot's upper edge, where it hides no name, to the MPD.
    fn cable(&self, longest: &Longest, placement: &Placement) -> Markup {
        let place = placement.servers[longest.server.index()];
        let server = self.server(place);
        let mpd = self.mpd(placement.mpds[longest.mpd.index()]);
        let (from, gap) = match place.rack {
            Rack::Left => (server.at.0 + server.width, server.at.0 + server.width + 13.0),
            Rack::Right => (server.at.0, server.at.0 - GAP / 2.0),
        };
        let start = (from, server.at.1 + server.height / 2.0);
        let end = (mpd.at.0 + mpd.width / 2.0, mpd.at.1);
        let points = [start, (gap, start.1), (gap, end.1), end];
        let mut route = String::new();
        for (x, y) in points {
            // Writing to a String does not fail.
            let _ = write!(route, "{},{} ", n(x), n(y));
        }
        let route = route.trim_end();
        let middle = (gap, f64::midpoint(start.1, end.1));
        let turned = format!("rotate(-90 {} {})", n(middle.0), n(middle.1));
        let label = metres(longest.length_m);
        let half = EM * TEXT * label.len() as f64 / 2.0;
        let corner = (middle.0 - half, middle.1 - 8.0);
        let ground = Cell { at: corner, width: 2.0 * half, height: 16.0 };
        html! {
            @for (colour, width) in [(PAPER, 5.0), (HIGHLIGHT, 2.4)] {
                polyline points=(route) fill="none" stroke=(colour.light)
                    stroke-width=(n(width)) stroke-linejoin="round" {}
            }
            @for (x, y) in [start, end] {
                circle cx=(n(x)) cy=(n(y)) r="3.2" fill=(HIGHLIGHT.light) stroke=(PAPER.light) {}
            }
            // A shorter way has no room beside it; the legend says it too.
            @if (start.1 - end.1).abs() > 80.0 {
                g transform=(turned) {
                    (plain(ground, paint(PAPER, PAPER, INK), false))
                    (text(middle, TEXT, HIGHLIGHT, "middle", &label))
                }
            }
        }
    }
}

fn metres(length_m: f64) -> String {
    format!("{length_m:.3} m")
}

/// Two decimals: slots may be narrower than a pixel.
fn n(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Text whose middle is as high as `at`.
fn text(at: Point, size: f64, colour: Colour, anchor: &str, words: &str) -> Markup {
    html! {
        text x=(n(at.0)) y=(n(at.1 + 0.35 * size)) font-size=(n(size)) text-anchor=(anchor)
            fill=(colour.light) { (words) }
    }
}

/// A box without a name.
fn plain(cell: Cell, paint: Paint, lit: bool) -> Markup {
    frame(cell, paint, lit, &PreEscaped(String::new()))
}

fn frame(cell: Cell, paint: Paint, lit: bool, inside: &Markup) -> Markup {
    // A gap around boxes, as far as they are not mere lines.
    let room = (0.06 * cell.height.min(cell.width)).min(1.0);
    let edge = if lit { HIGHLIGHT } else { paint.edge };
    let thick = (0.1 * cell.height.min(cell.width)).min(if lit { 2.4 } else { 0.9 });
    html! {
        rect x=(n(cell.at.0 + room)) y=(n(cell.at.1 + room)) width=(n(cell.width - 2.0 * room))
            height=(n(cell.height - 2.0 * room)) rx=(n(2.0 * room)) fill=(paint.ground.light)
            stroke=(edge.light) stroke-width=(n(thick))
            stroke-dasharray=[(paint.dashed && !lit && thick > 0.5).then_some("3 2")] { (inside) }
    }
}

/// A box with its name, and its island's beside it where there is room.
fn named(cell: Cell, paint: Paint, lit: bool, name: &str, island: Option<IslandId>) -> Markup {
    let widest = cell.width / (EM * name.len() as f64 + 0.4);
    let size = (0.62 * cell.height).min(TEXT).min(widest);
    if size < LEAST_TEXT {
        return frame(cell, paint, lit, &html! { title { (name) } });
    }
    let centre = (cell.at.0 + cell.width / 2.0, cell.at.1 + cell.height / 2.0);
    let beside = island.map(|island| island.to_string()).filter(|island| {
        let half = EM * (size * name.len() as f64 / 2.0 + LEAST_TEXT * island.len() as f64);
        half + 8.0 < cell.width / 2.0
    });
    html! {
        (plain(cell, paint, lit))
        (text(centre, size, paint.text, "middle", name))
        @if let Some(island) = beside {
            (text((cell.at.0 + cell.width - 7.0, centre.1), LEAST_TEXT, paint.text, "end", &island))
        }
    }
}

/// What colours and lines mean.
struct Legend {
    body: Markup,
    height: f64,
}

/// An entry's sign.
enum Sign {
    Box(Paint),
    Cable,
    None,
}

impl Legend {
    const LINE: f64 = 19.0;

    fn new(pod: &Topology, longest: Option<&Longest>) -> Self {
        let mut entries = Vec::new();
        let islands = pod.islands().len();
        for island in (0..islands.min(LISTED)).map(IslandId) {
            entries.push((Sign::Box(of_island(island)), format!("{island}")));
        }
        if islands > LISTED {
            entries.push((Sign::None, format!("to {}, colours in turn", IslandId(islands - 1))));
        }
        if pod.server_ids().any(|server| pod.island_of(server).is_none()) {
            entries.push((Sign::Box(NO_ISLAND), "server of no island".to_owned()));
        }
        if pod.mpd_ids().any(|mpd| island_of_mpd(pod, mpd).is_none()) {
            entries.push((Sign::Box(EXTERNAL), "MPD of no single island".to_owned()));
        }
        entries.push((Sign::Box(EMPTY), "empty".to_owned()));
        if let Some(Longest { server, mpd, length_m, count }) = longest {
            let others = if *count == 1 { String::new() } else { format!(", one of {count}") };
            let words = format!("longest cable, {}: {server} to {mpd}{others}", metres(*length_m));
            entries.push((Sign::Cable, words));
        }
        Self::laid_out(if islands > 0 { "Islands:" } else { "" }, &entries)
    }

    fn laid_out(first: &str, entries: &[(Sign, String)]) -> Self {
        let (mut x, mut y) = (MARGIN, 64.0);
        // Words are narrower than names, most of whose characters are digits.
        let wide = |words: &str| 0.55 * TEXT * words.chars().count() as f64;
        let mut shapes = vec![text((x, y), TEXT, INK, "start", first)];
        if !first.is_empty() {
            x += wide(first) + 6.0;
        }
        for (sign, words) in entries {
            let needed = wide(words) + 40.0;
            if x + needed > SHEET.0 - MARGIN {
                (x, y) = (MARGIN, y + Self::LINE);
            }
            let swatch = Cell { at: (x, y - 6.5), width: 18.0, height: 13.0 };
            shapes.push(match sign {
                Sign::Box(paint) => plain(swatch, *paint, false),
                Sign::Cable => shape::cable((x, y), (x + 18.0, y), HIGHLIGHT, 2.4),
                Sign::None => PreEscaped(String::new()),
            });
            let indent = if matches!(sign, Sign::None) { 0.0 } else { 23.0 };
            shapes.push(text((x + indent, y), TEXT, INK, "start", words));
            x += needed;
        }
        Self { body: shape::all(shapes), height: y + Self::LINE - 64.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_order(pod: &Topology, geometry: &Geometry) -> Placement {
        let wide = geometry.mpds_per_slot;
        let server = |s: usize| ServerPlace {
            rack: if s.is_multiple_of(2) { Rack::Left } else { Rack::Right },
            slot: s / 2,
        };
        let mpd = |m: usize| MpdPlace { slot: m / wide, position: m % wide };
        Placement {
            servers: (0..pod.servers()).map(server).collect(),
            mpds: (0..pod.mpds()).map(mpd).collect(),
        }
    }

    /// Every element that is opened is closed, in order.
    fn assert_well_formed(svg: &str) {
        let mut open = Vec::new();
        for tag in svg.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else {
                open.push(tag.split(' ').next().expect("a tag has a name"));
                assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn every_box_has_its_name_once() {
        let pod = octopus_design::pod::octopus_96();
        for geometry in [Geometry::default(), Geometry::eight_a_slot()] {
            let svg = draw(&pod, &geometry, &in_order(&pod, &geometry));
            assert_well_formed(&svg);
            for server in pod.server_ids() {
                assert_eq!(svg.matches(&format!(">{server}<")).count(), 1, "{server}");
            }
            for mpd in pod.mpd_ids() {
                assert_eq!(svg.matches(&format!(">{mpd}<")).count(), 1, "{mpd}");
            }
            assert!(svg.contains(" m: S"), "the longest cable is named");
            assert!(svg.contains("<polyline"));
        }
    }

    #[test]
    fn racks_of_any_size_are_drawn_on_one_sheet() {
        for (servers, server_slots, mpd_slots, mpds_per_slot) in
            [(2, 1, 1, 1), (2, 1, 1, 200), (64, 1024, 3, 8), (2, 1, 1024, 8), (20, 100, 50, 1)]
        {
            let pod = octopus_design::pod::fully_connected(1, servers).unwrap();
            let geometry =
                Geometry { server_slots, mpd_slots, mpds_per_slot, ..Geometry::default() };
            geometry.check().unwrap();
            let placement = in_order(&pod, &geometry);
            placement.check(&pod, &geometry).unwrap();
            let svg = draw(&pod, &geometry, &placement);
            assert_well_formed(&svg);
            assert!(!svg.contains("NaN") && !svg.contains("\"-"), "inside the sheet");
            for server in pod.server_ids() {
                assert_eq!(svg.matches(&format!(">{server}<")).count(), 1, "or its tooltip");
            }
        }
    }

    #[test]
    fn names_are_escaped_and_shortened() {
        let name = "<script>\"&".repeat(100);
        let pod = Topology::new(name, 1, 2, 2, [[0, 1]]).unwrap();
        let geometry = Geometry::default();
        let svg = draw(&pod, &geometry, &in_order(&pod, &geometry));
        assert_well_formed(&svg);
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(svg.contains("...: 2 servers, 1 MPDs"));
    }

    #[test]
    fn a_pod_without_links_has_no_longest_cable() {
        let pod = Topology::new("bare", 1, 2, 2, [Vec::<usize>::new()]).unwrap();
        let geometry = Geometry::default();
        let svg = draw(&pod, &geometry, &in_order(&pod, &geometry));
        assert_well_formed(&svg);
        assert!(!svg.contains("<polyline") && !svg.contains("longest"));
    }

    #[test]
    fn external_mpds_differ_from_those_of_an_island() {
        let pod = Topology::new("x", 2, 2, 4, [[0, 1], [2, 3], [0, 2]]).unwrap();
        let pod = pod.with_islands([[0, 1], [2, 3]]).unwrap();
        assert_eq!(island_of_mpd(&pod, MpdId(1)), Some(IslandId(1)));
        assert_eq!(island_of_mpd(&pod, MpdId(2)), None);
        let geometry = Geometry::default();
        let svg = draw(&pod, &geometry, &in_order(&pod, &geometry));
        // One in the racks and one in the legend.
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
    }
}
