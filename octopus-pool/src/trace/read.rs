//! Reads trace files row by row.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder, Trim};
use flate2::read::MultiGzDecoder;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::format::{AZURE_BIN_S, Columns, Life, Row, Said};
use super::guard::Guard;
use super::packing;
use super::warm_up::{draw_censored, with_warm_up};
use super::{Cleaned, Format, MAX_ROWS, Rule, Trace, Vm, WarmUp, check_window, count};
use crate::{Error, Result, ServerSize};

/// The first two bytes of a gzip stream (RFC 1952).
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of an SQLite file.
const SQLITE_MAGIC: &[u8] = b"SQLite format 3\0";

/// The first bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// How to read a trace.
///
/// ```
/// use octopus_pool::ReadOptions;
/// assert_eq!(ReadOptions::default().max_rows, 20_000_000);
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; recognised from the header where `None`.
    pub format: Option<Format>,
    /// The window peaks are looked for in, in seconds, end excluded. Where
    /// `None`: from the first start to the last time the trace names (for the
    /// Azure window, one arrival bin after the last arrival).
    pub window: Option<Range<i64>>,
    /// Whether to add the VMs that were alive at the window's start but are not
    /// in the file (see [`with_warm_up`]). Where `None`: for the Azure window,
    /// which lacks them.
    pub warm_up: Option<bool>,
    /// Whether a row that cannot be read is dropped and counted
    /// ([`Rule::Malformed`]) rather than an error.
    pub lenient: bool,
    /// Of [`Format::AzurePacking`]: the machine whose fractions are used; where
    /// `None`, the lowest `machineId` that has a row for every VM type, or for
    /// the most of them.
    pub machine: Option<i64>,
    /// What a whole machine has, where a trace gives sizes as fractions of one.
    pub machine_size: ServerSize,
    /// Seed of what is drawn: lifetimes in their bins, unknown lifetimes, and
    /// the warm-up population.
    pub seed: u64,
    /// The most rows accepted, at most [`MAX_ROWS`].
    pub max_rows: usize,
    /// The most bytes accepted, after decompression.
    pub max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            format: None,
            window: None,
            warm_up: None,
            lenient: false,
            machine: None,
            machine_size: ServerSize { cores: 96, memory_gib: 384.0 },
            seed: 0,
            max_rows: 20_000_000,
            max_bytes: 8 << 30,
        }
    }
}

/// Reads a trace file: text, plain or gzipped, SQLite, or Parquet.
///
/// # Errors
///
/// [`Error::Open`], [`Error::Database`], and as [`read_trace_from`].
///
/// # Examples
///
/// ```
/// use octopus_pool::{Error, ReadOptions, read_trace};
/// let absent = read_trace("no such file.csv".as_ref(), &ReadOptions::default());
/// assert!(matches!(absent, Err(Error::Open { .. })));
/// ```
pub fn read_trace(path: &Path, options: &ReadOptions) -> Result<Trace> {
    let name = path.display().to_string();
    let open = || File::open(path).map_err(|source| Error::Open { file: name.clone(), source });
    let mut magic = Vec::new();
    let most = SQLITE_MAGIC.len() as u64;
    let peeked = open()?.take(most).read_to_end(&mut magic);
    peeked.map_err(|source| Error::Open { file: name.clone(), source })?;
    let is_sqlite = magic == SQLITE_MAGIC;
    let is_parquet = magic.starts_with(PARQUET_MAGIC);
    match options.format {
        Some(Format::Parquet) | None if is_parquet => read_parquet(path, &name, options),
        Some(Format::AzurePacking) | None if is_sqlite => {
            let (rows, cleaning) = packing::read(path, &name, options)?;
            finish(Format::AzurePacking, rows, cleaning, &name, options)
        }
        _ => read_trace_from(open()?, &name, options),
    }
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path, name: &str, options: &ReadOptions) -> Result<Trace> {
    let (format, rows, cleaning) = super::parquet::read(path, name, options)?;
    finish(format, rows, cleaning, name, options)
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(_: &Path, name: &str, _: &ReadOptions) -> Result<Trace> {
    Err(Error::NoFeature { file: name.to_owned(), feature: "parquet" })
}

/// Reads a trace from bytes, plain or gzipped; `name` stands in messages.
///
/// Every row is kept, dropped by a named [`Rule`], or an error; nothing is
/// skipped silently. A lifetime given as a bin is drawn uniformly inside it. A
/// lifetime known only from below is drawn from the VMs that were seen beyond
/// it (Kaplan–Meier, J. Am. Stat. Assoc. 53, 1958).
///
/// # Errors
///
/// [`Error::UnknownFormat`], [`Error::MissingColumn`]; [`Error::Malformed`]
/// with line and field, [`Error::FieldCount`]; [`Error::Read`] for a damaged or too long input;
/// [`Error::TooManyRows`]; [`Error::Window`] and [`Error::NoVms`].
///
/// # Examples
///
/// ```
/// use octopus_pool::{ReadOptions, Rule, read_trace_from};
///
/// let csv = "vm,start_s,end_s,gib,cores\n1,0,60,4,2\n2,10,5,4,2\n";
/// let trace = read_trace_from(csv.as_bytes(), "two.csv", &ReadOptions::default())?;
/// assert_eq!(trace.vms().len(), 1);
/// assert_eq!(trace.cleaning()[0].rule, Rule::EndBeforeStart);
///
/// let csv = "vm,start_s,end_s,gib,cores\n1,0,soon,4,2\n";
/// let wrong = read_trace_from(csv.as_bytes(), "x.csv", &ReadOptions::default()).unwrap_err();
/// assert_eq!(wrong.to_string(), r#"x.csv:2: end_s is "soon", expected a number"#);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn read_trace_from(reader: impl Read, name: &str, options: &ReadOptions) -> Result<Trace> {
    let (format, rows, cleaning) = read_rows(reader, name, options)?;
    finish(format, rows, cleaning, name, options)
}

/// From rows to a trace: the window, drawn lifetimes, the warm-up.
fn finish(
    format: Format,
    mut rows: Vec<Row>,
    mut cleaning: Vec<Cleaned>,
    name: &str,
    options: &ReadOptions,
) -> Result<Trace> {
    let window = match &options.window {
        Some(window) => window.clone(),
        None => span(format, &rows),
    };
    if rows.is_empty() {
        let Range { start: start_s, end: end_s } = window;
        return Err(Error::NoVms { source_name: name.to_owned(), start_s, end_s });
    }
    check_window(&window)?;
    if matches!(format, Format::AzureV1 | Format::AzureV2) {
        open_at_the_end(&mut rows);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let vms = rows.iter().map(|row| observed(row, &window, &mut rng));
    // A row that starts beyond a window the caller chose has no life before its end.
    let (vms, late): (Vec<_>, Vec<_>) = vms.partition(|vm| vm.start_s < window.end);
    count(&mut cleaning, Rule::OutsideWindow, late.len() as u64);
    drop(rows);
    let mut trace = Trace { source: name.to_owned(), window, vms, cleaning, warm_up: WarmUp::None };
    draw_censored(&mut trace, options.seed);
    trace.keep_window()?;
    if options.warm_up.unwrap_or(format == Format::AzureWindow) {
        trace = with_warm_up(trace, options.seed)?;
    }
    Ok(trace)
}

/// Streams the rows in.
fn read_rows(
    mut reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<(Format, Vec<Row>, Vec<Cleaned>)> {
    let failed = |line, source: csv::Error| failed(name, line, source);
    let mut magic = Vec::with_capacity(GZIP_MAGIC.len());
    let peeked = reader.by_ref().take(GZIP_MAGIC.len() as u64).read_to_end(&mut magic);
    peeked.map_err(|e| failed(1, e.into()))?;
    let gzipped = magic == GZIP_MAGIC;
    let whole = magic.as_slice().chain(reader);
    let plain: Box<dyn Read + '_> =
        if gzipped { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) };
    let guarded = Guard::new(plain, options.max_bytes);
    let mut csv = ReaderBuilder::new().trim(Trim::All).flexible(true).from_reader(guarded);

    let header = csv.byte_headers().map_err(|e| failed(1, e))?.clone();
    let Some(format) = options.format.or_else(|| Format::recognised(&header)) else {
        return Err(unknown_format(name, &header));
    };
    let file = || name.to_owned();
    match format {
        Format::AzurePacking => return Err(Error::NotSqlite { file: file() }),
        Format::Parquet => {
            return Err(Error::Parquet { file: file(), message: "no Parquet file".to_owned() });
        }
        _ => {}
    }
    let columns = Columns::new(format, &header, name)?;
    let mut gathered = Gathered::new(name, options);
    if columns.headless {
        gathered.take(&columns, &header, 1)?;
    }
    let mut record = ByteRecord::new();
    loop {
        let more = csv.read_byte_record(&mut record);
        if !more.map_err(|e| failed(csv.position().line(), e))? {
            let (rows, cleaning) = gathered.done();
            return Ok((format, rows, cleaning));
        }
        let line = record.position().map_or_else(|| csv.position().line(), csv::Position::line);
        gathered.take(&columns, &record, line)?;
    }
}

/// Rows as they come in.
pub(super) struct Gathered<'a> {
    name: &'a str,
    options: &'a ReadOptions,
    rows: Vec<Row>,
    cleaning: Vec<Cleaned>,
    /// Hashes of the stays so far, in a trace that names its VMs.
    stays: HashSet<u64>,
    hasher: BuildHasherDefault<DefaultHasher>,
    /// VMs created and not deleted yet, in one that tells both apart.
    alive: HashMap<Box<[u8]>, Row>,
}

impl<'a> Gathered<'a> {
    pub(super) fn new(name: &'a str, options: &'a ReadOptions) -> Self {
        Self {
            name,
            options,
            rows: Vec::new(),
            cleaning: Vec::new(),
            stays: HashSet::new(),
            hasher: BuildHasherDefault::default(),
            alive: HashMap::new(),
        }
    }

    pub(super) fn take(&mut self, columns: &Columns, record: &ByteRecord, line: u64) -> Result<()> {
        let said = match columns.parse(record, self.name, line, &mut self.cleaning) {
            Err(_) if self.options.lenient => {
                count(&mut self.cleaning, Rule::Malformed, 1);
                return Ok(());
            }
            said => said?,
        };
        let most = self.options.max_rows.min(MAX_ROWS);
        if self.rows.len() + self.alive.len() == most {
            return Err(Error::TooManyRows { file: self.name.to_owned(), line, most });
        }
        match said {
            Said::Dropped => {}
            Said::Stay(row) => {
                let stay = columns.identity(record).filter(|id| !id.is_empty());
                let stay = stay.map(|id| self.hasher.hash_one((id, row.start_s, known_life(&row))));
                if stay.is_none_or(|stay| self.stays.insert(stay)) {
                    self.rows.push(row);
                } else {
                    count(&mut self.cleaning, Rule::Duplicate, 1);
                }
            }
            Said::Create(id, row) => match self.alive.entry(id) {
                Entry::Vacant(free) => {
                    free.insert(row);
                }
                Entry::Occupied(_) => count(&mut self.cleaning, Rule::CreatedTwice, 1),
            },
            Said::Delete(id, end_s) => match self.alive.remove(&id) {
                None => count(&mut self.cleaning, Rule::NeverCreated, 1),
                Some(row) => match end_s - row.start_s {
                    0 => count(&mut self.cleaning, Rule::ZeroLifetime, 1),
                    life if life < 0 => count(&mut self.cleaning, Rule::EndBeforeStart, 1),
                    life => self.rows.push(Row { life: Life::Known(life), ..row }),
                },
            },
        }
        Ok(())
    }

    /// The rows; who is alive still stays so.
    pub(super) fn done(mut self) -> (Vec<Row>, Vec<Cleaned>) {
        let mut alive: Vec<_> = self.alive.into_iter().collect();
        // a hash map has an order of its own
        alive.sort_unstable_by(|a, b| (a.1.start_s, &a.0).cmp(&(b.1.start_s, &b.0)));
        self.rows.extend(alive.into_iter().map(|(_, row)| row));
        (self.rows, self.cleaning)
    }
}

/// Who is deleted at the last instant of the trace was alive when it closed.
fn open_at_the_end(rows: &mut [Row]) {
    let end = |row: &Row| row.start_s + known_life(row);
    let last = rows.iter().map(end).max();
    for row in rows.iter_mut().filter(|row| Some(end(row)) == last) {
        row.life = Life::Open;
    }
}

/// The parser's error with the file and line it is about.
fn failed(name: &str, line: u64, source: csv::Error) -> Error {
    let file = name.to_owned();
    match *source.kind() {
        csv::ErrorKind::UnequalLengths { ref pos, expected_len, len } => {
            let line = pos.as_ref().map_or(line, csv::Position::line);
            Error::FieldCount { file, line, fields: len, expected: expected_len }
        }
        _ => Error::Read { file, line, source },
    }
}

pub(super) fn unknown_format(name: &str, header: &ByteRecord) -> Error {
    let fields: Vec<_> = header.iter().take(12).map(String::from_utf8_lossy).collect();
    Error::UnknownFormat {
        file: name.to_owned(),
        header: fields.join(",").chars().take(120).collect(),
        known: Format::names(),
    }
}

/// The window a file covers by its own times.
fn span(format: Format, rows: &[Row]) -> Range<i64> {
    let first = rows.iter().map(|row| row.start_s).min().unwrap_or(0);
    // a negative start in the packing trace is a VM that runs already
    let start = if format == Format::AzurePacking { 0 } else { first };
    let last = match format {
        Format::AzureWindow => rows.iter().map(|row| row.start_s + AZURE_BIN_S).max(),
        Format::AzurePacking => Some(packing::WINDOW_S),
        _ => rows.iter().map(|row| row.start_s + known_life(row)).max(),
    };
    start..last.unwrap_or(start)
}

/// Seconds a row's VM is known to have lived; 1 where nothing is known.
fn known_life(row: &Row) -> i64 {
    match row.life {
        Life::Known(life) => life,
        Life::Bin(low, _) | Life::AtLeast(low, _) => low.max(1),
        Life::Open => 1,
    }
}

/// The VM as far as the trace saw it, drawing inside bins.
fn observed(row: &Row, window: &Range<i64>, rng: &mut ChaCha8Rng) -> Vm {
    let Row { start_s, memory_gib, cores, server, .. } = *row;
    let to_close = window.end - start_s;
    let (life, censored) = match row.life {
        Life::Known(life) => (life, false),
        // The trace saw it end, so it ended before the trace closed.
        Life::Bin(low, high) => (draw(rng, low.max(1), high.min(to_close.max(low))), false),
        // Observation ended with the window where the bin allows it. In the
        // Azure window it ended earlier for some (at 2,100,000 s, where the
        // published processing starts its second part).
        Life::AtLeast(low, high) if to_close > high => (draw(rng, low.max(1), high.max(1)), true),
        Life::AtLeast(..) | Life::Open => (to_close, true),
    };
    Vm { start_s, end_s: start_s + life, memory_gib, cores, server, censored }
}

/// Uniform among the whole seconds of a bin.
fn draw(rng: &mut ChaCha8Rng, low: i64, high: i64) -> i64 {
    if low < high { rng.random_range(low..=high) } else { low }
}
