//! Azure's packing trace of 2020, an SQLite file.

use std::collections::HashMap;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::format::{Life, Row};
use super::read::ReadOptions;
use super::{Cleaned, MAX_ROWS, MAX_TIME_S, MAX_VM_GIB, Rule, count};
use crate::num::{round_i64, round_u32};
use crate::{Error, Result};

const DAY_S: f64 = 86_400.0;

/// The trace covers 14 days from time 0.
pub(super) const WINDOW_S: i64 = 14 * 86_400;

/// Starts that stand for missing ones, and what the maintainers of the trace
/// say to use in their place, in days.
const MISSING_START_D: f64 = -7157.0;
const REPLACED_START_D: f64 = -1497.0;

/// The share of a machine that a VM type takes.
struct Share {
    core: f64,
    memory: f64,
}

/// The rows of the trace, and the rules that touched them.
///
/// A VM whose type has no row for the machine is counted as larger than it:
/// the trace lists only the machines a type fits on.
pub(super) fn read(
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<(Vec<Row>, Vec<Cleaned>)> {
    let failed = |source| Error::Database { file: name.to_owned(), source };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(failed)?;
    let machine = match options.machine {
        Some(machine) => machine,
        None => most_common_machine(&database).map_err(failed)?,
    };
    let shares = shares(&database, machine).map_err(failed)?;
    if shares.is_empty() {
        return Err(Error::NoMachine { file: name.to_owned(), machine });
    }
    let (mut rows, mut cleaning) = (Vec::new(), Vec::new());
    let most = options.max_rows.min(MAX_ROWS);
    let query = "SELECT rowid, vmTypeId, starttime, endtime FROM vm ORDER BY rowid";
    let mut statement = database.prepare(query).map_err(failed)?;
    let mut found = statement.query([]).map_err(failed)?;
    while let Some(cells) = found.next().map_err(failed)? {
        let get = || -> rusqlite::Result<(i64, i64, Option<f64>, Option<f64>)> {
            Ok((cells.get(0)?, cells.get(1)?, cells.get(2)?, cells.get(3)?))
        };
        let (id, kind, start_d, end_d) = match get() {
            Err(_) if options.lenient => {
                count(&mut cleaning, Rule::Malformed, 1);
                continue;
            }
            cells => cells.map_err(failed)?,
        };
        let Some(mut start_d) = start_d.filter(|d| d.is_finite()) else {
            count(&mut cleaning, Rule::NotFinite, 1);
            continue;
        };
        if (start_d - MISSING_START_D).abs() < 0.5 {
            start_d = REPLACED_START_D;
            count(&mut cleaning, Rule::MissingStart, 1);
        }
        let Some(share) = shares.get(&kind) else {
            count(&mut cleaning, Rule::LargerThanServer, 1);
            continue;
        };
        let far = MAX_TIME_S as f64 / DAY_S;
        for (field, days) in [("starttime", Some(start_d)), ("endtime", end_d)] {
            if days.is_some_and(|days| days.is_nan() || days.abs() > far) {
                let (file, table, expected) =
                    (name.to_owned(), "vm", "days, of which 115740 are the most");
                let value = days.unwrap_or(f64::NAN);
                return Err(Error::BadCell { file, table, row: id, field, value, expected });
            }
        }
        let start_s = round_i64(start_d * DAY_S);
        let life = match end_d.map(|days| round_i64(days * DAY_S) - start_s) {
            None => Life::Open,
            Some(0) => {
                count(&mut cleaning, Rule::ZeroLifetime, 1);
                continue;
            }
            Some(life) if life < 0 => {
                count(&mut cleaning, Rule::EndBeforeStart, 1);
                continue;
            }
            Some(life) => Life::Known(life),
        };
        let memory_gib = share.memory * options.machine_size.memory_gib;
        let cores = round_u32((share.core * f64::from(options.machine_size.cores)).ceil());
        if !(memory_gib > 0.0 && memory_gib <= MAX_VM_GIB) {
            count(&mut cleaning, Rule::ZeroMemory, 1);
            continue;
        }
        if rows.len() == most {
            let line = u64::try_from(id).unwrap_or(0);
            return Err(Error::TooManyRows { file: name.to_owned(), line, most });
        }
        rows.push(Row { start_s, life, memory_gib, cores, server: None });
    }
    Ok((rows, cleaning))
}

/// The machine on which the most VM types fit; the lowest of equals.
fn most_common_machine(database: &Connection) -> rusqlite::Result<i64> {
    let query = "SELECT machineId FROM vmType GROUP BY machineId \
                 ORDER BY COUNT(DISTINCT vmTypeId) DESC, machineId LIMIT 1";
    database.query_row(query, [], |row| row.get(0))
}

/// What each VM type takes of the machine.
fn shares(database: &Connection, machine: i64) -> rusqlite::Result<HashMap<i64, Share>> {
    let query = "SELECT vmTypeId, core, memory FROM vmType WHERE machineId = ?1 ORDER BY rowid";
    let mut statement = database.prepare(query)?;
    let share = |row: &rusqlite::Row<'_>| {
        Ok((row.get(0)?, Share { core: row.get(1)?, memory: row.get(2)? }))
    };
    // a file of millions of types is no such trace
    statement.query_map([machine], share)?.take(1_000_000).collect()
}
