//! The arguments of every verb.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::output;
use crate::status::Status;

/// Sparse CXL memory pods: build, verify, measure, and reproduce the paper.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", version, disable_help_subcommand = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Every table and figure that computation can reproduce, beside the paper's values
    Reproduce(ReproduceArgs),
    /// Build a topology and write it
    Design(DesignArgs),
    /// Verify and measure any topology, ours or not
    Inspect(InspectArgs),
    /// Memory pooling savings of a topology on a VM trace
    Pool(PoolArgs),
}

/// What every verb that draws or searches takes.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Draw {
    /// Fixes everything random
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Threads to use; changes no result [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

impl Draw {
    /// The threads to use, at least one.
    pub(crate) fn jobs(self) -> NonZeroUsize {
        self.jobs.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}

/// `reproduce`.
#[derive(Args, Debug)]
pub(crate) struct ReproduceArgs {
    /// Only these items, separated by commas
    #[arg(long, value_name = "ID,..", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Where the report goes
    #[arg(long, value_name = "DIR", default_value = "target/reproduce")]
    pub(crate) out: PathBuf,
    /// Smaller budgets and fewer pods: a look in seconds
    #[arg(long, conflicts_with = "deep")]
    pub(crate) quick: bool,
    /// Larger budgets: expansion is proved as far as it goes
    #[arg(long)]
    pub(crate) deep: bool,
    /// A VM trace [default: the synthetic one]
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Compute everything anew, and keep nothing after the run
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) draw: Draw,
}

/// `design`.
#[derive(Args, Debug)]
pub(crate) struct DesignArgs {
    /// fully-connected, bibd-V, octopus-25, octopus-64, octopus-96, octopus, jellyfish or xpander
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) size: Size,
    #[command(flatten)]
    pub(crate) draw: Draw,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
    /// Where to write it [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The numbers a design can be asked for; none is needed where the name says it all.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Size {
    /// X, CXL ports of a server
    #[arg(long, value_name = "X")]
    pub(crate) server_ports: Option<usize>,
    /// N, CXL ports of an MPD
    #[arg(long, value_name = "N")]
    pub(crate) mpd_ports: Option<usize>,
    /// S, servers
    #[arg(long, value_name = "S")]
    pub(crate) servers: Option<usize>,
    /// Islands of an octopus pod
    #[arg(long, value_name = "I")]
    pub(crate) islands: Option<usize>,
    /// X_i, ports a server has to its island's MPDs
    #[arg(long, value_name = "XI")]
    pub(crate) island_ports: Option<usize>,
    /// The most MPDs two servers of a jellyfish pod may share [default: no limit]
    #[arg(long, value_name = "K")]
    pub(crate) max_shared: Option<u16>,
}

/// How a topology is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// The contract's `octopus.topology/1`
    Json,
    /// Graphviz
    Dot,
    /// GraphML
    Graphml,
    /// One line a link
    Csv,
}

/// `inspect`.
#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// A file, - for standard input, or a design's name
    pub(crate) topology: String,
    /// Expansion e_1 to e_K; given, every one must be proved or the exit status is 3 [default: 8]
    #[arg(long, value_name = "K")]
    pub(crate) max_k: Option<usize>,
    /// Stop proving after this long; bytes may then differ from run to run
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_s: Option<f64>,
    /// Sets of servers the proof of one e_k may visit before it is given up [default: 20000000]
    #[arg(long, value_name = "SETS")]
    pub(crate) work_per_k: Option<u64>,
    /// One JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) draw: Draw,
}

/// `pool`.
#[derive(Args, Debug)]
pub(crate) struct PoolArgs {
    /// A file, - for standard input, or a design's name
    pub(crate) topology: String,
    /// A VM trace, or the word synthetic
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: PathBuf,
    /// The trace's format [default: recognised from the file]
    #[arg(long, value_enum)]
    pub(crate) format: Option<TraceFormat>,
    /// Whether VMs are added that were alive at the window's start but are not in the trace
    /// [default: where the format lacks them]
    #[arg(long, value_name = "YES", action = clap::ArgAction::Set)]
    pub(crate) warm_up: Option<bool>,
    /// Drop and count rows that cannot be read, rather than stop at the first
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Of an azure-packing trace: the machine whose fractions are used
    #[arg(long, value_name = "ID")]
    pub(crate) machine: Option<i64>,
    /// Where VMs go if the trace names no hosts
    #[arg(long, value_enum, default_value_t = PlacementKind::Random)]
    pub(crate) placement: PlacementKind,
    /// The part of each VM's memory that may come from the pool
    #[arg(long, value_name = "P", default_value_t = 0.65, value_parser = fraction)]
    pub(crate) pooled_fraction: f64,
    /// Find that part in a CSV table of workloads, their latencies and slowdowns
    #[arg(long, value_name = "FILE", conflicts_with = "pooled_fraction", requires = "latency_ns")]
    pub(crate) slowdowns: Option<PathBuf>,
    /// The latency of the pooled memory, for --slowdowns
    #[arg(long, value_name = "NS", requires = "slowdowns")]
    pub(crate) latency_ns: Option<f64>,
    /// The slowdown that is tolerated, for --slowdowns
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    pub(crate) tolerated: f64,
    /// How a server chooses among its MPDs
    #[arg(long, value_enum, default_value_t = Policy::LeastLoaded)]
    pub(crate) policy: Policy,
    /// Bounded migration: how far its cap lies above what the wiring has needed so far
    #[arg(long, value_name = "M", default_value_t = 0.06)]
    pub(crate) margin: f64,
    /// What an MPD holds, where that is fixed; what finds no room spills and is counted
    #[arg(long, value_name = "C", conflicts_with = "margin")]
    pub(crate) mpd_capacity_gib: Option<u32>,
    /// Sizes MPDs are sold in: the peak is rounded up to the next of them
    #[arg(long, value_name = "GIB,..", value_delimiter = ',', conflicts_with = "mpd_capacity_gib")]
    pub(crate) mpd_sizes_gib: Vec<u32>,
    /// Links each VM uses under the policy striped
    #[arg(long, value_name = "W", default_value_t = 2)]
    pub(crate) stripe_links: usize,
    /// The share of links that has failed, drawn anew for each pod
    #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = fraction)]
    pub(crate) fail_links: f64,
    /// Also fail one MPD of each pod at a random moment, and say how the pod goes on without it
    #[arg(long)]
    pub(crate) fail_mpd: bool,
    /// Draws of the trace to take the pods from in turn: where VMs go, and whatever else of it
    /// is random
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) draws: NonZeroUsize,
    /// Random pods to average over
    #[arg(long, value_name = "N", default_value = "200")]
    pub(crate) pods: NonZeroUsize,
    /// One JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) draw: Draw,
}

/// Trace formats that can be read so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// `vm,start_s,end_s,gib,cores[,server]`
    Plain,
    /// The nine-day Azure window
    AzureWindow,
    /// Azure's vmtable.csv of 2017
    AzureV1,
    /// Azure's vmtable.csv of 2019, with buckets
    AzureV2,
    /// Azure's packing trace of 2020, an SQLite file
    AzurePacking,
    /// Huawei-East-1, a row for each creation and deletion
    HuaweiEast,
    /// Any of these in Parquet; needs a build with --features parquet
    Parquet,
    /// Drawn from the seed; the file, if any, holds parameters in TOML
    Synthetic,
}

/// Where VMs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlacementKind {
    /// A server drawn from those with room
    Random,
    /// The one with the least memory left
    BestFit,
    /// The one with the most memory left
    WorstFit,
}

/// Allocation policies that can be replayed so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Policy {
    /// Each GiB to the least-loaded connected MPD (section 5.4)
    LeastLoaded,
    /// Each VM evenly over the W least-loaded MPDs, for the bandwidth of W links
    Striped,
    /// Least-loaded under a cap, kept by moving memory only where it must
    BoundedMigration,
    /// All MPDs as one pool, whatever the wiring
    GlobalPool,
    /// The best any policy could do: a bound, exact
    Optimum,
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a fraction from 0 to 1".to_owned()),
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // A year is longer than anyone waits, and fits every clock.
        Ok(value) if (0.0..=31_536_000.0).contains(&value) => Ok(value),
        _ => Err("expected 0 to 31536000 seconds, a year".to_owned()),
    }
}

/// Says in one line what is wrong with the arguments; help goes to stdout.
pub(crate) fn refuse(error: &clap::Error) -> Status {
    use clap::error::ErrorKind;
    let text = error.render().to_string();
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match output::print(&text) {
            Ok(()) => Status::Done,
            Err(_) => Status::Unusable,
        };
    }
    // clap sets the usage and its tips apart by an empty line.
    let said = text.split("\n\n").next().unwrap_or(&text);
    let said = said.trim_start_matches("error: ");
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::complain("no verb was given; cargo xtask --help lists them");
    } else {
        output::complain(said);
    }
    Status::Unusable
}
