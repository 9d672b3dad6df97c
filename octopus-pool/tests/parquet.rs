//! Traces in Parquet, written by the test.
#![cfg(feature = "parquet")]

use std::fs::File;
use std::sync::Arc;

use octopus_pool::{Error, Format, ReadOptions, Rule, read_trace};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

#[test]
fn a_plain_trace_in_parquet_reads_as_its_text() {
    let schema = "message vms { required binary vm (UTF8); required int64 start_s; \
                  optional int64 end_s; required double gib; required int64 cores; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let path = std::env::temp_dir().join(format!("octopus-pool-{}.parquet", std::process::id()));
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file =
        SerializedFileWriter::new(File::create(&path).unwrap(), schema, properties).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut at = 0;
    while let Some(mut column) = group.next_column().unwrap() {
        match at {
            0 => {
                let ids = ["a", "b", "c"].map(ByteArray::from);
                column.typed::<ByteArrayType>().write_batch(&ids, None, None).unwrap()
            }
            1 => column.typed::<Int64Type>().write_batch(&[0, 5, 7], None, None).unwrap(),
            // the second has no end
            2 => {
                column.typed::<Int64Type>().write_batch(&[10, 20], Some(&[1, 0, 1]), None).unwrap()
            }
            3 => column.typed::<DoubleType>().write_batch(&[4.0, 8.5, 0.0], None, None).unwrap(),
            _ => column.typed::<Int64Type>().write_batch(&[2, 4, 4], None, None).unwrap(),
        };
        column.close().unwrap();
        at += 1;
    }
    group.close().unwrap();
    file.close().unwrap();

    for format in [None, Some(Format::Parquet)] {
        let options = ReadOptions { format, ..ReadOptions::default() };
        let trace = read_trace(&path, &options).unwrap();
        assert_eq!(trace.vms().len(), 2);
        assert!(trace.vms()[1].censored && (trace.vms()[1].memory_gib - 8.5).abs() < 1e-12);
        assert_eq!(trace.cleaning()[0].rule, Rule::ZeroMemory);
    }
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let cut = read_trace(&path, &ReadOptions::default());
    assert!(matches!(cut, Err(Error::Parquet { .. })));
    std::fs::remove_file(&path).unwrap();
}
