//! Expander pods: random graphs and random lifts.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::local_search::Seating;
use crate::error::in_range;
use crate::{Error, MAX_MPDS, MAX_SERVERS, Result, Topology};

/// Swaps a search may spend, a link.
const SWAPS_PER_LINK: u64 = 4_000;
/// The pair counts of the search take servers² entries.
const MAX_RANDOM_SERVERS: usize = 8_192;

/// What a Jellyfish pod is made of.
///
/// # Examples
///
/// ```
/// use octopus_design::pod::JellyfishSpec;
/// let spec = JellyfishSpec { servers: 96, server_ports: 8, mpd_ports: 4, max_shared: None };
/// assert_eq!(spec.servers * spec.server_ports / spec.mpd_ports, 192);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JellyfishSpec {
    /// S.
    pub servers: usize,
    /// X, all of them used.
    pub server_ports: usize,
    /// N, all of them used.
    pub mpd_ports: usize,
    /// The most MPDs that two servers may share; `None` for what chance
    /// brings, which is up to four in a pod of 96 servers. `Some(1)` gives a
    /// graph of girth six.
    pub max_shared: Option<u16>,
}

/// A random biregular pod.
///
/// The links are dealt at random (the configuration model), then swapped until
/// no MPD has a server twice and no two servers share more than allowed. The
/// name carries the seed, since it is part of what the pod is.
///
/// # Errors
///
/// [`Error::OutOfRange`], [`Error::Impossible`] if the counts do not work out,
/// [`Error::NotFound`] if the swaps do not succeed.
///
/// # References
///
/// Singla et al., "Jellyfish: Networking Data Centers Randomly", 2012; the
/// paper's expander topologies (section 6.3.1).
///
/// # Examples
///
/// ```
/// use octopus_design::{measure, pod::{JellyfishSpec, jellyfish}};
///
/// let spec = JellyfishSpec { servers: 96, server_ports: 8, mpd_ports: 4, max_shared: Some(1) };
/// let pod = jellyfish(&spec, 1)?;
/// assert_eq!((pod.mpds(), pod.server_degree(), pod.mpd_degree()), (192, 8..=8, 4..=4));
/// assert_eq!(measure::shared_mpds(&pod).keys().max(), Some(&1));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn jellyfish(spec: &JellyfishSpec, seed: u64) -> Result<Topology> {
    let &JellyfishSpec { servers, server_ports, mpd_ports, max_shared } = spec;
    let mpds = mpds_filled(servers, server_ports, mpd_ports)?;
    let partners = server_ports * (mpd_ports - 1);
    if let Some(most) = max_shared
        && partners > usize::from(most) * (servers - 1)
    {
        let reason = format!(
            "{server_ports} MPDs of {mpd_ports} ports bring a server together with {partners} others, \
             more than {most} time(s) the {} there are",
            servers - 1
        );
        return Err(Error::Impossible { reason });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut links: Vec<usize> =
        (0..servers * server_ports).map(|link| link / server_ports).collect();
    links.shuffle(&mut rng);
    let dealt = links.chunks(mpd_ports).map(<[usize]>::to_vec).collect();
    let mut seating = Seating::new(dealt, servers, max_shared.unwrap_or(u16::MAX), None);
    let class: Vec<_> = (0..mpds).flat_map(|m| (0..mpd_ports).map(move |seat| (m, seat))).collect();
    let budget = SWAPS_PER_LINK * class.len() as u64;
    if !seating.settle(&[class], budget, &mut rng) {
        let what =
            format!("a random pod of {servers} servers with {server_ports} and {mpd_ports} ports");
        return Err(Error::NotFound { what, budget, seed });
    }
    let name = match max_shared {
        None => format!("jellyfish-{servers}-seed-{seed}"),
        Some(most) => format!("jellyfish-{servers}-shared-{most}-seed-{seed}"),
    };
    Topology::new(name, server_ports, mpd_ports, servers, seating.mpds)
}

/// A random lift of the complete bipartite graph of N servers and X MPDs.
///
/// Each of the N·X links becomes a perfect matching between copies of its
/// ends, chosen at random, so no MPD has two servers of one group and the
/// spectrum is close to the best possible.
///
/// # Errors
///
/// [`Error::OutOfRange`]; [`Error::Impossible`] if `servers` is not a multiple
/// of `mpd_ports`.
///
/// # References
///
/// Valadarsky et al., "Xpander: Towards Optimal-Performance Datacenters", 2016;
/// Bilu and Linial, "Lifts, discrepancy and nearly optimal spectral gap", 2006.
///
/// # Examples
///
/// ```
/// use octopus_design::pod::xpander;
/// let pod = xpander(96, 8, 4, 1)?;
/// assert_eq!((pod.mpds(), pod.server_degree(), pod.mpd_degree()), (192, 8..=8, 4..=4));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn xpander(
    servers: usize,
    server_ports: usize,
    mpd_ports: usize,
    seed: u64,
) -> Result<Topology> {
    mpds_filled(servers, server_ports, mpd_ports)?;
    if !servers.is_multiple_of(mpd_ports) {
        let reason =
            format!("a lift of {mpd_ports} servers has a multiple of {mpd_ports}, not {servers}");
        return Err(Error::Impossible { reason });
    }
    let copies = servers / mpd_ports;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut mpds = vec![Vec::with_capacity(mpd_ports); server_ports * copies];
    for group in 0..mpd_ports {
        for base in 0..server_ports {
            let mut matching: Vec<usize> = (0..copies).collect();
            matching.shuffle(&mut rng);
            for (copy, server) in matching.into_iter().enumerate() {
                mpds[base * copies + copy].push(group * copies + server);
            }
        }
    }
    Topology::new(format!("xpander-{servers}-seed-{seed}"), server_ports, mpd_ports, servers, mpds)
}

/// How many MPDs take all links, if they come out even.
fn mpds_filled(servers: usize, server_ports: usize, mpd_ports: usize) -> Result<usize> {
    in_range("servers", servers, 1..=MAX_RANDOM_SERVERS.min(MAX_SERVERS))?;
    in_range("server_ports", server_ports, 1..=MAX_MPDS)?;
    in_range("mpd_ports", mpd_ports, 1..=MAX_SERVERS)?;
    let links = servers * server_ports;
    let mpds = links / mpd_ports;
    let reason = if mpd_ports > servers {
        format!("an MPD of {mpd_ports} ports needs as many servers, and there are {servers}")
    } else if !links.is_multiple_of(mpd_ports) {
        format!(
            "{servers} servers with {server_ports} ports make {links} links, not a multiple of {mpd_ports}"
        )
    } else if server_ports > mpds {
        format!("a server with {server_ports} ports needs as many MPDs, and there are {mpds}")
    } else {
        in_range("number of mpds", mpds, 1..=MAX_MPDS)?;
        return Ok(mpds);
    };
    Err(Error::Impossible { reason })
}
