//! Where a topology comes from: a file, standard input, or a design's name.

use std::fs::File;
use std::io;
use std::path::Path;

use anyhow::{Context, Result};
use octopus_design::pod::{self, JellyfishSpec, OctopusSpec};
use octopus_design::{Error, Topology, format};

use crate::cli::Size;
use crate::status::UsageError;

/// The names a design goes by, for messages.
pub(crate) const NAMES: &str = "fully-connected, bibd-V, octopus-25, octopus-64, octopus-96, \
                                octopus, jellyfish[-S] and xpander[-S]";

const SERVER_PORTS: usize = 8;
const MPD_PORTS: usize = 4;

/// A design by name, with what its name says of its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Design {
    FullyConnected,
    Bibd(usize),
    /// The three pods of Table 3, by their servers.
    Shipped(usize),
    Octopus,
    Jellyfish(Option<usize>),
    Xpander(Option<usize>),
}

impl Design {
    fn parse(name: &str) -> Option<Self> {
        let sized = |prefix| name.strip_prefix(prefix).and_then(|size| size.parse().ok());
        match name {
            "fully-connected" => Some(Self::FullyConnected),
            "octopus" => Some(Self::Octopus),
            "octopus-25" => Some(Self::Shipped(25)),
            "octopus-64" => Some(Self::Shipped(64)),
            "octopus-96" => Some(Self::Shipped(96)),
            "jellyfish" => Some(Self::Jellyfish(None)),
            "xpander" => Some(Self::Xpander(None)),
            _ => sized("bibd-")
                .map(Self::Bibd)
                .or_else(|| sized("jellyfish-").map(|size| Self::Jellyfish(Some(size))))
                .or_else(|| sized("xpander-").map(|size| Self::Xpander(Some(size)))),
        }
    }

    /// The flags that mean something for this design.
    fn takes(self, flag: &str) -> bool {
        match self {
            Self::FullyConnected => matches!(flag, "--server-ports" | "--mpd-ports"),
            Self::Bibd(_) => flag == "--mpd-ports",
            Self::Shipped(_) => false,
            Self::Octopus => flag != "--max-shared",
            Self::Jellyfish(size) => match flag {
                "--servers" => size.is_none(),
                "--islands" | "--island-ports" => false,
                _ => true,
            },
            Self::Xpander(size) => match flag {
                "--servers" => size.is_none(),
                _ => matches!(flag, "--server-ports" | "--mpd-ports"),
            },
        }
    }
}

/// Builds a design.
///
/// # Errors
///
/// A name that is no design's, a flag that does not apply or is missing, and
/// what the builder refuses.
pub(crate) fn build(name: &str, size: &Size, seed: u64) -> Result<Topology> {
    let design = Design::parse(name)
        .ok_or_else(|| UsageError::UnknownDesign { name: name.to_owned(), known: NAMES })?;
    for (flag, given) in [
        ("--server-ports", size.server_ports.is_some()),
        ("--mpd-ports", size.mpd_ports.is_some()),
        ("--servers", size.servers.is_some()),
        ("--islands", size.islands.is_some()),
        ("--island-ports", size.island_ports.is_some()),
        ("--max-shared", size.max_shared.is_some()),
    ] {
        if given && !design.takes(flag) {
            return Err(UsageError::FlagDoesNotApply { flag, name: name.to_owned() }.into());
        }
    }
    let x = size.server_ports.unwrap_or(SERVER_PORTS);
    let n = size.mpd_ports.unwrap_or(MPD_PORTS);
    let needed = |flag, value: Option<usize>| {
        value.ok_or_else(|| UsageError::FlagMissing { name: name.to_owned(), flag })
    };
    let built = match design {
        Design::FullyConnected => pod::fully_connected(x, n),
        Design::Bibd(points) => pod::bibd(points, n),
        Design::Shipped(25) => Ok(pod::octopus_25()),
        Design::Shipped(64) => Ok(pod::octopus_64()),
        Design::Shipped(_) => Ok(pod::octopus_96()),
        Design::Octopus => {
            let island_ports = needed("--island-ports", size.island_ports)?;
            let mut spec = OctopusSpec { server_ports: x, island_ports, mpd_ports: n, islands: 1 };
            // the ports fix an island's size, so either number gives the other
            spec.islands = match (size.islands, size.servers) {
                (Some(islands), _) => islands,
                (None, Some(servers)) => servers / spec.island_servers(),
                (None, None) => needed("--islands", None)?,
            };
            match size.servers.filter(|&servers| servers != spec.servers()) {
                Some(servers) => Err(Error::Impossible {
                    reason: format!(
                        "islands of {} servers (1 + X_i (N - 1)) do not add up to {servers}",
                        spec.island_servers()
                    ),
                }),
                None => pod::octopus(&spec, seed),
            }
        }
        Design::Jellyfish(named) => {
            let servers = needed("--servers", named.or(size.servers))?;
            let spec = JellyfishSpec {
                servers,
                server_ports: x,
                mpd_ports: n,
                max_shared: size.max_shared,
            };
            pod::jellyfish(&spec, seed)
        }
        Design::Xpander(named) => {
            pod::xpander(needed("--servers", named.or(size.servers))?, x, n, seed)
        }
    };
    built.with_context(|| name.to_owned())
}

/// Reads or builds what TOPOLOGY stands for.
///
/// A design's name goes first: write `./octopus-96` for a file of that name.
///
/// # Errors
///
/// A file that cannot be read or is no topology, with its name; a name that
/// is neither a file's nor a design's.
pub(crate) fn topology(argument: &str, seed: u64) -> Result<Topology> {
    if argument == "-" {
        return format::read("standard input", io::stdin().lock()).context("standard input");
    }
    if Design::parse(argument).is_some() {
        return build(argument, &Size::default(), seed);
    }
    let path = Path::new(argument);
    if !path.exists() && !argument.contains(['/', '.']) {
        return Err(UsageError::UnknownDesign { name: argument.to_owned(), known: NAMES })
            .context("no such file");
    }
    let file = File::open(path).with_context(|| argument.to_owned())?;
    format::read(argument, file).with_context(|| argument.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_says() {
        assert_eq!(Design::parse("bibd-16"), Some(Design::Bibd(16)));
        assert_eq!(Design::parse("xpander-96"), Some(Design::Xpander(Some(96))));
        assert_eq!(Design::parse("bibd-"), None);
        assert_eq!(Design::parse("octopus-97"), None);
    }

    #[test]
    fn a_flag_that_means_nothing_is_refused() {
        let size = Size { servers: Some(3), ..Size::default() };
        for name in ["octopus-96", "fully-connected", "bibd-13", "jellyfish-96"] {
            let error = build(name, &size, 1).unwrap_err();
            assert_eq!(error.to_string(), format!("--servers does not apply to {name}"));
        }
    }
}
