//! The trace formats, and one row of each.

use std::fmt;
use std::str::FromStr;

use csv::ByteRecord;

use super::{MAX_FLEET, MAX_TIME_S, MAX_VM_GIB, Rule};
use crate::num::round_i64;
use crate::{Error, Result};

/// What spreadsheets put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A trace file's format, plain or gzipped.
///
/// Columns are found by the header's names, in any order; others are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// `vm,start_s,end_s,gib,cores[,server]`. An empty `end_s` is a VM that
    /// was still alive when the trace closed.
    Plain,
    /// `batch,start_bin_s,dur_lo_s,dur_hi_s,censored,cores,mem_gib`: Azure V1
    /// (Cortez et al., SOSP 2017) with lifetimes in bins, as processed by
    /// Bergsma et al. (SOSP 2021).
    AzureWindow,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Plain, Self::AzureWindow];

    /// The format's name on the command line.
    ///
    /// ```
    /// use octopus_pool::Format;
    /// assert_eq!(Format::AzureWindow.name(), "azure-window");
    /// assert_eq!("plain".parse::<Format>()?, Format::Plain);
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::AzureWindow => "azure-window",
        }
    }

    /// The columns every file of the format has.
    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["vm", "start_s", "end_s", "gib", "cores"],
            Self::AzureWindow => {
                &["start_bin_s", "dur_lo_s", "dur_hi_s", "censored", "cores", "mem_gib"]
            }
        }
    }

    /// The format whose columns a header has.
    pub(super) fn recognised(header: &ByteRecord) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.columns().iter().all(|c| find(header, c).is_some()))
    }

    /// All names, for messages.
    pub(super) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name).ok_or_else(|| Error::UnknownName {
            what: "trace format",
            name: name.to_owned(),
            known: Self::names(),
        })
    }
}

fn find(header: &ByteRecord, column: &str) -> Option<usize> {
    let is = |name: &[u8]| {
        let name = name.strip_prefix(BYTE_ORDER_MARK).unwrap_or(name);
        name.eq_ignore_ascii_case(column.as_bytes())
    };
    header.iter().position(is)
}

/// A VM as its row tells it, before the window is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) start_s: i64,
    pub(super) life: Life,
    pub(super) memory_gib: f64,
    pub(super) cores: u32,
    pub(super) server: Option<u32>,
}

/// What a row says about how long its VM lived.
#[derive(Clone, Copy, Debug)]
pub(super) enum Life {
    /// It ended this many seconds after its start.
    Known(i64),
    /// It ended within these bounds, in seconds after its start.
    Bin(i64, i64),
    /// It was alive this long after its start, within the bounds.
    AtLeast(i64, i64),
    /// It was alive when the trace closed.
    Open,
}

/// A row, or the rule by which it is dropped.
pub(super) type Parsed = Result<Row, Rule>;

/// Where a format's columns stand in this file.
#[derive(Debug)]
pub(super) struct Columns {
    format: Format,
    at: Vec<(&'static str, usize)>,
    server: Option<usize>,
}

impl Columns {
    pub(super) fn new(format: Format, header: &ByteRecord, file: &str) -> Result<Self> {
        let at = |&column: &&'static str| {
            find(header, column).map(|i| (column, i)).ok_or_else(|| Error::MissingColumn {
                file: file.to_owned(),
                format: format.name(),
                column,
            })
        };
        let at = format.columns().iter().map(at).collect::<Result<_>>()?;
        let server = (format == Format::Plain).then(|| find(header, "server")).flatten();
        Ok(Self { format, at, server })
    }

    /// Reads one record.
    pub(super) fn parse(&self, record: &ByteRecord, file: &str, line: u64) -> Result<Parsed> {
        let fields = Fields { columns: self, record, file, line };
        match self.format {
            Format::Plain => fields.plain(),
            Format::AzureWindow => fields.azure_window(),
        }
    }
}

/// A record with what an error message needs.
struct Fields<'a> {
    columns: &'a Columns,
    record: &'a ByteRecord,
    file: &'a str,
    line: u64,
}

impl Fields<'_> {
    fn plain(&self) -> Result<Parsed> {
        let start = self.number(1)?;
        let end = if self.text(2).1.is_empty() { None } else { Some(self.number(2)?) };
        let (memory_gib, cores) = (self.number(3)?, self.cores(4)?);
        let server = self.columns.server.map(|at| self.server(at)).transpose()?;
        if !(start.is_finite() && end.is_none_or(f64::is_finite) && memory_gib.is_finite()) {
            return Ok(Err(Rule::NotFinite));
        }
        let start_s = self.time(1, start)?;
        let life = match end {
            None => Life::Open,
            Some(end) => Life::Known(self.time(2, end)? - start_s),
        };
        self.checked(3, Row { start_s, life, memory_gib, cores, server })
    }

    fn azure_window(&self) -> Result<Parsed> {
        let (start, low, high) = (self.number(0)?, self.number(1)?, self.number(2)?);
        let censored = match self.text(3).1 {
            b"0" => false,
            b"1" => true,
            _ => return Err(self.malformed(3, "0 or 1")),
        };
        let (cores, memory_gib) = (self.cores(4)?, self.number(5)?);
        if ![start, low, high, memory_gib].iter().all(|x| x.is_finite()) {
            return Ok(Err(Rule::NotFinite));
        }
        let start_s = self.time(0, start)?;
        let (low, high) = (self.time(1, low)?, self.time(2, high)?);
        if high < low {
            return Err(self.malformed(2, "at least dur_lo_s"));
        }
        let life = if censored { Life::AtLeast(low, high) } else { Life::Bin(low, high) };
        self.checked(5, Row { start_s, life, memory_gib, cores, server: None })
    }

    /// Applies the dropping rules common to all formats.
    fn checked(&self, memory_column: usize, row: Row) -> Result<Parsed> {
        if row.memory_gib > MAX_VM_GIB {
            return Err(self.malformed(memory_column, "at most 65536 GiB"));
        }
        let (low, high) = match row.life {
            Life::Known(life) => (life, life),
            Life::Bin(low, high) | Life::AtLeast(low, high) => (low, high),
            Life::Open => (1, 1),
        };
        let open = matches!(row.life, Life::AtLeast(..));
        Ok(if row.memory_gib <= 0.0 {
            Err(Rule::ZeroMemory)
        } else if low < 0 {
            Err(Rule::EndBeforeStart)
        } else if high == 0 && !open {
            Err(Rule::ZeroLifetime)
        } else {
            Ok(row)
        })
    }

    /// The name and bytes of the format's `column`-th column.
    fn text(&self, column: usize) -> (&'static str, &[u8]) {
        let (name, at) = self.columns.at[column];
        (name, self.record.get(at).unwrap_or_default())
    }

    fn number(&self, column: usize) -> Result<f64> {
        let text = std::str::from_utf8(self.text(column).1).ok();
        text.and_then(|t| t.parse().ok()).ok_or_else(|| self.malformed(column, "a number"))
    }

    fn time(&self, column: usize, seconds: f64) -> Result<i64> {
        let whole = round_i64(seconds);
        if (-MAX_TIME_S..=MAX_TIME_S).contains(&whole) {
            Ok(whole)
        } else {
            Err(self.malformed(column, "at most 1e10 seconds"))
        }
    }

    fn cores(&self, column: usize) -> Result<u32> {
        let text = std::str::from_utf8(self.text(column).1).ok();
        let cores = text.and_then(|t| t.parse().ok()).filter(|c| *c <= 1_000_000);
        cores.ok_or_else(|| self.malformed(column, "a whole number of cores up to 1000000"))
    }

    fn server(&self, at: usize) -> Result<u32> {
        let bytes = self.record.get(at).unwrap_or_default();
        let server = std::str::from_utf8(bytes).ok().and_then(|t| t.parse().ok());
        server
            .filter(|s: &u32| (*s as usize) < MAX_FLEET)
            .ok_or_else(|| self.error("server", bytes, "a server number from 0, below 1000000"))
    }

    fn malformed(&self, column: usize, expected: &'static str) -> Error {
        let (field, bytes) = self.text(column);
        self.error(field, bytes, expected)
    }

    fn error(&self, field: &'static str, bytes: &[u8], expected: &'static str) -> Error {
        // A field may be a whole row long; a message should not be.
        let value = String::from_utf8_lossy(bytes).chars().take(40).collect();
        Error::Malformed { file: self.file.to_owned(), line: self.line, field, value, expected }
    }
}
