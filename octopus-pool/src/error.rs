//! What can go wrong, with the values that went wrong.

use thiserror::Error;

/// Every way an operation of this crate can fail.
///
/// Messages are one line; those about a file begin with its name and, where a
/// row is at fault, the line.
///
/// # Examples
///
/// ```
/// use octopus_pool::{ReadOptions, read_trace_from};
///
/// let csv = "vm,start_s,end_s,gib,cores\n1,0,60,4,2\n2,0,60,4,many\n";
/// let refused = read_trace_from(csv.as_bytes(), "t.csv", &ReadOptions::default()).unwrap_err();
/// assert!(refused.to_string().starts_with("t.csv:3: cores is \"many\""));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened.
    #[error("{file}: {source}")]
    Open {
        /// The path, as given.
        file: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// Reading stopped short: a damaged gzip stream, a row or file beyond its
    /// bound, bytes that are not UTF-8.
    #[error("{file}:{line}: {source}")]
    Read {
        /// The name of the input.
        file: String,
        /// The line reached, from 1.
        line: u64,
        /// What the reader said.
        source: csv::Error,
    },
    /// An SQLite file cannot be read, or is not the trace it should be.
    #[error("{file}: {source}")]
    Database {
        /// The path, as given.
        file: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The packing trace is an SQLite file, and this is none.
    #[error("{file}: not an SQLite file, which an azure-packing trace is")]
    NotSqlite {
        /// The name of the input.
        file: String,
    },
    /// A row of a database table is not what it should be.
    #[error("{file}: {table} row {row}: {field} is {value}, expected {expected}")]
    BadCell {
        /// The path, as given.
        file: String,
        /// The table.
        table: &'static str,
        /// The row's rowid.
        row: i64,
        /// The column.
        field: &'static str,
        /// What it holds.
        value: f64,
        /// What the column should hold.
        expected: &'static str,
    },
    /// No VM type is known on the machine asked for.
    #[error("{file}: no vmType row has machineId {machine}")]
    NoMachine {
        /// The path, as given.
        file: String,
        /// The machine.
        machine: i64,
    },
    /// The header is none that is known, and no format was named.
    #[error("{file}:1: unknown trace format: the header is {header:?}; known formats: {known}")]
    UnknownFormat {
        /// The name of the input.
        file: String,
        /// The start of its first line.
        header: String,
        /// The formats there are.
        known: String,
    },
    /// No format has this name.
    #[error("unknown {what} {name:?}; known: {known}")]
    UnknownName {
        /// `trace format` or `policy`.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The header lacks a column of the format.
    #[error("{file}:1: column {column:?} is missing from the header of a {format} trace")]
    MissingColumn {
        /// The name of the input.
        file: String,
        /// The format read.
        format: &'static str,
        /// The column.
        column: &'static str,
    },
    /// A row has more or fewer fields than the header.
    #[error("{file}:{line}: {fields} fields, but the header has {expected}")]
    FieldCount {
        /// The name of the input.
        file: String,
        /// The line of the row, from 1.
        line: u64,
        /// Fields of the row.
        fields: u64,
        /// Fields of the header.
        expected: u64,
    },
    /// A field of a row is not what its column holds.
    #[error("{file}:{line}: {field} is {value:?}, expected {expected}")]
    Malformed {
        /// The name of the input.
        file: String,
        /// The line of the row, from 1.
        line: u64,
        /// The column.
        field: &'static str,
        /// The text found.
        value: String,
        /// What the column holds.
        expected: &'static str,
    },
    /// A trace has more rows than it was allowed.
    #[error("{file}:{line}: more than {most} rows")]
    TooManyRows {
        /// The name of the input.
        file: String,
        /// The line of the first row too many.
        line: u64,
        /// The bound.
        most: usize,
    },
    /// A table of slowdowns has no rows.
    #[error("{file}: no workload in the table of slowdowns")]
    NoWorkloads {
        /// The name of the input.
        file: String,
    },
    /// Parameters in TOML are not what they should be.
    #[error("{file}:{line}: {message}")]
    Toml {
        /// The name of the input.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A Parquet file cannot be read.
    #[error("{file}: {message}")]
    Parquet {
        /// The path, as given.
        file: String,
        /// What the reader said.
        message: String,
    },
    /// The crate was built without a feature that this input needs.
    #[error("{file}: reading it needs the feature {feature}, which this build lacks")]
    NoFeature {
        /// The path, as given.
        file: String,
        /// The feature.
        feature: &'static str,
    },
    /// No usable VM is left inside the window.
    #[error("{source_name}: no VM is alive inside the window of {start_s} to {end_s} s")]
    NoVms {
        /// The trace's name.
        source_name: String,
        /// The window's start.
        start_s: i64,
        /// The window's end.
        end_s: i64,
    },
    /// A window of time is empty or too long.
    #[error("the window of {start_s} to {end_s} s is empty or longer than {most_s} s")]
    Window {
        /// The window's start.
        start_s: i64,
        /// The window's end.
        end_s: i64,
        /// The longest window accepted.
        most_s: i64,
    },
    /// No size of MPD that is sold holds the peak.
    #[error("an MPD has to hold {peak_gib:.1} GiB, and the largest sold holds {largest_gib}")]
    TooSmall {
        /// The peak, GiB.
        peak_gib: f64,
        /// The largest size, GiB.
        largest_gib: u32,
    },
    /// An option that means nothing for the policy chosen.
    #[error("{option} does not apply to {policy}")]
    DoesNotApply {
        /// The option.
        option: &'static str,
        /// The policy.
        policy: &'static str,
    },
    /// A VM handed over in memory breaks an invariant of [`crate::Vm`].
    #[error("vms[{index}]: {reason}")]
    BadVm {
        /// Position in the list.
        index: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A whole-number parameter is out of its range.
    #[error("{field} is {value}, expected {least} to {most}")]
    OutOfRange {
        /// The parameter.
        field: &'static str,
        /// What it was.
        value: u64,
        /// The smallest accepted value.
        least: u64,
        /// The largest accepted value.
        most: u64,
    },
    /// A real parameter is NaN or out of its range.
    #[error("{field} is {value}, expected {expected}")]
    BadNumber {
        /// The parameter.
        field: &'static str,
        /// What it was.
        value: f64,
        /// The range in words.
        expected: &'static str,
    },
    /// The trace names no hosts, and the placement wants them.
    #[error("{without} of {vms} VMs name no server; choose a placement that finds them one")]
    NoHosts {
        /// VMs without a server.
        without: usize,
        /// All VMs.
        vms: usize,
    },
    /// A pod is larger than the fleet its servers are drawn from.
    #[error("a pod of {pod} servers cannot be drawn from a fleet of {fleet}")]
    FleetTooSmall {
        /// Servers of the pod.
        pod: usize,
        /// Servers of the fleet.
        fleet: usize,
    },
    /// A server is named twice, or is not in the fleet.
    #[error("server {server} is named twice or is not among the fleet's {servers}")]
    BadServer {
        /// The server.
        server: usize,
        /// Servers of the fleet.
        servers: usize,
    },
    /// The demand and the pod differ in their number of servers.
    #[error("the demand is of {demand} servers, the pod has {pod}")]
    SizeMismatch {
        /// Servers of the demand.
        demand: usize,
        /// Servers of the pod.
        pod: usize,
    },
    /// A pod's memory would pass what the counters hold.
    #[error("{gib} GiB more would bring the pod above {most} GiB")]
    Overflow {
        /// The allocation refused.
        gib: u32,
        /// The most GiB a pod may hold.
        most: u32,
    },
    /// A lease was not given by this policy, or was released already.
    #[error("lease {lease} is not held here")]
    UnknownLease {
        /// The lease's number.
        lease: u32,
    },
    /// The worker threads could not be started.
    #[error("cannot start {jobs} worker threads: {source}")]
    Threads {
        /// Threads asked for.
        jobs: usize,
        /// The system's answer.
        source: rayon::ThreadPoolBuildError,
    },
    /// A switch pod could not be described as a topology.
    #[error(transparent)]
    Topology(#[from] octopus_design::Error),
}
