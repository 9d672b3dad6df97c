//! Pods with failed cables.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::{Error, MpdId, Result, ServerId, Topology};

/// The pod with a share of its links failed, rounded to whole links and drawn
/// at random (section 6.3.3).
///
/// Draws are nested: under one seed the links that fail at a smaller share are
/// among those at a larger one. Islands stay claimed, so that
/// [`crate::verify::claims`] says which of them the failures broke.
///
/// # Errors
///
/// [`Error::NotAShare`] unless `share` lies in [0, 1].
///
/// # Examples
///
/// ```
/// use octopus_design::pod;
///
/// let whole = pod::octopus_96();
/// let failed = pod::fail_links(&whole, 0.05, 7)?;
/// assert_eq!((whole.links(), failed.links()), (768, 730));
/// assert_eq!(failed.mpds(), 192);
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn fail_links(topology: &Topology, share: f64, seed: u64) -> Result<Topology> {
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::NotAShare { value: share });
    }
    let of = |server: ServerId| topology.mpds_of(server).map(move |mpd| (server, mpd));
    let mut links: Vec<(ServerId, MpdId)> = topology.server_ids().flat_map(of).collect();
    links.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    // a link fails where its place in the shuffled list lies below the share
    let fails = |at: usize| at as f64 + 0.5 < share * links.len() as f64;
    let failed: BTreeSet<_> =
        (0..links.len()).filter(|&at| fails(at)).map(|at| links[at]).collect();
    Ok(topology.retain_links(|server, mpd| !failed.contains(&(server, mpd))))
}
