//! Graphs for graph tools.
//!
//! # References
//!
//! U. Brandes, M. Eiglsperger, I. Herman, M. Himsolt and M. S. Marshall,
//! `GraphML` progress report, Graph Drawing 2001, LNCS 2265, pp. 501–512.

use itertools::Itertools;

use super::island_numbers;
use crate::Topology;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="graph" attr.name="name" attr.type="string"/>
  <key id="server_ports" for="graph" attr.name="server_ports" attr.type="int"/>
  <key id="mpd_ports" for="graph" attr.name="mpd_ports" attr.type="int"/>
  <key id="kind" for="node" attr.name="kind" attr.type="string"/>
  <key id="island" for="node" attr.name="island" attr.type="int"/>
  <graph id="pod" edgedefault="undirected">
"#;

/// The pod as `GraphML`: nodes `S0..` and `P0..` with their `kind` (`server` or
/// `mpd`) and, for the servers of a claimed island, its number.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, format::to_graphml};
///
/// let xml = to_graphml(&Topology::new("a&b", 1, 2, 2, [[0, 1]])?);
/// assert!(xml.contains("<data key=\"name\">a&amp;b</data>"));
/// assert_eq!((xml.matches("<node ").count(), xml.matches("<edge ").count()), (3, 2));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn to_graphml(pod: &Topology) -> String {
    let island_of = island_numbers(pod);
    let head = [
        format!("    <data key=\"name\">{}</data>", escaped(pod.name())),
        format!("    <data key=\"server_ports\">{}</data>", pod.server_ports()),
        format!("    <data key=\"mpd_ports\">{}</data>", pod.mpd_ports()),
    ];
    let servers = pod.server_ids().map(|server| {
        let island = island_of[server.index()]
            .map_or_else(String::new, |island| format!("<data key=\"island\">{island}</data>"));
        format!("    <node id=\"{server}\"><data key=\"kind\">server</data>{island}</node>")
    });
    let mpds = pod
        .mpd_ids()
        .map(|mpd| format!("    <node id=\"{mpd}\"><data key=\"kind\">mpd</data></node>"));
    let links = pod.mpd_ids().flat_map(|mpd| {
        pod.servers_of(mpd)
            .map(move |server| format!("    <edge source=\"{server}\" target=\"{mpd}\"/>"))
    });
    let body = head.into_iter().chain(servers).chain(mpds).chain(links).join("\n");
    format!("{HEAD}{body}\n  </graph>\n</graphml>\n")
}

/// Text of an XML element. XML 1.0 has no way to write most control
/// characters, nor U+FFFE and U+FFFF: they become the replacement character.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => xml.push('\u{fffd}'),
            c => xml.push(c),
        }
    }
    xml
}
