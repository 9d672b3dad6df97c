//! Traces in Parquet: the formats of text, with their columns by name.

use std::fs::File;
use std::path::Path;

use csv::ByteRecord;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};

use super::format::{Columns, Row};
use super::read::{Gathered, ReadOptions, unknown_format};
use super::{Cleaned, Format};
use crate::{Error, Result};

/// The rows of a file. A row's number, from 1, stands for its line in messages.
pub(super) fn read(
    path: &Path,
    name: &str,
    options: &ReadOptions,
) -> Result<(Format, Vec<Row>, Vec<Cleaned>)> {
    let failed = |error: &dyn std::fmt::Display| Error::Parquet {
        file: name.to_owned(),
        message: error.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let file = File::open(path).map_err(|source| Error::Open { file: name.to_owned(), source })?;
    let reader = SerializedFileReader::new(file).map_err(|error| failed(&error))?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let header: ByteRecord = schema.columns().iter().map(|column| column.name()).collect();
    let Some(format) = Format::recognised(&header) else {
        return Err(unknown_format(name, &header));
    };
    let columns = Columns::new(format, &header, name)?;
    let mut gathered = Gathered::new(name, options);
    let rows = reader.get_row_iter(None).map_err(|error| failed(&error))?;
    for (line, row) in (1..).zip(rows) {
        let row = row.map_err(|error| failed(&error))?;
        gathered.take(&columns, &record(&row), line)?;
    }
    let (rows, cleaning) = gathered.done();
    Ok((format, rows, cleaning))
}

/// A row as a record of text; a null is an empty field.
fn record(row: &Record) -> ByteRecord {
    let text = |(_, field): (&String, &Field)| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    row.get_column_iter().map(text).collect::<Vec<_>>().into()
}
