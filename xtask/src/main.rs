//! `cargo xtask VERB`: parse the arguments, call a crate, draw what it found.
//!
//! No computation lives here. [`cli`] holds the arguments, one module a verb
//! holds what it does with them, [`status`] the exit statuses scripts rely on.

#![forbid(unsafe_code)]

mod cli;
mod design;
mod draw;
mod fleet;
mod inspect;
mod output;
mod pool;
mod progress;
mod reproduce;
mod source;
mod status;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Verb};
use status::Status;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::refuse(&error).into(),
    };
    let outcome = match &cli.verb {
        Verb::Design(args) => design::run(args),
        Verb::Inspect(args) => inspect::run(args),
        Verb::Pool(args) => pool::run(args),
        Verb::Reproduce(args) => reproduce::run(args),
    };
    outcome
        .unwrap_or_else(|error| {
            output::complain(&format!("{error:#}"));
            Status::of(&error)
        })
        .into()
}
