//! Exit statuses, as the contract fixes them.

use std::process::ExitCode;

use thiserror::Error;

/// What a run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done; a saving below zero is an answer too.
    Done,
    /// The answer is no: a check failed, a claim is false, a request is
    /// proved impossible.
    No,
    /// The input or the arguments cannot be used; nothing was written.
    Unusable,
    /// What was asked for was not reached within its budget; the best result
    /// was written and says so.
    OutOfBudget,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Done => 0,
            Status::No => 1,
            Status::Unusable => 2,
            Status::OutOfBudget => 3,
        })
    }
}

impl Status {
    /// The status an error ends the program with.
    ///
    /// The crates' typed errors decide; everything else is unusable input.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        for cause in error.chain() {
            if let Some(error) = cause.downcast_ref::<octopus_design::Error>() {
                use octopus_design::Error;
                return match error {
                    Error::Impossible { .. } | Error::NoDesign { .. } | Error::Exhausted { .. } => {
                        Self::No
                    }
                    // It may exist; it was not reached.
                    Error::NotFound { .. }
                    | Error::UnknownDesign { .. }
                    | Error::UnbuiltDesign { .. } => Self::OutOfBudget,
                    _ => Self::Unusable,
                };
            }
        }
        Self::Unusable
    }
}

/// Arguments that clap accepts and that still make no sense together.
#[derive(Debug, Error)]
pub(crate) enum UsageError {
    /// A name that is no design's.
    #[error("no design is called {name}; the names are {known}")]
    UnknownDesign {
        /// The name given.
        name: String,
        /// The names there are.
        known: &'static str,
    },
    /// A flag that this design takes no account of.
    #[error("{flag} does not apply to {name}")]
    FlagDoesNotApply {
        /// The flag.
        flag: &'static str,
        /// The design's name.
        name: String,
    },
    /// A flag this design cannot be built without.
    #[error("{name} needs {flag}")]
    FlagMissing {
        /// The design's name.
        name: String,
        /// The flag.
        flag: &'static str,
    },
    /// An item of the report that there is not.
    #[error("--only: no item is called {id}; the items are {known}")]
    UnknownItem {
        /// The id given.
        id: String,
        /// The ids there are.
        known: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_errors_decide_the_status() {
        let impossible = octopus_design::Error::Impossible { reason: "counting".into() };
        let error = anyhow::Error::from(impossible).context("building");
        assert_eq!(Status::of(&error), Status::No);
        let none =
            octopus_design::Error::NoDesign { points: 36, block_size: 6, reason: "Tarry".into() };
        assert_eq!(Status::of(&none.into()), Status::No);
        let missing = octopus_design::Error::NotFound { what: "pod".into(), budget: 1, seed: 0 };
        assert_eq!(Status::of(&missing.into()), Status::OutOfBudget);
        assert_eq!(Status::of(&anyhow::anyhow!("no such file")), Status::Unusable);
    }
}
