//! The trace formats, and one row of each.

use std::fmt;
use std::str::FromStr;

use csv::ByteRecord;

use super::{Cleaned, MAX_FLEET, MAX_TIME_S, MAX_VM_GIB, Rule, count};
use crate::num::{round_i64, round_u32};
use crate::{Error, Result};

/// The resolution of Azure's traces, in seconds.
pub(super) const AZURE_BIN_S: i64 = 300;

/// What spreadsheets put in front of UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A trace file's format; those of text may be gzipped.
///
/// Columns are found by the header's names, in any order; others are ignored.
/// The public files of [`Self::AzureV1`], [`Self::AzureV2`] and some of
/// [`Self::HuaweiEast`] have no header, and their columns stand in order.
///
/// # Examples
///
/// ```
/// use octopus_pool::{Format, ReadOptions, read_trace_from};
///
/// let rows = "a,s,d,0,600,9,1,5,Unknown,2,3.5\nb,s,d,300,900,9,1,5,Unknown,4,7\n";
/// let options = ReadOptions { format: Some(Format::AzureV1), ..ReadOptions::default() };
/// let trace = read_trace_from(rows.as_bytes(), "vmtable.csv", &options)?;
/// assert_eq!((trace.vms().len(), trace.vms()[1].cores), (2, 4));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
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
    /// Azure's `vmtable.csv` of 2017 (Cortez et al., SOSP 2017): `vmid`,
    /// `subscriptionid`, `deploymentid`, `vmcreated`, `vmdeleted`, `maxcpu`,
    /// `avgcpu`, `p95maxcpu`, `vmcategory`, `vmcorecount`, `vmmemory`; seconds
    /// and GB. As in the publishers' notebook, a lifetime is 300 s at least; who
    /// is deleted at the trace's last instant lives on.
    AzureV1,
    /// The same of 2019, with cores and memory in buckets; the open ones are
    /// read as 30 cores and 70 GB, as in the publishers' notebook.
    AzureV2,
    /// Azure's packing trace of 2020 (Hadary et al., OSDI 2020), an SQLite
    /// file: `vm(vmId, vmTypeId, starttime, endtime)` in days and
    /// `vmType(vmTypeId, machineId, core, memory)` in fractions of a machine.
    AzurePacking,
    /// Huawei-East-1: `vmid`, `cpu`, `memory`, `time`, `type`; a row creates
    /// (0) or deletes (1) a VM.
    HuaweiEast,
    /// Any of the formats of text, with its columns by name, in Parquet; needs
    /// the feature `parquet`.
    Parquet,
}

impl Format {
    /// All formats.
    ///
    /// ```
    /// use octopus_pool::Format;
    /// let names = Format::ALL.map(Format::name);
    /// assert_eq!(names[2..], ["azure-v1", "azure-v2", "azure-packing", "huawei-east", "parquet"]);
    /// ```
    pub const ALL: [Self; 7] = [
        Self::Plain,
        Self::AzureWindow,
        Self::AzureV1,
        Self::AzureV2,
        Self::AzurePacking,
        Self::HuaweiEast,
        Self::Parquet,
    ];

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
            Self::AzureV1 => "azure-v1",
            Self::AzureV2 => "azure-v2",
            Self::AzurePacking => "azure-packing",
            Self::HuaweiEast => "huawei-east",
            Self::Parquet => "parquet",
        }
    }

    /// The columns every file of the format has.
    const fn columns(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &["vm", "start_s", "end_s", "gib", "cores"],
            Self::AzureWindow => {
                &["start_bin_s", "dur_lo_s", "dur_hi_s", "censored", "cores", "mem_gib"]
            }
            Self::AzureV1 => &["vmid", "vmcreated", "vmdeleted", "vmcorecount", "vmmemory"],
            Self::AzureV2 => {
                &["vmid", "vmcreated", "vmdeleted", "vmcorecountbucket", "vmmemorybucket"]
            }
            Self::AzurePacking | Self::Parquet => &[],
            Self::HuaweiEast => &["vmid", "cpu", "memory", "time", "type"],
        }
    }

    /// Where the columns stand in a file without a header, and how many fields
    /// a row of it has.
    const fn positions(self) -> Option<(&'static [usize], usize)> {
        match self {
            Self::AzureV1 | Self::AzureV2 => Some((&[0, 3, 4, 9, 10], 11)),
            Self::HuaweiEast => Some((&[0, 1, 2, 3, 4], 5)),
            Self::Plain | Self::AzureWindow | Self::AzurePacking | Self::Parquet => None,
        }
    }

    /// The format of a file, from its first record: a header with the format's
    /// columns, or a row of one that has no header.
    pub(super) fn recognised(first: &ByteRecord) -> Option<Self> {
        let has_header = |f: &Self| {
            !f.columns().is_empty() && f.columns().iter().all(|c| find(first, c).is_some())
        };
        Self::ALL.into_iter().find(has_header).or_else(|| Self::of_row(first))
    }

    fn of_row(row: &ByteRecord) -> Option<Self> {
        let text = |at: usize| row.get(at).and_then(|field| std::str::from_utf8(field).ok());
        let is_number = |at: usize| text(at).is_some_and(|t| t.parse::<f64>().is_ok());
        match row.len() {
            11 if is_number(3) && is_number(4) => {
                let cores = text(9).is_some_and(|t| ["2", "4", "8", "24", ">24"].contains(&t));
                let memory =
                    text(10).is_some_and(|t| ["2", "4", "8", "32", "64", ">64"].contains(&t));
                Some(if cores && memory { Self::AzureV2 } else { Self::AzureV1 })
            }
            5 if (1..4).all(is_number) && matches!(text(4), Some("0" | "1")) => {
                Some(Self::HuaweiEast)
            }
            _ => None,
        }
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

/// What a record says.
#[derive(Clone, Debug)]
pub(super) enum Said {
    /// A VM's whole stay.
    Stay(Row),
    /// A VM begins; its life is open so far.
    Create(Box<[u8]>, Row),
    /// A VM ends.
    Delete(Box<[u8]>, i64),
    /// Nothing: the row is dropped, and counted.
    Dropped,
}

/// Where a format's columns stand in this file.
#[derive(Debug)]
pub(super) struct Columns {
    format: Format,
    at: Vec<(&'static str, usize)>,
    server: Option<usize>,
    /// Fields of every row, and whether the first record was a row itself.
    pub(super) fields: usize,
    pub(super) headless: bool,
}

impl Columns {
    /// From the first record of a file.
    pub(super) fn new(format: Format, header: &ByteRecord, file: &str) -> Result<Self> {
        let named = format.columns().iter().any(|column| find(header, column).is_some());
        if let Some((positions, fields)) = format.positions().filter(|_| !named) {
            let at = format.columns().iter().copied().zip(positions.iter().copied()).collect();
            return Ok(Self { format, at, server: None, fields, headless: true });
        }
        let at = |&column: &&'static str| {
            find(header, column).map(|i| (column, i)).ok_or_else(|| Error::MissingColumn {
                file: file.to_owned(),
                format: format.name(),
                column,
            })
        };
        let at = format.columns().iter().map(at).collect::<Result<_>>()?;
        let server = (format == Format::Plain).then(|| find(header, "server")).flatten();
        Ok(Self { format, at, server, fields: header.len(), headless: false })
    }

    /// Reads one record, and counts the rules that touch it.
    pub(super) fn parse(
        &self,
        record: &ByteRecord,
        file: &str,
        line: u64,
        cleaning: &mut Vec<Cleaned>,
    ) -> Result<Said> {
        let fields = Fields { columns: self, record, file, line };
        if record.len() != self.fields {
            let (fields, expected) = (record.len() as u64, self.fields as u64);
            return Err(Error::FieldCount { file: file.to_owned(), line, fields, expected });
        }
        let said = match self.format {
            Format::Plain => fields.plain(),
            Format::AzureWindow => fields.azure_window(),
            Format::AzureV1 | Format::AzureV2 => fields.azure_table(cleaning),
            Format::HuaweiEast => fields.huawei_east(),
            // files of these are not read by records of their own
            Format::AzurePacking | Format::Parquet => Ok(Err(Rule::NotFinite)),
        }?;
        Ok(said.unwrap_or_else(|rule| {
            count(cleaning, rule, 1);
            Said::Dropped
        }))
    }

    /// What tells a VM's stay from others, where the format names VMs.
    pub(super) fn identity<'r>(&self, record: &'r ByteRecord) -> Option<&'r [u8]> {
        let named = matches!(self.format, Format::Plain | Format::AzureV1 | Format::AzureV2);
        self.at.first().filter(|_| named).and_then(|(_, at)| record.get(*at))
    }
}

/// A record with what an error message needs.
struct Fields<'a> {
    columns: &'a Columns,
    record: &'a ByteRecord,
    file: &'a str,
    line: u64,
}

/// What a record says, or the rule by which it is dropped.
type Parsed = Result<Said, Rule>;

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

    /// Azure V1 and V2: the same but for what the last two columns may hold.
    fn azure_table(&self, cleaning: &mut Vec<Cleaned>) -> Result<Parsed> {
        let (start, end) = (self.number(1)?, self.number(2)?);
        let mut open = false;
        let mut bucket = |column, text: &[u8], value: f64| {
            let is_open = self.text(column).1 == text;
            open |= is_open;
            if is_open { Ok(value) } else { self.number(column) }
        };
        let (cores, memory_gib) = (bucket(3, b">24", 30.0)?, bucket(4, b">64", 70.0)?);
        if ![start, end, cores, memory_gib].iter().all(|x| x.is_finite()) {
            return Ok(Err(Rule::NotFinite));
        }
        if cores.fract().abs() > 0.0 || !(0.0..=1e6).contains(&cores) {
            return Err(self.malformed(3, "a whole number of cores up to 1000000"));
        }
        let (start_s, end_s) = (self.time(1, start)?, self.time(2, end)?);
        let mut life_s = end_s - start_s;
        if (0..AZURE_BIN_S).contains(&life_s) {
            count(cleaning, Rule::RaisedLifetime, 1);
            life_s = AZURE_BIN_S;
        }
        if open {
            count(cleaning, Rule::OpenBucket, 1);
        }
        let (life, cores) = (Life::Known(life_s), round_u32(cores));
        self.checked(4, Row { start_s, life, memory_gib, cores, server: None })
    }

    fn huawei_east(&self) -> Result<Parsed> {
        let time = self.number(3)?;
        let creates = match self.text(4).1 {
            b"0" => true,
            b"1" => false,
            _ => return Err(self.malformed(4, "0 or 1")),
        };
        let (cores, memory_gib) = (self.cores(1)?, self.number(2)?);
        if ![time, memory_gib].iter().all(|x| x.is_finite()) {
            return Ok(Err(Rule::NotFinite));
        }
        let (id, time_s) = (self.text(0).1.into(), self.time(3, time)?);
        if !creates {
            return Ok(Ok(Said::Delete(id, time_s)));
        }
        let row = Row { start_s: time_s, life: Life::Open, memory_gib, cores, server: None };
        Ok(self.checked(2, row)?.map(|_| Said::Create(id, row)))
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
            Ok(Said::Stay(row))
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
