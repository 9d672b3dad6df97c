//! Where every box of a pod stands.

use octopus_design::{MpdId, ServerId, Topology};
use serde::{Deserialize, Serialize};

use crate::{Error, Geometry, Result};

/// One of the two server racks, as seen from the front.
///
/// ```
/// use octopus_layout::Rack;
/// assert_eq!(Rack::Left.to_string(), "left");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rack {
    /// Left of the MPD rack.
    Left,
    /// Right of it.
    Right,
}

impl std::fmt::Display for Rack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

/// A slot of a server rack.
///
/// ```
/// use octopus_layout::{Rack, ServerPlace};
/// assert!(ServerPlace { rack: Rack::Left, slot: 47 } < ServerPlace { rack: Rack::Right, slot: 0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ServerPlace {
    /// Which rack.
    pub rack: Rack,
    /// Slot, 0 at the bottom.
    pub slot: usize,
}

/// A position of the MPD rack.
///
/// ```
/// use octopus_layout::MpdPlace;
/// assert!(MpdPlace { slot: 0, position: 3 } < MpdPlace { slot: 1, position: 0 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MpdPlace {
    /// Slot, 0 at the bottom.
    pub slot: usize,
    /// Position in the slot, 0 at the left.
    pub position: usize,
}

/// A place for each server and each MPD of a pod, by id.
///
/// # Examples
///
/// One MPD between four servers: two slots, two racks.
///
/// ```
/// use octopus_design::Topology;
/// use octopus_layout::{Geometry, MpdPlace, Placement, Rack, ServerPlace};
///
/// let pod = Topology::new("one", 1, 4, 4, [[0, 1, 2, 3]])?;
/// let server = |slot| ServerPlace { rack: Rack::Left, slot };
/// let placement = Placement {
///     servers: vec![server(0), server(1), server(2), server(3)],
///     mpds: vec![MpdPlace { slot: 1, position: 0 }],
/// };
/// let geometry = Geometry::default();
/// placement.check(&pod, &geometry)?;
/// assert!((placement.max_cable_m(&pod, &geometry) - 0.175).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Each server's slot.
    pub servers: Vec<ServerPlace>,
    /// Each MPD's position.
    pub mpds: Vec<MpdPlace>,
}

impl Placement {
    /// Whether each box of `pod` has a place of its own in the racks.
    ///
    /// # Errors
    ///
    /// [`Error::Length`], [`Error::Outside`] or [`Error::Collision`], with the
    /// first box at fault.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::Topology;
    /// use octopus_layout::{Geometry, MpdPlace, Placement, Rack, ServerPlace};
    ///
    /// let pod = Topology::new("two", 1, 2, 2, [[0, 1]])?;
    /// let place = ServerPlace { rack: Rack::Left, slot: 5 };
    /// let twice = Placement {
    ///     servers: vec![place, place],
    ///     mpds: vec![MpdPlace { slot: 0, position: 0 }],
    /// };
    /// let wrong = twice.check(&pod, &Geometry::default()).unwrap_err();
    /// assert_eq!(wrong.to_string(), "servers[1] stands where servers[0] stands");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, pod: &Topology, geometry: &Geometry) -> Result<()> {
        for (field, found, expected) in
            [("servers", self.servers.len(), pod.servers()), ("mpds", self.mpds.len(), pod.mpds())]
        {
            if found != expected {
                return Err(Error::Length { field, found, expected });
            }
        }
        let outside = |field, index, part, value, count| {
            if value < count {
                return Ok(());
            }
            Err(Error::Outside { field, index, part, value, count })
        };
        let mut taken = vec![None; geometry.server_places()];
        for (index, place) in self.servers.iter().enumerate() {
            outside("servers", index, "slot", place.slot, geometry.server_slots)?;
            take(&mut taken, geometry.server_index(*place), "servers", index)?;
        }
        let mut taken = vec![None; geometry.mpd_places()];
        for (index, place) in self.mpds.iter().enumerate() {
            outside("mpds", index, "slot", place.slot, geometry.mpd_slots)?;
            outside("mpds", index, "position", place.position, geometry.mpds_per_slot)?;
            take(&mut taken, geometry.mpd_index(*place), "mpds", index)?;
        }
        Ok(())
    }

    /// The length of one cable, metres.
    ///
    /// # Panics
    ///
    /// If there is no such server or MPD; likewise below.
    #[must_use]
    pub fn length_m(&self, geometry: &Geometry, server: ServerId, mpd: MpdId) -> f64 {
        geometry.length_m(self.servers[server.index()], self.mpds[mpd.index()])
    }

    /// The longest cable of the pod, metres; 0 where it has none.
    #[must_use]
    pub fn max_cable_m(&self, pod: &Topology, geometry: &Geometry) -> f64 {
        let links = pod.mpd_ids().flat_map(|mpd| pod.servers_of(mpd).map(move |s| (s, mpd)));
        links.map(|(server, mpd)| self.length_m(geometry, server, mpd)).fold(0.0, f64::max)
    }
}

fn take(
    taken: &mut [Option<usize>],
    place: usize,
    field: &'static str,
    second: usize,
) -> Result<()> {
    match taken[place].replace(second) {
        None => Ok(()),
        Some(first) => Err(Error::Collision { field, first, second }),
    }
}
