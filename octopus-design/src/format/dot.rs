//! Drawings by Graphviz.

use itertools::Itertools;

use super::island_numbers;
use crate::Topology;

/// The pod as an undirected graph in DOT: servers are circles, MPDs boxes (as
/// in Figure 7), each claimed island a cluster with its servers and with the
/// MPDs that only they use.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, format::to_dot};
///
/// let pod = Topology::new("pair", 1, 2, 2, [[0, 1]])?.with_islands([[0, 1]])?;
/// let dot = to_dot(&pod);
/// assert!(dot.starts_with("graph \"pair\" {\n"));
/// assert!(dot.contains("subgraph cluster_0 {"));
/// assert_eq!(dot.matches(" -- ").count(), pod.links());
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn to_dot(pod: &Topology) -> String {
    let mut lines = vec![
        format!("graph {} {{", quoted(pod.name())),
        "  rankdir=LR;".to_owned(),
        "  node [fontname=\"sans-serif\"];".to_owned(),
    ];
    let island_of = island_numbers(pod);
    let mut inner = vec![Vec::new(); pod.islands().len()];
    let mut outer = Vec::new();
    for mpd in pod.mpd_ids() {
        match pod.servers_of(mpd).map(|server| island_of[server.index()]).all_equal_value() {
            Ok(Some(island)) => inner[island].push(mpd),
            _ => outer.push(mpd),
        }
    }
    for (index, (servers, mpds)) in pod.islands().iter().zip(&inner).enumerate() {
        lines.push(format!("  subgraph cluster_{index} {{"));
        lines.push(format!("    label=\"I{index}\";"));
        for server in servers {
            lines.push(format!("    {server} [shape=circle];"));
        }
        lines.extend(mpds.iter().map(|mpd| format!("    {mpd} [shape=box];")));
        lines.push("  }".to_owned());
    }
    for server in pod.server_ids().filter(|server| island_of[server.index()].is_none()) {
        lines.push(format!("  {server} [shape=circle];"));
    }
    lines.extend(outer.iter().map(|mpd| format!("  {mpd} [shape=box];")));
    for mpd in pod.mpd_ids() {
        lines.extend(pod.servers_of(mpd).map(|server| format!("  {server} -- {mpd};")));
    }
    lines.push("}\n".to_owned());
    lines.iter().join("\n")
}

/// A DOT string: only the quotation mark must be escaped, and a backslash
/// would start an escape of Graphviz's own.
fn quoted(text: &str) -> String {
    let clean = text.replace(|c: char| c.is_control(), " ");
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}
