//! What a run of `reproduce` is asked for.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// How much work to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum Effort {
    /// A look in seconds.
    Quick,
    /// A minute or two.
    Usual,
    /// As long as it takes.
    Deep,
}

impl Effort {
    /// Random pods each saving is averaged over.
    pub(crate) const fn pods(self) -> usize {
        match self {
            Self::Quick => 10,
            Self::Usual => 200,
            Self::Deep => 1000,
        }
    }

    /// Random groups each peak-to-average ratio is averaged over.
    pub(crate) const fn groups(self) -> usize {
        match self {
            Self::Quick => 20,
            Self::Usual => 200,
            Self::Deep => 1000,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Usual => "default",
            Self::Deep => "deep",
        }
    }
}

/// The inputs of a report.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// How much work to spend.
    pub(crate) effort: Effort,
    /// Fixes everything random.
    pub(crate) seed: u64,
    /// Threads; changes no result.
    pub(crate) jobs: NonZeroUsize,
    /// The VM trace, or the synthetic one.
    pub(crate) trace: Option<PathBuf>,
}

impl Setting {
    /// The trace's name without its folder, so that a report does not depend
    /// on where the file lies.
    pub(crate) fn trace_name(&self) -> String {
        let name = self.trace.as_deref().and_then(Path::file_name);
        name.map_or("the synthetic trace".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// One line on what was run.
    pub(crate) fn lead(&self) -> String {
        format!(
            "Tables and figures of the Octopus paper recomputed beside its values, on {}, \
             with {} effort and seed {}.",
            self.trace_name(),
            self.effort.name(),
            self.seed
        )
    }
}
