//! Figure 7: one island, and what one of its servers reaches.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use maud::html;
use octopus_design::{MpdId, ServerId, Topology};

use super::palette::{CABLE, HIGHLIGHT, INK, MPD, MUTED, PANEL, SERVER};
use super::shape::{self, Point};

const SIDE: f64 = 560.0;
const CENTRE: Point = (SIDE / 2.0, SIDE / 2.0);
const SERVER_RING: f64 = 250.0;
const MPD_RING: f64 = 158.0;

/// Draws an island with the links of its first server highlighted, and of the
/// MPDs that server is wired to.
///
/// Servers stand on a circle in order; each MPD is put on an inner circle in
/// the free place nearest to its servers. MPDs that reach outside the island
/// are left out, as in the paper's figure.
pub(crate) fn draw(pod: &Topology, island: &[ServerId]) -> String {
    let mpds: Vec<MpdId> = pod.mpd_ids().filter(|&mpd| is_inside(pod, island, mpd)).collect();
    let ring = |radius: f64, place: f64, of: usize| {
        let angle = TAU * (place / of.max(1) as f64) - TAU / 4.0;
        (CENTRE.0 + radius * angle.cos(), CENTRE.1 + radius * angle.sin())
    };
    let server_at: Vec<Point> =
        (0..island.len()).map(|place| ring(SERVER_RING, place as f64, island.len())).collect();
    let mpd_at: Vec<Point> = places(pod, island, &mpds, &server_at, |place| {
        ring(MPD_RING, place as f64 + 0.5, mpds.len())
    });

    let first = island.first().copied();
    let own: BTreeSet<MpdId> = first.map(|s| pod.mpds_of(s).collect()).unwrap_or_default();
    let links = |wanted: bool| {
        let mut shapes = Vec::new();
        for (at, &mpd) in mpd_at.iter().zip(&mpds) {
            for (&server, &from) in island.iter().zip(&server_at) {
                if pod.linked(server, mpd) && own.contains(&mpd) == wanted {
                    let strong = Some(server) == first;
                    shapes.push(match (wanted, strong) {
                        (false, _) => shape::cable(from, *at, CABLE, 1.0),
                        (true, false) => shape::cable(from, *at, HIGHLIGHT, 1.4),
                        (true, true) => shape::cable(from, *at, HIGHLIGHT, 3.2),
                    });
                }
            }
        }
        shape::all(shapes)
    };
    let body = html! {
        (links(false)) (links(true))
        @for (&at, &mpd) in mpd_at.iter().zip(&mpds) {
            @let lit = own.contains(&mpd);
            (shape::device(at, 17.0, if lit { (MPD.0, HIGHLIGHT) } else { MPD }, if lit { 2.6 } else { 1.4 }))
            (shape::label(at, 14.0, INK, &mpd.to_string()))
        }
        @for (&at, &server) in server_at.iter().zip(island) {
            @let lit = Some(server) == first;
            (shape::server(at, 23.0, if lit { (SERVER.0, HIGHLIGHT) } else { SERVER }, if lit { 3.0 } else { 1.6 }))
            (shape::label(at, 17.0, INK, &server.to_string()))
        }
        (shape::server(CENTRE, 68.0, (PANEL, PANEL), 1.0))
        (shape::label((CENTRE.0, CENTRE.1 - 22.0), 17.0, HIGHLIGHT, &format!("{} MPDs", own.iter().filter(|mpd| mpds.contains(mpd)).count())))
        (shape::label(CENTRE, 17.0, HIGHLIGHT, "reach all"))
        (shape::label((CENTRE.0, CENTRE.1 + 22.0), 17.0, MUTED, &format!("{} others", island.len().saturating_sub(1))))
    };
    let title = format!("An island of {} servers and {} MPDs", island.len(), mpds.len());
    shape::drawing(SIDE, SIDE, &title, &body)
}

/// Whether every server of the MPD is of the island.
pub(crate) fn is_inside(pod: &Topology, island: &[ServerId], mpd: MpdId) -> bool {
    let mut servers = pod.servers_of(mpd).peekable();
    servers.peek().is_some() && servers.all(|server| island.binary_search(&server).is_ok())
}

/// Each MPD takes the free place nearest to the middle of its servers.
fn places(
    pod: &Topology,
    island: &[ServerId],
    mpds: &[MpdId],
    server_at: &[Point],
    place_at: impl Fn(usize) -> Point,
) -> Vec<Point> {
    let mut free: Vec<Point> = (0..mpds.len()).map(place_at).collect();
    let mut taken = Vec::with_capacity(mpds.len());
    for &mpd in mpds {
        let ends = island.iter().zip(server_at).filter(|(server, _)| pod.linked(**server, mpd));
        let (x, y) = ends.fold((0.0, 0.0), |(x, y), (_, at)| (x + at.0, y + at.1));
        // The centre of the circle is neutral, so the sum points where the mean does.
        let count = pod.servers_of(mpd).count() as f64;
        let (x, y) = (x - count * CENTRE.0, y - count * CENTRE.1);
        let along = |p: &Point| (p.0 - CENTRE.0) * x + (p.1 - CENTRE.1) * y;
        let best = (0..free.len()).max_by(|&a, &b| along(&free[a]).total_cmp(&along(&free[b])));
        if let Some(best) = best {
            taken.push(free.remove(best));
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_mpd_and_link_of_the_island_is_drawn() {
        let pod = Topology::new("p", 3, 2, 4, [[0, 1], [1, 2], [0, 2], [2, 3]]).unwrap();
        let island = [ServerId(0), ServerId(1), ServerId(2)];
        let svg = draw(&pod, &island);
        assert_eq!(svg.matches("<line").count(), 6, "three MPDs of two links");
        assert_eq!(svg.matches(">P").count(), 3, "P3 reaches outside");
        assert!(svg.contains("2 MPDs") && svg.contains("2 others"));
    }
}
