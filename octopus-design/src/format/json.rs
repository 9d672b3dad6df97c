//! The contract's JSON.

use std::fmt;
use std::marker::PhantomData;

use itertools::Itertools;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};

use super::text::{clip, quote};
use crate::{Error, MAX_MPDS, MAX_SERVERS, Result, ServerId, Topology};

/// The schema this crate reads and writes.
///
/// # Examples
///
/// ```
/// use octopus_design::format::{SCHEMA, from_json};
///
/// assert_eq!(SCHEMA, "octopus.topology/1");
/// let wrong = from_json(r#"{"schema":"octopus.topology/2"}"#).unwrap_err();
/// let message = format!("schema is \"octopus.topology/2\", expected \"{SCHEMA}\"");
/// assert_eq!(wrong.to_string(), message);
/// ```
pub const SCHEMA: &str = "octopus.topology/1";

/// The file as it stands; [`Topology`] judges what the numbers mean.
#[derive(Deserialize)]
struct File {
    schema: String,
    name: String,
    server_ports: usize,
    mpd_ports: usize,
    servers: usize,
    mpds: List<Servers, MAX_MPDS>,
    #[serde(default)]
    islands: List<Servers, MAX_SERVERS>,
}

type Servers = List<usize, MAX_SERVERS>;

/// Just enough to tell a file of another version from a broken one.
#[derive(Deserialize)]
struct Header {
    schema: String,
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

impl<T, const MOST: usize> Default for List<T, MOST> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

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

/// A topology from the contract's JSON.
///
/// Unknown fields are ignored. `islands` is optional.
///
/// # Errors
///
/// [`Error::Json`] for text that is not JSON and for a field that is missing,
/// doubled or of the wrong type; [`Error::Schema`] for another schema or
/// version; and every error of [`Topology::new`] and [`Topology::with_islands`].
///
/// # Examples
///
/// ```
/// use octopus_design::format::from_json;
///
/// let pod = from_json(
///     r#"{"schema":"octopus.topology/1","name":"pair","server_ports":1,"mpd_ports":2,
///         "servers":2,"mpds":[[0,1]],"islands":[[0,1]],"colour":"ignored"}"#,
/// )?;
/// assert_eq!((pod.name(), pod.links(), pod.islands().len()), ("pair", 2, 1));
///
/// let wrong = from_json(r#"{"schema":"octopus.topology/1","name":"pair","mpds":[[0,"1"]]}"#);
/// assert_eq!(
///     wrong.unwrap_err().to_string(),
///     "mpds[0][1]: invalid type: string \"1\", expected usize at line 1 column 59",
/// );
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn from_json(text: &str) -> Result<Topology> {
    let file: File = match parse(text) {
        Ok(file) => file,
        // A later version may have changed any field, so its number is what
        // the user needs to hear of first.
        Err(error) => match parse::<Header>(text) {
            Ok(Header { schema }) => return Err(wrong_schema(&schema).unwrap_or(error)),
            Err(_) => return Err(error),
        },
    };
    if let Some(error) = wrong_schema(&file.schema) {
        return Err(error);
    }
    let lists = |lists: Vec<Servers>| lists.into_iter().map(|List(servers)| servers);
    let File { name, server_ports, mpd_ports, servers, mpds, islands, .. } = file;
    Topology::new(name, server_ports, mpd_ports, servers, lists(mpds.0))?
        .with_islands(lists(islands.0))
}

fn wrong_schema(found: &str) -> Option<Error> {
    (found != SCHEMA).then(|| Error::Schema { found: quote(found), expected: SCHEMA })
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let Object(value) = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        // serde_path_to_error writes "." for the file as a whole.
        json_error(if path == "." { "" } else { &path }, error.inner())
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

/// A topology as the contract's JSON: one MPD a line, servers ascending.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, format::to_json};
///
/// let pod = Topology::new("pair", 1, 2, 4, [[1, 0], [2, 3]])?.with_islands([[0, 1], [2, 3]])?;
/// assert_eq!(
///     to_json(&pod),
///     r#"{"schema":"octopus.topology/1","name":"pair","server_ports":1,"mpd_ports":2,"servers":4,
///  "mpds":[
///   [0,1],
///   [2,3]],
///  "islands":[
///   [0,1],
///   [2,3]]}
/// "#,
/// );
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[must_use]
pub fn to_json(pod: &Topology) -> String {
    let name = serde_json::Value::from(pod.name());
    let (server_ports, mpd_ports, servers) = (pod.server_ports(), pod.mpd_ports(), pod.servers());
    let list = |servers: &mut dyn Iterator<Item = ServerId>| {
        format!("\n  [{}]", servers.map(ServerId::index).join(","))
    };
    let mpds = pod.mpd_ids().map(|mpd| list(&mut pod.servers_of(mpd))).join(",");
    let islands = pod.islands().iter().map(|island| list(&mut island.iter().copied())).join(",");
    let islands = if islands.is_empty() { islands } else { format!(",\n \"islands\":[{islands}]") };
    format!(
        "{{\"schema\":\"{SCHEMA}\",\"name\":{name},\"server_ports\":{server_ports},\
         \"mpd_ports\":{mpd_ports},\"servers\":{servers},\n \"mpds\":[{mpds}]{islands}}}\n"
    )
}
