//! Topologies as files.
//!
//! | format | in | out | keeps |
//! |---|---|---|---|
//! | JSON, schema [`SCHEMA`] | [`from_json`] | [`to_json`] | everything |
//! | edge list, CSV with the header `server,mpd` | [`from_edge_list`] | [`to_edge_list`] | the links |
//! | DOT | | [`to_dot`] | a drawing: links and islands |
//! | `GraphML` | | [`to_graphml`] | everything, for graph tools |
//!
//! [`read`] takes either of the first two from anything that can be read. What
//! is read is never trusted: whatever the bytes, the answer is a well-formed
//! [`Topology`] or an [`Error`](crate::Error) of one short
//! line, and memory stays within a small multiple of [`MAX_FILE_BYTES`] and
//! the adjacency's own limit.
//!
//! Whatever is written is the same bytes for the same topology.

mod dot;
mod edge_list;
mod graphml;
mod json;
mod read;
mod text;

pub use dot::to_dot;
pub use edge_list::{from_edge_list, to_edge_list};
pub use graphml::to_graphml;
pub use json::{SCHEMA, from_json, to_json};
pub use read::{MAX_FILE_BYTES, read};

use crate::Topology;

/// The number of each server's island, by server.
fn island_numbers(pod: &Topology) -> Vec<Option<usize>> {
    let mut island_of = vec![None; pod.servers()];
    for (number, island) in pod.islands().iter().enumerate() {
        for server in island {
            island_of[server.index()] = Some(number);
        }
    }
    island_of
}
