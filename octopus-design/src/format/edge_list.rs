//! Links as CSV, one a row.

use itertools::Itertools;

use super::text::quote;
use crate::{Error, MAX_MPDS, MAX_SERVERS, Result, Topology};

/// One row, ordered so that equal links stand together, the first one first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    mpd: usize,
    server: usize,
    line: usize,
}

/// A topology from an edge list: the header `server,mpd`, then one link a row.
///
/// Servers and MPDs are numbered from 0; there are as many as the highest
/// number says. An edge list holds no port counts and no islands: both port
/// counts are taken to be the highest degree, and no islands are claimed.
/// Quoted numbers, blank lines and spaces around numbers are accepted.
///
/// # Errors
///
/// [`Error::Row`] for a row that is not two ids in range, repeats a link, or
/// for a missing header; the errors of [`Topology::new`] for the whole.
///
/// # Examples
///
/// ```
/// use octopus_design::format::from_edge_list;
///
/// let pod = from_edge_list("pair", "server,mpd\n0,0\n1,0\n")?;
/// assert_eq!((pod.servers(), pod.mpd_ports()), (2, 2));
///
/// let wrong = from_edge_list("pair", "server,mpd\n0,0\n1,x\n").unwrap_err();
/// assert_eq!(wrong.to_string(), "line 3: mpd is \"x\", expected a number from 0 to 65535");
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn from_edge_list(name: impl Into<String>, text: &str) -> Result<Topology> {
    let numbered = text.lines().enumerate().map(|(index, row)| (index + 1, row));
    let mut rows = numbered.filter(|(_, row)| !row.trim().is_empty());
    let (line, header) = rows.next().unwrap_or((1, ""));
    if !fields(header).eq(["server", "mpd"]) {
        let found = quote(header.trim());
        let message = format!("found {found}, expected a JSON object or the header server,mpd");
        return Err(Error::Row { line, message });
    }
    let mut links = rows.map(|(line, row)| link(row, line)).collect::<Result<Vec<_>>>()?;

    links.sort_unstable();
    let repeats = links.windows(2).filter(|w| (w[0].mpd, w[0].server) == (w[1].mpd, w[1].server));
    if let Some([first, second]) = repeats.min_by_key(|w| w[1].line) {
        let message = format!(
            "links server {} to mpd {} again, after line {}",
            second.server, second.mpd, first.line
        );
        return Err(Error::Row { line: second.line, message });
    }
    assemble(name.into(), &links)
}

/// The fields of a row, without spaces and quotation marks around them.
fn fields(row: &str) -> impl Iterator<Item = &str> {
    row.split(',').map(|field| {
        let field = field.trim();
        let quoted = field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        quoted.unwrap_or(field)
    })
}

fn link(row: &str, line: usize) -> Result<Link> {
    let Some((server, mpd)) = fields(row).collect_tuple() else {
        let message = format!("{} fields, expected 2: server,mpd", fields(row).count());
        return Err(Error::Row { line, message });
    };
    let id = |field, text: &str, count: usize| {
        let id = text.parse::<usize>().ok().filter(|&id| id < count);
        id.ok_or_else(|| {
            let message =
                format!("{field} is {}, expected a number from 0 to {}", quote(text), count - 1);
            Error::Row { line, message }
        })
    };
    Ok(Link { server: id("server", server, MAX_SERVERS)?, mpd: id("mpd", mpd, MAX_MPDS)?, line })
}

/// `links` are in range and each there once.
fn assemble(name: String, links: &[Link]) -> Result<Topology> {
    let servers = links.iter().map(|link| link.server + 1).max().unwrap_or(0);
    let mpds = links.iter().map(|link| link.mpd + 1).max().unwrap_or(0);
    let mut members = vec![Vec::new(); mpds];
    let mut degree = vec![0; servers];
    for link in links {
        members[link.mpd].push(link.server);
        degree[link.server] += 1;
    }
    let server_ports = degree.into_iter().max().unwrap_or(0);
    let mpd_ports = members.iter().map(Vec::len).max().unwrap_or(0);
    Topology::new(name, server_ports, mpd_ports, servers, members)
}

/// The links as CSV with the header `server,mpd`, MPD by MPD.
///
/// Name, port counts, islands, and servers or MPDs of the highest numbers that
/// have no link are lost; [`super::to_json`] keeps them.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, format::to_edge_list};
///
/// let pod = Topology::new("pair", 1, 2, 2, [[1, 0]])?;
/// assert_eq!(to_edge_list(&pod), "server,mpd\n0,0\n1,0\n");
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn to_edge_list(pod: &Topology) -> String {
    let rows = pod.mpd_ids().flat_map(|mpd| {
        pod.servers_of(mpd).map(move |server| format!("{},{}\n", server.index(), mpd.index()))
    });
    std::iter::once("server,mpd\n".to_owned()).chain(rows).collect()
}
