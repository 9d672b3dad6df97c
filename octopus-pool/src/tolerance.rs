//! How much memory workloads let one pool: from their slowdown at a latency.

use std::collections::BTreeMap;
use std::io::Read;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::num::fraction;
use crate::trace::Guard;
use crate::{Error, Result};

/// The most bytes of a table of slowdowns.
const MAX_BYTES: u64 = 64 << 20;

const COLUMNS: [&str; 3] = ["workload", "latency_ns", "slowdown"];

/// What a table of slowdowns says of one latency.
///
/// # Examples
///
/// ```
/// use octopus_pool::Tolerance;
/// let tolerance = Tolerance { fraction: 0.65, workloads: 20, extrapolated: 0 };
/// assert_eq!(tolerance.fraction, 0.65);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The share of workloads that are slowed down by no more than tolerated.
    pub fraction: f64,
    /// Workloads.
    pub workloads: usize,
    /// Workloads that were measured on one side of the latency only, and are
    /// taken at their nearest measurement.
    pub extrapolated: usize,
}

/// The share of workloads whose slowdown at a latency is tolerated: the pooled
/// fraction, if workloads are taken to use equal memory (section 4.2, Figures 4
/// and 12).
///
/// The table is CSV with the columns `workload`, `latency_ns` and `slowdown`
/// (0.1 for ten per cent), a row a measurement. Between a workload's
/// measurements its slowdown is interpolated on a straight line.
///
/// # Errors
///
/// [`Error::MissingColumn`], [`Error::Malformed`] with line and field,
/// [`Error::Read`]; [`Error::BadNumber`] for a latency or tolerance that is not
/// a number from 0 up; [`Error::NoWorkloads`] for a table without rows.
///
/// # Examples
///
/// ```
/// use octopus_pool::tolerated_fraction;
///
/// let csv = "workload,latency_ns,slowdown\n\
///            redis,100,0.00\nredis,300,0.20\n\
///            web,100,0.00\nweb,300,0.04\n";
/// let at = |latency_ns| tolerated_fraction(csv.as_bytes(), "t.csv", latency_ns, 0.10);
/// // at 180 ns redis is slowed down by 8%, at 267 ns by 16.7%
/// assert_eq!(at(180.0)?.fraction, 1.0);
/// assert_eq!(at(267.0)?.fraction, 0.5);
/// assert_eq!(at(400.0)?.extrapolated, 2);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn tolerated_fraction(
    reader: impl Read,
    name: &str,
    latency_ns: f64,
    tolerated: f64,
) -> Result<Tolerance> {
    for (field, value) in [("latency_ns", latency_ns), ("tolerated slowdown", tolerated)] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::BadNumber { field, value, expected: "a number from 0 up" });
        }
    }
    let measured = read(reader, name)?;
    if measured.is_empty() {
        return Err(Error::NoWorkloads { file: name.to_owned() });
    }
    let (mut tolerant, mut extrapolated) = (0, 0);
    for points in measured.values() {
        let (slowdown, outside) = slowdown_at(points, latency_ns);
        tolerant += usize::from(slowdown <= tolerated);
        extrapolated += usize::from(outside);
    }
    let workloads = measured.len();
    let fraction = fraction("fraction", tolerant as f64 / workloads as f64)?;
    Ok(Tolerance { fraction, workloads, extrapolated })
}

/// Each workload's measurements, by latency.
fn read(reader: impl Read, name: &str) -> Result<BTreeMap<String, Vec<(f64, f64)>>> {
    let failed = |line, source| Error::Read { file: name.to_owned(), line, source };
    let guarded = Guard::new(reader, MAX_BYTES);
    let mut csv = ReaderBuilder::new().trim(Trim::All).from_reader(guarded);
    let header = csv.headers().map_err(|source| failed(1, source))?.clone();
    let at = COLUMNS.map(|column| header.iter().position(|name| name == column));
    let mut columns = [0; 3];
    for (to, (column, at)) in columns.iter_mut().zip(COLUMNS.into_iter().zip(at)) {
        let format = "slowdown";
        *to = at.ok_or_else(|| Error::MissingColumn { file: name.to_owned(), format, column })?;
    }
    let mut measured: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let mut record = StringRecord::new();
    while csv.read_record(&mut record).map_err(|source| failed(csv.position().line(), source))? {
        let line = record.position().map_or(0, csv::Position::line);
        let text = |column: usize| record.get(columns[column]).unwrap_or_default();
        let number = |column: usize, least: f64| {
            let value = text(column).parse().ok().filter(|x: &f64| x.is_finite() && *x >= least);
            value.ok_or_else(|| Error::Malformed {
                file: name.to_owned(),
                line,
                field: COLUMNS[column],
                value: text(column).chars().take(40).collect(),
                expected: "a finite number; a latency from 0 up, a slowdown above -1",
            })
        };
        let point = (number(1, 0.0)?, number(2, -1.0)?);
        measured.entry(text(0).to_owned()).or_default().push(point);
    }
    for points in measured.values_mut() {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    Ok(measured)
}

/// The slowdown at a latency, and whether that lies outside what was measured.
fn slowdown_at(points: &[(f64, f64)], latency_ns: f64) -> (f64, bool) {
    let above = points.partition_point(|point| point.0 < latency_ns);
    match (above.checked_sub(1).map(|below| points[below]), points.get(above)) {
        (_, Some(&(at, slowdown))) if at <= latency_ns => (slowdown, false),
        (Some((low, from)), Some(&(high, to))) => {
            (from + (to - from) * (latency_ns - low) / (high - low), false)
        }
        (Some((_, slowdown)), None) | (None, Some(&(_, slowdown))) => (slowdown, true),
        (None, None) => (0.0, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rows: &str, latency_ns: f64) -> Result<Tolerance> {
        let csv = format!("latency_ns,note,slowdown,workload\n{rows}");
        tolerated_fraction(csv.as_bytes(), "s.csv", latency_ns, 0.1)
    }

    #[test]
    fn slowdowns_are_interpolated_between_measurements() {
        let points = [(100.0, 0.0), (200.0, 0.1), (400.0, 0.5)];
        for (latency_ns, slowdown, outside) in [
            (50.0, 0.0, true),
            (100.0, 0.0, false),
            (150.0, 0.05, false),
            (200.0, 0.1, false),
            (300.0, 0.3, false),
            (400.0, 0.5, false),
            (500.0, 0.5, true),
        ] {
            let (found, was_outside) = slowdown_at(&points, latency_ns);
            assert!((found - slowdown).abs() < 1e-12, "{latency_ns}: {found}");
            assert_eq!(was_outside, outside, "{latency_ns}");
        }
    }

    #[test]
    fn rows_come_in_any_order_and_wrong_ones_are_named() {
        let tolerance = at("300,x,0.2,a\n100,x,0.0,a\n200,x,0.3,b\n", 199.0).unwrap();
        assert_eq!((tolerance.workloads, tolerance.extrapolated), (2, 1));
        assert!((tolerance.fraction - 0.5).abs() < 1e-12);
        for (rows, expected) in [
            ("1,x,0.2,a\n1,x,fast,a\n", r#"s.csv:3: slowdown is "fast""#),
            ("-1,x,0.2,a\n", r#"s.csv:2: latency_ns is "-1""#),
            ("1,x,NaN,a\n", r#"s.csv:2: slowdown is "NaN""#),
            ("", "s.csv: no workload"),
        ] {
            let said = at(rows, 100.0).unwrap_err().to_string();
            assert!(said.starts_with(expected), "{said}");
        }
        assert!(at("1,x,0.2,a\n", f64::NAN).is_err());
        let headless = tolerated_fraction("a,b\n".as_bytes(), "s", 1.0, 0.1);
        assert!(matches!(headless, Err(Error::MissingColumn { column: "workload", .. })));
    }
}
