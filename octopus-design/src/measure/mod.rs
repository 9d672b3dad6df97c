//! What a pod's wiring is worth, apart from [`crate::expansion`].
//!
//! * [`shared_mpds`]: on how many MPDs server pairs overlap (section 5.1).
//! * [`mpd_hops`]: how many MPDs messages cross (Figure 11).
//! * [`connected`]: whether every server can reach every other at all.
//! * [`spectrum`]: the spectral gap, which bounds expansion from below.
//!
//! Everything here takes any [`Topology`], of any size; work
//! is shared among the threads of the current rayon pool, whose number changes
//! no result.

mod component;
mod domain;
mod hops;
mod overlap;
mod spectrum;

pub use component::connected;
pub use domain::low_latency_domain;
pub use hops::{MpdHops, mpd_hops};
pub use overlap::shared_mpds;
pub use spectrum::{Spectrum, spectrum};

use crate::{MpdId, ServerId, Topology};

/// Both sides' neighbours as lists, which walks of sparse pods want.
struct Neighbors {
    mpds_of: Vec<Vec<usize>>,
    servers_of: Vec<Vec<usize>>,
}

impl Neighbors {
    fn of(pod: &Topology) -> Self {
        let mpds = |server| pod.mpds_of(server).map(MpdId::index).collect();
        let servers = |mpd| pod.servers_of(mpd).map(ServerId::index).collect();
        Self {
            mpds_of: pod.server_ids().map(mpds).collect(),
            servers_of: pod.mpd_ids().map(servers).collect(),
        }
    }
}

/// How many unordered pairs `count` things make.
fn pairs(count: usize) -> u64 {
    let count = count as u64;
    count * count.saturating_sub(1) / 2
}
