//! Progress on stderr, only where someone is watching.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressStyle};
use octopus_design::expansion;

/// A line on stderr that says what is being worked on.
///
/// It is hidden where stderr is no terminal, so that logs stay clean.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A line for `steps` steps; hidden unless stderr is a terminal.
    pub(crate) fn new(steps: u64) -> Self {
        if !io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{elapsed}] {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// Says what the current step does.
    pub(crate) fn say(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
        self.0.tick();
    }

    /// Says how a proof of expansion is coming along.
    pub(crate) fn follow(&self, pod: &str, step: &expansion::Progress<'_>) {
        match step {
            expansion::Progress::Searching { k, upper, done, parts, visited } => self.say(format!(
                "{pod}, e_{k}: do {k} servers reach fewer than {upper} MPDs? {done} of {parts} parts, {visited} sets"
            )),
            expansion::Progress::Settled(found) => {
                self.say(format!("{pod}, e_{}: {} to {}", found.k, found.lower, found.upper));
            }
        }
    }

    /// Leaves a line above: a result that stays in sight if the run is interrupted.
    pub(crate) fn leave(&self, line: impl AsRef<str>) {
        self.0.println(line);
    }

    /// Counts one step as done.
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
