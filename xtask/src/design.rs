//! `design`: build a topology and write it.

use anyhow::Result;
use octopus_design::format;

use crate::cli::{DesignArgs, Format};
use crate::status::Status;
use crate::{output, source};

/// Builds the topology and writes it to `--out` or stdout.
///
/// # Errors
///
/// See [`source::build`]; a file that cannot be written.
pub(crate) fn run(args: &DesignArgs) -> Result<Status> {
    let pod = source::build(&args.name, &args.size, args.draw.seed)?;
    let text = match args.format {
        Format::Json => format::to_json(&pod),
        Format::Dot => format::to_dot(&pod),
        Format::Graphml => format::to_graphml(&pod),
        Format::Csv => format::to_edge_list(&pod),
    };
    match &args.out {
        None => output::print(&text)?,
        Some(path) => {
            output::write_file(path, text.as_bytes())?;
            output::note(&format!("wrote {} to {}", pod.name(), path.display()));
        }
    }
    Ok(Status::Done)
}
