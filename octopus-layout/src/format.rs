//! `placement.json`: where a pod's boxes stand, and what was claimed of it.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::text::clip;
use crate::{Error, Geometry, MAX_POSITIONS, MAX_SLOTS, MpdPlace, Placement, Result, ServerPlace};

/// The schema of the placements this crate reads and writes.
///
/// ```
/// use octopus_layout::{PLACEMENT_SCHEMA, PlacementFile};
/// let wrong = PlacementFile::from_json(r#"{"schema":"octopus.placement/2"}"#).unwrap_err();
/// let message = format!("schema is \"octopus.placement/2\", expected \"{PLACEMENT_SCHEMA}\"");
/// assert_eq!(wrong.to_string(), message);
/// ```
pub const PLACEMENT_SCHEMA: &str = "octopus.placement/1";

/// The longest file [`PlacementFile::read`] accepts, bytes; full racks of the
/// largest size take under 1 MiB.
///
/// ```
/// use octopus_layout::PlacementFile;
/// let wrong = PlacementFile::read(std::io::repeat(b' ')).unwrap_err();
/// assert_eq!(wrong.to_string(), "the file is longer than 16777216 bytes");
/// ```
pub const MAX_FILE_BYTES: usize = 16 << 20;

const MAX_SERVER_PLACES: usize = 2 * MAX_SLOTS;
/// No cable in racks of the largest size is as long, and no price as high.
const MOST: f64 = 1e6;

/// A placement as it is kept in a file.
///
/// # Examples
///
/// ```
/// use octopus_layout::{Geometry, MpdPlace, Placement, PlacementFile, Rack, ServerPlace};
///
/// let file = PlacementFile {
///     topology: "one".to_owned(),
///     geometry: Geometry::default(),
///     placement: Placement {
///         servers: vec![ServerPlace { rack: Rack::Left, slot: 1 }],
///         mpds: vec![MpdPlace { slot: 0, position: 3 }],
///     },
///     max_cable_m: 0.575,
///     lower_bound_m: Some(0.075),
///     certificate: None,
///     cable_usd_per_server: Some(29.0),
/// };
/// let json = file.to_json()?;
/// assert_eq!(
///     json,
///     r#"{"schema":"octopus.placement/1","topology":"one",
///  "geometry":{"slot_pitch_m":0.05,"slot_width_m":0.6,"slot_depth_m":1.0,"server_slots":48,"mpd_slots":48,"mpds_per_slot":4},
///  "servers":[
///   {"rack":"left","slot":1}],
///  "mpds":[
///   {"slot":0,"position":3}],
///  "max_cable_m":0.575,"lower_bound_m":0.075,"cable_usd_per_server":29.0}
/// "#,
/// );
/// assert_eq!(PlacementFile::from_json(&json)?, file);
/// # Ok::<(), octopus_layout::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementFile {
    /// The name of the pod.
    pub topology: String,
    /// The racks.
    pub geometry: Geometry,
    /// Where each box stands. Whether they are the pod's boxes, and in the
    /// racks, is for [`Placement::check`].
    pub placement: Placement,
    /// The longest cable, metres; claimed, not checked.
    pub max_cable_m: f64,
    /// No placement has a shorter longest cable, metres; claimed likewise.
    pub lower_bound_m: Option<f64>,
    /// The proof's file, as a path from this one's folder.
    pub certificate: Option<String>,
    /// What a server's cables cost, dollars.
    pub cable_usd_per_server: Option<f64>,
}

/// The file as it stands.
#[derive(Deserialize)]
struct File {
    schema: String,
    topology: String,
    geometry: Object<Racks>,
    servers: List<Object<ServerPlace>, MAX_SERVER_PLACES>,
    mpds: List<Object<MpdPlace>, MAX_POSITIONS>,
    max_cable_m: f64,
    lower_bound_m: Option<f64>,
    certificate: Option<String>,
    cable_usd_per_server: Option<f64>,
}

/// A [`Geometry`] of which the contract's fields must be there: a default would
/// hide that one was misspelt.
#[derive(Deserialize)]
struct Racks {
    slot_pitch_m: f64,
    slot_width_m: f64,
    slot_depth_m: f64,
    server_slots: usize,
    mpd_slots: usize,
    mpds_per_slot: usize,
    #[serde(default)]
    server_port_inset_m: f64,
    #[serde(default)]
    server_port_rise_m: f64,
    #[serde(default)]
    port_depth_m: f64,
}

impl From<Racks> for Geometry {
    fn from(racks: Racks) -> Self {
        Self {
            slot_pitch_m: racks.slot_pitch_m,
            slot_width_m: racks.slot_width_m,
            slot_depth_m: racks.slot_depth_m,
            server_slots: racks.server_slots,
            mpd_slots: racks.mpd_slots,
            mpds_per_slot: racks.mpds_per_slot,
            server_port_inset_m: racks.server_port_inset_m,
            server_port_rise_m: racks.server_port_rise_m,
            port_depth_m: racks.port_depth_m,
        }
    }
}

/// Just enough to tell a file of another version from a broken one.
#[derive(Deserialize)]
struct Header {
    schema: String,
}

impl PlacementFile {
    /// A placement from the contract's JSON; unknown fields are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Json`] for text that is not JSON and for a field that is
    /// missing, doubled or of the wrong type; [`Error::Schema`]; what
    /// [`Geometry::check`] refuses; [`Error::Number`] for a length or a price
    /// that is negative or above a million.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::PlacementFile;
    ///
    /// let text = r#"{"schema":"octopus.placement/1","topology":"x","geometry":{"slot_pitch_m":"5"}}"#;
    /// assert_eq!(
    ///     PlacementFile::from_json(text).unwrap_err().to_string(),
    ///     "geometry.slot_pitch_m: invalid type: string \"5\", expected f64 at line 1 column 77",
    /// );
    /// ```
    pub fn from_json(text: &str) -> Result<Self> {
        let file: File = match parse(text) {
            Ok(file) => file,
            // A later version may have changed any field, so its number is
            // what the user needs to hear of first.
            Err(error) => match parse::<Header>(text) {
                Ok(Header { schema }) => return Err(wrong_schema(&schema).unwrap_or(error)),
                Err(_) => return Err(error),
            },
        };
        if let Some(error) = wrong_schema(&file.schema) {
            return Err(error);
        }
        let placement = Placement {
            servers: file.servers.0.into_iter().map(|Object(place)| place).collect(),
            mpds: file.mpds.0.into_iter().map(|Object(place)| place).collect(),
        };
        let read = Self {
            topology: file.topology,
            geometry: file.geometry.0.into(),
            placement,
            max_cable_m: file.max_cable_m,
            lower_bound_m: file.lower_bound_m,
            certificate: file.certificate,
            cable_usd_per_server: file.cable_usd_per_server,
        };
        read.check()?;
        Ok(read)
    }

    /// A placement from anything that can be read; a byte order mark is skipped.
    ///
    /// # Errors
    ///
    /// [`Error::Read`], [`Error::TooLong`] and [`Error::NotUtf8`] for the file
    /// as such, and those of [`PlacementFile::from_json`].
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::PlacementFile;
    /// let cut = PlacementFile::read(r#"{"schema":"octopus.placement/1","#.as_bytes());
    /// assert_eq!(cut.unwrap_err().to_string(), "EOF while parsing a value at line 1 column 32");
    /// ```
    pub fn read(source: impl Read) -> Result<Self> {
        let mut bytes = Vec::new();
        // One byte more than the limit tells a file that is too long.
        source.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(Error::Read)?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(Error::TooLong { most: MAX_FILE_BYTES });
        }
        let text = str::from_utf8(&bytes).map_err(|error| Error::NotUtf8 {
            line: bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count(),
        })?;
        Self::from_json(text.strip_prefix('\u{feff}').unwrap_or(text))
    }

    /// The contract's JSON, one place a line.
    ///
    /// Cables' lengths and prices are rounded to a billionth, which takes away
    /// what adding up left in the last digits; the racks' sizes are as given.
    ///
    /// # Errors
    ///
    /// Those of [`PlacementFile::from_json`] for sizes, lengths and prices, so
    /// that what is written can be read.
    ///
    /// # Examples
    ///
    /// See [`PlacementFile`].
    pub fn to_json(&self) -> Result<String> {
        self.check()?;
        let topology = serde_json::Value::from(self.topology.as_str());
        let geometry = geometry_json(&self.geometry);
        let servers: Vec<String> = self.placement.servers.iter().map(server_json).collect();
        let mpds: Vec<String> = self.placement.mpds.iter().map(mpd_json).collect();
        let (servers, mpds) = (servers.join(","), mpds.join(","));
        let claims = self.claims_json();
        Ok(format!(
            "{{\"schema\":\"{PLACEMENT_SCHEMA}\",\"topology\":{topology},\n \
             \"geometry\":{geometry},\n \"servers\":[{servers}],\n \"mpds\":[{mpds}],\n {claims}}}\n"
        ))
    }

    fn claims_json(&self) -> String {
        let field = |name: &str, value: f64| format!("\"{name}\":{}", number(rounded(value)));
        let path = self.certificate.as_deref().map(serde_json::Value::from);
        let fields = [
            Some(field("max_cable_m", self.max_cable_m)),
            self.lower_bound_m.map(|bound| field("lower_bound_m", bound)),
            path.map(|path| format!("\"certificate\":{path}")),
            self.cable_usd_per_server.map(|usd| field("cable_usd_per_server", usd)),
        ];
        fields.into_iter().flatten().collect::<Vec<_>>().join(",")
    }

    fn check(&self) -> Result<()> {
        self.geometry.check()?;
        let numbers = [
            ("max_cable_m", Some(self.max_cable_m)),
            ("lower_bound_m", self.lower_bound_m),
            ("cable_usd_per_server", self.cable_usd_per_server),
        ];
        for (field, value) in numbers {
            if let Some(value) = value
                && !(0.0..=MOST).contains(&value)
            {
                return Err(Error::Number { field, value, expected: "0 to 1000000" });
            }
        }
        let lists = [
            ("servers", self.placement.servers.len(), MAX_SERVER_PLACES),
            ("mpds", self.placement.mpds.len(), MAX_POSITIONS),
        ];
        for (field, value, most) in lists {
            if value > most {
                return Err(Error::Count { field, value, least: 0, most });
            }
        }
        Ok(())
    }
}

fn server_json(place: &ServerPlace) -> String {
    format!("\n  {{\"rack\":\"{}\",\"slot\":{}}}", place.rack, place.slot)
}

fn mpd_json(place: &MpdPlace) -> String {
    format!("\n  {{\"slot\":{},\"position\":{}}}", place.slot, place.position)
}

/// The contract's fields, and the others where they are not zero.
fn geometry_json(geometry: &Geometry) -> String {
    let mut fields = vec![
        format!("\"slot_pitch_m\":{}", number(geometry.slot_pitch_m)),
        format!("\"slot_width_m\":{}", number(geometry.slot_width_m)),
        format!("\"slot_depth_m\":{}", number(geometry.slot_depth_m)),
        format!("\"server_slots\":{}", geometry.server_slots),
        format!("\"mpd_slots\":{}", geometry.mpd_slots),
        format!("\"mpds_per_slot\":{}", geometry.mpds_per_slot),
    ];
    for (field, value) in [
        ("server_port_inset_m", geometry.server_port_inset_m),
        ("server_port_rise_m", geometry.server_port_rise_m),
        ("port_depth_m", geometry.port_depth_m),
    ] {
        if value.abs() > 0.0 {
            fields.push(format!("\"{field}\":{}", number(value)));
        }
    }
    format!("{{{}}}", fields.join(","))
}

/// A finite number as the shortest JSON that reads back the same.
fn number(value: f64) -> String {
    // Debug always has a point or an exponent, so 1.0 does not become 1.
    format!("{value:?}")
}

fn rounded(value: f64) -> f64 {
    (value * 1e9).round() / 1e9
}

fn wrong_schema(found: &str) -> Option<Error> {
    // The message quotes it, but does not shorten it.
    let short = || found.chars().take(100).collect();
    (found != PLACEMENT_SCHEMA)
        .then(|| Error::Schema { found: short(), expected: PLACEMENT_SCHEMA })
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let Object(value) = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        // What ends before a field's name is read has "?" for a path.
        json_error(path.trim_end_matches(['?', '.']), error.inner())
    })?;
    json.end().map_err(|error| json_error("", &error))?;
    Ok(value)
}

fn json_error(path: &str, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line(), error.column());
    let full = error.to_string();
    // The message may repeat a string of the file, of any length: the place is
    // taken off, kept as numbers, and put back behind the shortened message.
    let message = full.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&full);
    Error::Json { path: clip(path), message: clip(message), line, column }
}

/// A JSON object: a derived `Deserialize` would take a list of the fields' values
/// in order, too.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData)).map(Object)
    }
}

/// A list that refuses its `MOST + 1`st entry, so that a long line of brackets
/// cannot become a large allocation.
struct List<T, const MOST: usize>(Vec<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for List<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Entries<T, MOST> {
            type Value = List<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MOST} entries")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = seq.next_element()? {
                    if entries.len() == MOST {
                        return Err(de::Error::invalid_length(MOST + 1, &self));
                    }
                    entries.push(entry);
                }
                Ok(List(entries))
            }
        }

        deserializer.deserialize_seq(Entries(PhantomData))
    }
}
