//! Three racks side by side, and how long a cable between two places is.

use serde::{Deserialize, Serialize};

use crate::{Error, MpdPlace, Rack, Result, ServerPlace};

/// The most slots a rack may have.
///
/// ```
/// use octopus_layout::{Geometry, MAX_SLOTS};
/// let tall = Geometry { server_slots: MAX_SLOTS + 1, ..Geometry::default() };
/// assert_eq!(tall.check().unwrap_err().to_string(), "server_slots is 1025, expected 1 to 1024");
/// ```
pub const MAX_SLOTS: usize = 1024;

/// The most MPD positions the middle rack may have.
///
/// ```
/// use octopus_layout::{Geometry, MAX_POSITIONS};
/// let dense = Geometry { mpd_slots: 1024, mpds_per_slot: 9, ..Geometry::default() };
/// assert!(dense.mpd_places() > MAX_POSITIONS && dense.check().is_err());
/// ```
pub const MAX_POSITIONS: usize = 8192;

/// The racks: servers left and right, MPDs in the middle (section 5.3, Figure 8).
///
/// Slot 0 is the bottom one. A server's ports sit at the front corner next to
/// the MPD rack, an MPD's at the front of its position. A cable's length is the
/// Manhattan distance between the ports.
///
/// The first six fields are the contract's. The others shift ports from where
/// it puts them, and are zero by default.
///
/// # Examples
///
/// ```
/// use octopus_layout::{Geometry, MpdPlace, Rack, ServerPlace};
///
/// let geometry = Geometry::default();
/// let server = ServerPlace { rack: Rack::Left, slot: 10 };
/// let mpd = MpdPlace { slot: 12, position: 3 };
/// // 3.5 of 4 positions across, two slots up
/// assert!((geometry.length_m(server, mpd) - (0.525 + 0.1)).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Geometry {
    /// From one slot to the next above it, metres.
    pub slot_pitch_m: f64,
    /// The width of a rack's slots, metres.
    pub slot_width_m: f64,
    /// The depth of a rack's slots, metres; no cable runs along it, since all
    /// ports are at the front.
    pub slot_depth_m: f64,
    /// Slots of each of the two server racks.
    pub server_slots: usize,
    /// Slots of the MPD rack.
    pub mpd_slots: usize,
    /// MPDs side by side in one of its slots.
    pub mpds_per_slot: usize,
    /// How far a server's ports are from the corner next to the MPD rack, metres.
    #[serde(skip_serializing_if = "is_zero")]
    pub server_port_inset_m: f64,
    /// How far above an MPD's ports a server's are, in slots of one number, metres.
    #[serde(skip_serializing_if = "is_zero")]
    pub server_port_rise_m: f64,
    /// How far behind one another the two kinds of ports are, metres.
    #[serde(skip_serializing_if = "is_zero")]
    pub port_depth_m: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(value: &f64) -> bool {
    value.abs() < f64::MIN_POSITIVE
}

impl Default for Geometry {
    /// The paper's three racks: 48 slots of 5 cm, four MPDs a slot.
    fn default() -> Self {
        Self {
            slot_pitch_m: 0.05,
            slot_width_m: 0.60,
            slot_depth_m: 1.0,
            server_slots: 48,
            mpd_slots: 48,
            mpds_per_slot: 4,
            server_port_inset_m: 0.0,
            server_port_rise_m: 0.0,
            port_depth_m: 0.0,
        }
    }
}

/// The keys a geometry file may have; the same as [`Geometry`], strictly.
#[derive(Deserialize)]
#[serde(remote = "Geometry", default = "Geometry::default", deny_unknown_fields)]
struct Strict {
    slot_pitch_m: f64,
    slot_width_m: f64,
    slot_depth_m: f64,
    server_slots: usize,
    mpd_slots: usize,
    mpds_per_slot: usize,
    server_port_inset_m: f64,
    server_port_rise_m: f64,
    port_depth_m: f64,
}

impl Geometry {
    /// The paper's racks with eight MPDs a slot, for two-port MPDs of half the
    /// width (section 5.3: the middle rack holds a varying number a slot).
    ///
    /// ```
    /// use octopus_layout::Geometry;
    /// assert_eq!(Geometry::eight_a_slot().mpd_places(), 384);
    /// ```
    #[must_use]
    pub fn eight_a_slot() -> Self {
        Self { mpds_per_slot: 8, ..Self::default() }
    }

    /// From TOML; what is left out keeps its default, an unknown key is an error.
    ///
    /// # Errors
    ///
    /// [`Error::Toml`] with the line, and what [`Geometry::check`] refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::Geometry;
    ///
    /// let low = Geometry::from_toml("server_slots = 24\nmpd_slots = 24")?;
    /// assert_eq!((low.server_places(), low.mpd_places()), (48, 96));
    /// let wrong = Geometry::from_toml("slot_pitch_m = nan").unwrap_err();
    /// assert_eq!(wrong.to_string(), "slot_pitch_m is NaN, expected 0.001 to 10 metres");
    /// # Ok::<(), octopus_layout::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self> {
        let parsed = toml::Deserializer::parse(text).and_then(Strict::deserialize);
        let geometry = parsed.map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            Error::Toml {
                line: 1 + before.matches('\n').count(),
                message: error.message().lines().next().unwrap_or_default().to_owned(),
            }
        })?;
        geometry.check()?;
        Ok(geometry)
    }

    /// Whether all sizes are usable.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] for a size that is not finite or out of range,
    /// [`Error::Count`] for no slots or too many.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::Geometry;
    /// assert!(Geometry::default().check().is_ok());
    /// assert!(Geometry { slot_width_m: -0.6, ..Geometry::default() }.check().is_err());
    /// ```
    pub fn check(&self) -> Result<()> {
        for (field, value) in [
            ("slot_pitch_m", self.slot_pitch_m),
            ("slot_width_m", self.slot_width_m),
            ("slot_depth_m", self.slot_depth_m),
        ] {
            if !(0.001..=10.0).contains(&value) {
                return Err(Error::Number { field, value, expected: "0.001 to 10 metres" });
            }
        }
        for (field, value) in
            [("server_port_inset_m", self.server_port_inset_m), ("port_depth_m", self.port_depth_m)]
        {
            if !(0.0..=10.0).contains(&value) {
                return Err(Error::Number { field, value, expected: "0 to 10 metres" });
            }
        }
        if !(-10.0..=10.0).contains(&self.server_port_rise_m) {
            let (field, value) = ("server_port_rise_m", self.server_port_rise_m);
            return Err(Error::Number { field, value, expected: "-10 to 10 metres" });
        }
        for (field, value, most) in [
            ("server_slots", self.server_slots, MAX_SLOTS),
            ("mpd_slots", self.mpd_slots, MAX_SLOTS),
            ("mpds_per_slot", self.mpds_per_slot, MAX_POSITIONS / self.mpd_slots.max(1)),
        ] {
            if !(1..=most).contains(&value) {
                return Err(Error::Count { field, value, least: 1, most });
            }
        }
        Ok(())
    }

    /// Slots for servers, both racks together.
    ///
    /// ```
    /// # use octopus_layout::Geometry;
    /// assert_eq!(Geometry::default().server_places(), 96);
    /// ```
    #[must_use]
    pub fn server_places(&self) -> usize {
        2 * self.server_slots
    }

    /// Positions for MPDs.
    ///
    /// ```
    /// # use octopus_layout::Geometry;
    /// assert_eq!(Geometry::default().mpd_places(), 192);
    /// ```
    #[must_use]
    pub fn mpd_places(&self) -> usize {
        self.mpd_slots * self.mpds_per_slot
    }

    /// The length of a cable between two places, metres.
    ///
    /// ```
    /// # use octopus_layout::{Geometry, MpdPlace, Rack, ServerPlace};
    /// let server = ServerPlace { rack: Rack::Right, slot: 0 };
    /// let mpd = MpdPlace { slot: 0, position: 0 };
    /// assert!((Geometry::default().length_m(server, mpd) - 0.525).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn length_m(&self, server: ServerPlace, mpd: MpdPlace) -> f64 {
        let across = (mpd.position as f64 + 0.5) * self.slot_width_m / self.mpds_per_slot as f64;
        let across = match server.rack {
            Rack::Left => across,
            Rack::Right => self.slot_width_m - across,
        };
        let rows = server.slot as f64 - mpd.slot as f64;
        let up = rows * self.slot_pitch_m + self.server_port_rise_m;
        across + self.server_port_inset_m + up.abs() + self.port_depth_m
    }

    /// The server place of this number: the left rack from the bottom, then the
    /// right one.
    pub(crate) fn server_place(&self, index: usize) -> ServerPlace {
        if index < self.server_slots {
            ServerPlace { rack: Rack::Left, slot: index }
        } else {
            ServerPlace { rack: Rack::Right, slot: index - self.server_slots }
        }
    }

    /// The number of a server place.
    pub(crate) fn server_index(&self, place: ServerPlace) -> usize {
        match place.rack {
            Rack::Left => place.slot,
            Rack::Right => self.server_slots + place.slot,
        }
    }

    /// The MPD place of this number: slot by slot from the bottom.
    pub(crate) fn mpd_place(&self, index: usize) -> MpdPlace {
        MpdPlace { slot: index / self.mpds_per_slot, position: index % self.mpds_per_slot }
    }

    /// The number of an MPD place.
    pub(crate) fn mpd_index(&self, place: MpdPlace) -> usize {
        place.slot * self.mpds_per_slot + place.position
    }

    /// Every length a cable can have, ascending, metres.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_layout::Geometry;
    /// let lengths = Geometry::default().lengths_m();
    /// assert!((lengths[0] - 0.075).abs() < 1e-12 && (lengths[1] - 0.125).abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn lengths_m(&self) -> Vec<f64> {
        let rows = (0..self.server_slots)
            .map(|slot| (slot, 0))
            .chain((1..self.mpd_slots).map(|slot| (0, slot)));
        let mut lengths = Vec::new();
        for (server_slot, mpd_slot) in rows {
            for position in 0..self.mpds_per_slot {
                for rack in [Rack::Left, Rack::Right] {
                    let server = ServerPlace { rack, slot: server_slot };
                    lengths.push(self.length_m(server, MpdPlace { slot: mpd_slot, position }));
                }
            }
        }
        lengths.sort_by(f64::total_cmp);
        lengths.dedup_by(|longer, shorter| *longer - *shorter < EPSILON_M);
        lengths
    }
}

/// Lengths closer than this are one length: rounding, not racks.
pub(crate) const EPSILON_M: f64 = 1e-9;
