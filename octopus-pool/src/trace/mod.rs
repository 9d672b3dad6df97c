//! VM traces: which VM wanted how much memory, from when to when.

mod format;
mod guard;
mod packing;
#[cfg(feature = "parquet")]
mod parquet;
mod read;
mod warm_up;

use std::fmt;
use std::ops::Range;

use serde::Serialize;

pub use format::Format;
pub(crate) use guard::Guard;
pub use read::{ReadOptions, read_trace, read_trace_from};
pub use warm_up::{WarmUp, with_warm_up};

use crate::{Error, Result};

/// The most rows a trace may have; VMs are numbered in 32 bits.
///
/// ```
/// assert_eq!(octopus_pool::MAX_ROWS, 100_000_000);
/// ```
pub const MAX_ROWS: usize = 100_000_000;

/// The longest window and the latest time, in seconds: 317 years.
///
/// ```
/// use octopus_pool::{Error, MAX_TIME_S, Trace, Vm};
/// let vm = Vm { start_s: 0, end_s: 9, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
/// let late = Vm { end_s: 2 * MAX_TIME_S + 1, ..vm };
/// assert!(matches!(Trace::new("t", 0..10, vec![late]), Err(Error::BadVm { index: 0, .. })));
/// ```
pub const MAX_TIME_S: i64 = 10_000_000_000;

/// The most memory a VM may have, in GiB.
///
/// ```
/// use octopus_pool::{Error, MAX_VM_GIB, Trace, Vm};
/// let vm = Vm { start_s: 0, end_s: 9, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
/// let large = Vm { memory_gib: 2.0 * MAX_VM_GIB, ..vm };
/// assert!(matches!(Trace::new("t", 0..10, vec![large]), Err(Error::BadVm { index: 0, .. })));
/// ```
pub const MAX_VM_GIB: f64 = 65_536.0;

/// The highest server number a trace may name, plus one.
///
/// ```
/// use octopus_pool::{Error, MAX_FLEET, Trace, Vm};
/// let vm = Vm { start_s: 0, end_s: 9, memory_gib: 8.0, cores: 2, server: Some(0), censored: false };
/// let far = Vm { server: u32::try_from(MAX_FLEET).ok(), ..vm };
/// assert!(matches!(Trace::new("t", 0..10, vec![far]), Err(Error::BadVm { index: 0, .. })));
/// ```
pub const MAX_FLEET: usize = 1_000_000;

/// One virtual machine's stay on one server.
///
/// It holds its memory in the half-open interval from `start_s` to `end_s`, so
/// a VM that ends when another starts does not overlap it.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Trace, Vm};
/// let vm = Vm { start_s: 0, end_s: 9, memory_gib: 8.0, cores: 2, server: None, censored: false };
/// assert_eq!(Trace::new("t", 0..10, vec![vm])?.vms()[0].end_s, 9);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vm {
    /// When it starts, in seconds of the trace's own clock.
    pub start_s: i64,
    /// When it ends, in seconds; may lie beyond the trace's window.
    pub end_s: i64,
    /// Its memory in GiB.
    pub memory_gib: f64,
    /// Its virtual cores; 0 where the trace does not say.
    pub cores: u32,
    /// Its host, where the trace names one.
    pub server: Option<u32>,
    /// The trace saw it alive last at `end_s`; when it ended is not known.
    ///
    /// [`read_trace`] draws an end for such VMs, and leaves the mark.
    pub censored: bool,
}

/// Why rows were left out or read differently from how they stand.
///
/// # Examples
///
/// ```
/// use octopus_pool::{ReadOptions, Rule, read_trace_from};
///
/// let csv = "vm,start_s,end_s,gib,cores\n1,0,60,4,2\n2,0,60,0,2\n";
/// let trace = read_trace_from(csv.as_bytes(), "t.csv", &ReadOptions::default())?;
/// assert_eq!(trace.cleaning()[0].rule, Rule::ZeroMemory);
/// assert_eq!(Rule::ZeroMemory.to_string(), "zero-memory");
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// Dropped: memory of zero or less.
    ZeroMemory,
    /// Dropped: a time or a memory is NaN or infinite.
    NotFinite,
    /// Dropped: it ends before it starts.
    EndBeforeStart,
    /// Dropped: it ends when it starts (in the trace's resolution).
    ZeroLifetime,
    /// Dropped: not alive at any time inside the window.
    OutsideWindow,
    /// Dropped: a row that cannot be read, with [`ReadOptions::lenient`].
    Malformed,
    /// Dropped: the same VM with the same start and end stood before.
    Duplicate,
    /// Dropped: a VM is created that is there already.
    CreatedTwice,
    /// Dropped: a VM is deleted that was never created.
    NeverCreated,
    /// Dropped by placement: larger than any server.
    LargerThanServer,
    /// Dropped by placement: no server had room.
    NoRoom,
    /// Kept: its true lifetime is unknown; drawn from what other VMs reached
    /// beyond the time it was seen alive (Kaplan–Meier).
    Censored,
    /// Kept: a lifetime below the trace's resolution was raised to it.
    RaisedLifetime,
    /// Kept: a size given only as more than the largest bucket's was read as
    /// the publishers read it.
    OpenBucket,
    /// Kept: a start that stands for a missing one was replaced.
    MissingStart,
    /// Kept: alive at an edge of the window, and counted inside it only.
    Clipped,
}

impl Rule {
    /// The rule's name in results.
    ///
    /// ```
    /// assert_eq!(octopus_pool::Rule::EndBeforeStart.name(), "end-before-start");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZeroMemory => "zero-memory",
            Self::NotFinite => "not-finite",
            Self::EndBeforeStart => "end-before-start",
            Self::ZeroLifetime => "zero-lifetime",
            Self::OutsideWindow => "outside-window",
            Self::Malformed => "malformed",
            Self::Duplicate => "duplicate",
            Self::CreatedTwice => "created-twice",
            Self::NeverCreated => "never-created",
            Self::LargerThanServer => "larger-than-server",
            Self::NoRoom => "no-room",
            Self::Censored => "censored",
            Self::RaisedLifetime => "raised-lifetime",
            Self::OpenBucket => "open-bucket",
            Self::MissingStart => "missing-start",
            Self::Clipped => "clipped",
        }
    }

    /// Whether rows of this rule were left out.
    ///
    /// ```
    /// use octopus_pool::Rule;
    /// assert!(Rule::ZeroMemory.dropped() && !Rule::Clipped.dropped());
    /// ```
    #[must_use]
    pub const fn dropped(self) -> bool {
        !matches!(
            self,
            Self::Censored
                | Self::RaisedLifetime
                | Self::OpenBucket
                | Self::MissingStart
                | Self::Clipped
        )
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How many rows a cleaning rule touched.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Cleaned, Rule, Trace, Vm};
/// let vm = Vm { start_s: -5, end_s: 9, memory_gib: 8.0, cores: 2, server: None, censored: false };
/// let trace = Trace::new("t", 0..10, vec![vm])?;
/// assert_eq!(trace.cleaning(), [Cleaned { rule: Rule::Clipped, rows: 1 }]);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// The rule.
    pub rule: Rule,
    /// The rows it touched; never 0.
    pub rows: u64,
}

/// Adds `rows` to a rule's count, keeping the list ascending by rule.
pub(crate) fn count(cleaning: &mut Vec<Cleaned>, rule: Rule, rows: u64) {
    if rows == 0 {
        return;
    }
    match cleaning.binary_search_by_key(&rule, |c| c.rule) {
        Ok(at) => cleaning[at].rows += rows,
        Err(at) => cleaning.insert(at, Cleaned { rule, rows }),
    }
}

/// VMs, the window of time they are judged in, and how they came about.
///
/// # Examples
///
/// ```
/// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
/// # let vm = |server, start_s, end_s| Vm {
/// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
/// # };
/// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
/// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
/// # let fleet = place(&trace, &Placement::Given)?;
/// assert_eq!((trace.vms().len(), trace.window()), (2, 0..10));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    source: String,
    window: Range<i64>,
    vms: Vec<Vm>,
    cleaning: Vec<Cleaned>,
    warm_up: WarmUp,
}

impl Trace {
    /// A trace from VMs in memory, sorted by start.
    ///
    /// VMs that are not alive inside the window are dropped and counted
    /// ([`Rule::OutsideWindow`]); those alive at one of its edges are kept and
    /// counted ([`Rule::Clipped`]).
    ///
    /// # Errors
    ///
    /// [`Error::Window`]; [`Error::BadVm`] for a VM with an empty or too long
    /// life, a memory that is not positive or above [`MAX_VM_GIB`], or a
    /// server beyond [`MAX_FLEET`]; [`Error::OutOfRange`] for more than
    /// [`MAX_ROWS`] VMs; [`Error::NoVms`] where none is left.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_pool::{Trace, Vm};
    ///
    /// let vm = Vm { start_s: 5, end_s: 9, memory_gib: 4.0, cores: 2, server: None, censored: false };
    /// let late = Vm { start_s: 50, end_s: 90, ..vm };
    /// let trace = Trace::new("two VMs", 0..10, vec![vm, late])?;
    /// assert_eq!(trace.vms(), [vm]);
    /// assert_eq!(trace.cleaning()[0].rows, 1);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn new(source: impl Into<String>, window: Range<i64>, vms: Vec<Vm>) -> Result<Self> {
        let source = source.into();
        check_window(&window)?;
        if vms.len() > MAX_ROWS {
            let (value, most) = (vms.len() as u64, MAX_ROWS as u64);
            return Err(Error::OutOfRange { field: "number of vms", value, least: 1, most });
        }
        for (index, vm) in vms.iter().enumerate() {
            check_vm(vm).map_err(|reason| Error::BadVm { index, reason })?;
        }
        let mut trace = Self { source, window, vms, cleaning: Vec::new(), warm_up: WarmUp::None };
        trace.keep_window()?;
        Ok(trace)
    }

    /// Drops what lies outside the window, counts what crosses it, and sorts.
    fn keep_window(&mut self) -> Result<()> {
        let Range { start: start_s, end: end_s } = self.window;
        let before = self.vms.len();
        self.vms.retain(|vm| vm.start_s < end_s && vm.end_s > start_s);
        count(&mut self.cleaning, Rule::OutsideWindow, (before - self.vms.len()) as u64);
        if self.vms.is_empty() {
            return Err(Error::NoVms { source_name: self.source.clone(), start_s, end_s });
        }
        let clipped = self.vms.iter().filter(|vm| vm.start_s < start_s || vm.end_s > end_s);
        let clipped = clipped.count() as u64;
        count(&mut self.cleaning, Rule::Clipped, clipped);
        self.vms.sort_by_key(|vm| vm.start_s);
        Ok(())
    }

    /// Where the trace came from.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(trace.source(), "two VMs");
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The window peaks are looked for in, in seconds, end excluded.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(trace.window(), 0..10);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn window(&self) -> Range<i64> {
        self.window.clone()
    }

    /// The VMs alive inside the window, by start.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(trace.vms()[0].start_s, -5);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn vms(&self) -> &[Vm] {
        &self.vms
    }

    /// The cleaning rules that touched a row, in a fixed order.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(trace.cleaning()[0].rows, 1); // the first one is clipped
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn cleaning(&self) -> &[Cleaned] {
        &self.cleaning
    }

    /// How the population at the window's start came about.
    ///
    /// ```
    /// # use octopus_pool::{Demand, Placement, Trace, Vm, place};
    /// # let vm = |server, start_s, end_s| Vm {
    /// #     start_s, end_s, memory_gib: 8.0, cores: 2, server: Some(server), censored: false,
    /// # };
    /// // 8 GiB on server 0 from -5 to 4 s, on server 1 from 2 to 9 s; the window is 0 to 10 s
    /// # let trace = Trace::new("two VMs", 0..10, vec![vm(0, -5, 4), vm(1, 2, 9)])?;
    /// # let fleet = place(&trace, &Placement::Given)?;
    /// assert_eq!(trace.warm_up(), octopus_pool::WarmUp::None);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub fn warm_up(&self) -> WarmUp {
        self.warm_up
    }

    pub(crate) fn generated(mut self, seconds: i64) -> Self {
        self.warm_up = WarmUp::Generated { seconds };
        self
    }
}

fn check_window(window: &Range<i64>) -> Result<()> {
    let Range { start: start_s, end: end_s } = *window;
    let length = end_s.checked_sub(start_s);
    let sane = -MAX_TIME_S <= start_s && end_s <= MAX_TIME_S;
    if sane && length.is_some_and(|l| (1..=MAX_TIME_S).contains(&l)) {
        Ok(())
    } else {
        Err(Error::Window { start_s, end_s, most_s: MAX_TIME_S })
    }
}

fn check_vm(vm: &Vm) -> Result<(), &'static str> {
    let times = -MAX_TIME_S..=2 * MAX_TIME_S;
    if !times.contains(&vm.start_s) || !times.contains(&vm.end_s) {
        Err("a time is out of range")
    } else if vm.start_s >= vm.end_s {
        Err("it does not end after it starts")
    } else if !(vm.memory_gib > 0.0 && vm.memory_gib <= MAX_VM_GIB) {
        Err("its memory is not positive or too large")
    } else if vm.server.is_some_and(|s| s as usize >= MAX_FLEET) {
        Err("its server number is too large")
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VM: Vm =
        Vm { start_s: 0, end_s: 10, memory_gib: 1.0, cores: 1, server: None, censored: false };

    #[test]
    fn every_invariant_of_a_vm_is_checked() {
        let far = 3 * MAX_TIME_S;
        for bad in [
            Vm { end_s: 0, ..VM },
            Vm { end_s: far, ..VM },
            Vm { start_s: -far, ..VM },
            Vm { memory_gib: 0.0, ..VM },
            Vm { memory_gib: f64::NAN, ..VM },
            Vm { memory_gib: 1e9, ..VM },
            Vm { server: Some(u32::MAX), ..VM },
        ] {
            let built = Trace::new("t", 0..10, vec![VM, bad]);
            assert!(matches!(built, Err(Error::BadVm { index: 1, .. })), "{bad:?}");
        }
    }

    #[test]
    fn windows_are_checked() {
        for window in [5..5, Range { start: 6, end: 5 }, i64::MIN..i64::MAX, 0..MAX_TIME_S + 1] {
            let built = Trace::new("t", window, vec![VM]);
            assert!(matches!(built, Err(Error::Window { .. })));
        }
        assert!(matches!(Trace::new("t", 10..11, vec![VM]), Err(Error::NoVms { .. })));
    }

    #[test]
    fn crossing_vms_are_counted_and_kept() {
        let trace = Trace::new("t", 2..20, vec![Vm { start_s: 3, ..VM }, VM]).unwrap();
        assert_eq!(trace.vms()[0], VM);
        assert_eq!(trace.cleaning(), [Cleaned { rule: Rule::Clipped, rows: 1 }]);
    }
}
