//! What breaks a rule, with its values.

use thiserror::Error;

use crate::{IslandId, MpdId, ServerId};

/// One way in which a pod is not what it says; displays as one line.
///
/// # Examples
///
/// ```
/// use octopus_design::{MpdId, verify::Violation};
///
/// let violation = Violation::MpdOverPorts { mpd: MpdId(3), links: 5, ports: 4 };
/// assert_eq!(violation.to_string(), "P3 has 5 links but 4 ports");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Violation {
    /// A server has more links than ports.
    #[error("{server} has {links} links but {ports} ports")]
    ServerOverPorts {
        /// The server.
        server: ServerId,
        /// Its links.
        links: usize,
        /// X.
        ports: usize,
    },
    /// An MPD has more links than ports.
    #[error("{mpd} has {links} links but {ports} ports")]
    MpdOverPorts {
        /// The MPD.
        mpd: MpdId,
        /// Its links.
        links: usize,
        /// N.
        ports: usize,
    },
    /// An island is claimed some of whose servers share no MPD.
    #[error("island {island} is none: {a} and {b} share no MPD ({missing} of {pairs} pairs)")]
    NoOverlap {
        /// The island.
        island: IslandId,
        /// The lower server of the first such pair.
        a: ServerId,
        /// The higher one.
        b: ServerId,
        /// How many pairs share none.
        missing: u64,
        /// How many pairs the island has.
        pairs: u64,
    },
    /// The number of islands is wrong.
    #[error("{islands} islands, expected {expected}")]
    IslandCount {
        /// Islands the topology has.
        islands: usize,
        /// Islands it should have.
        expected: usize,
    },
    /// A server is in no island.
    #[error("{server} is in no island")]
    NoIsland {
        /// The server.
        server: ServerId,
    },
    /// Two islands differ in size.
    #[error("island {island} has {servers} servers, island I0 has {expected}")]
    IslandSize {
        /// The island.
        island: IslandId,
        /// Its servers.
        servers: usize,
        /// The servers of the first island.
        expected: usize,
    },
    /// A server has not exactly X links.
    #[error("{server} has {links} links, expected {expected}")]
    ServerLinks {
        /// The server.
        server: ServerId,
        /// Its links.
        links: usize,
        /// X.
        expected: usize,
    },
    /// An MPD has not exactly N links.
    #[error("{mpd} has {links} links, expected {expected}")]
    MpdLinks {
        /// The MPD.
        mpd: MpdId,
        /// Its links.
        links: usize,
        /// N.
        expected: usize,
    },
    /// A server has not exactly Xᵢ links to MPDs of its island.
    #[error("{server} has {links} links to MPDs of its island, expected {expected}")]
    IslandPorts {
        /// The server.
        server: ServerId,
        /// Its links to MPDs whose servers all are in its island.
        links: usize,
        /// Xᵢ.
        expected: usize,
    },
    /// Two servers of an island share not exactly one of the island's MPDs.
    #[error("{a} and {b} of island {island} share {shared} of its MPDs, expected 1")]
    IslandPair {
        /// The island.
        island: IslandId,
        /// The lower server.
        a: ServerId,
        /// The higher server.
        b: ServerId,
        /// The MPDs of the island that both are linked to.
        shared: usize,
    },
    /// An external MPD does not touch exactly N islands.
    #[error("external {mpd} is on {islands} islands, expected {expected}")]
    Spread {
        /// The MPD.
        mpd: MpdId,
        /// The islands it touches.
        islands: usize,
        /// N.
        expected: usize,
    },
    /// Two servers share more than one MPD.
    #[error("{a} and {b} share {shared} MPDs, at most 1 allowed")]
    PairShare {
        /// The lower server.
        a: ServerId,
        /// The higher server.
        b: ServerId,
        /// MPDs both are linked to.
        shared: usize,
    },
    /// Two island pairs differ by more than one external MPD.
    #[error(
        "{}{} and {} share {least} external MPDs, {} and {} share {most}",
        in_round(*round), low.0, low.1, high.0, high.1
    )]
    Unbalanced {
        /// The round, from 0; none for the pod as a whole.
        round: Option<usize>,
        /// The first pair of islands with the fewest.
        low: (IslandId, IslandId),
        /// The fewest external MPDs a pair of islands shares.
        least: usize,
        /// The first pair of islands with the most.
        high: (IslandId, IslandId),
        /// The most external MPDs a pair of islands shares.
        most: usize,
    },
    /// The island pairs that share one external MPD less than the others are
    /// not spread evenly over the islands.
    #[error(
        "{}{} is in {least} of the pairs that share only {shared} external MPDs, {} in {most}",
        in_round(*round), low, high
    )]
    Irregular {
        /// The round, from 0; none for the pod as a whole.
        round: Option<usize>,
        /// How many external MPDs the low pairs share.
        shared: usize,
        /// The first island in the fewest low pairs.
        low: IslandId,
        /// Its low pairs.
        least: usize,
        /// The first island in the most low pairs.
        high: IslandId,
        /// Its low pairs.
        most: usize,
    },
    /// Servers differ in their number of external links, so that rounds that
    /// use each server once cannot use up all external MPDs.
    #[error("{server} has {links} external links, S0 has {expected}")]
    UnevenExternal {
        /// The server.
        server: ServerId,
        /// Its links to external MPDs.
        links: usize,
        /// Those of the first server.
        expected: usize,
    },
    /// All ways to split the external MPDs into rounds were tried.
    #[error(
        "the external MPDs cannot be split into {rounds} rounds that use each server once: \
         in order of id, {server} is not used exactly once in round {round}, and no other way exists"
    )]
    NoRounds {
        /// The number of rounds there should be: each server's external links.
        rounds: usize,
        /// The first round that is wrong if MPDs are taken in order of id.
        round: usize,
        /// The first server that is wrong in it.
        server: ServerId,
    },
    /// No external MPD of a server reaches some island.
    #[error("the external MPDs of {server} do not reach island {island}")]
    Uncovered {
        /// The server.
        server: ServerId,
        /// The first island not reached.
        island: IslandId,
    },
    /// A message must cross more than two MPDs.
    #[error("a message from {a} to {b} must cross more than two MPDs")]
    Far {
        /// The lower server.
        a: ServerId,
        /// The higher server.
        b: ServerId,
    },
}

fn in_round(round: Option<usize>) -> String {
    round.map_or_else(String::new, |round| format!("in round {round}, "))
}
