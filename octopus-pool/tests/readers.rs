//! Readers on files shaped like the public ones, and on hostile ones.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use octopus_pool::{
    Cleaned, Error, Format, ReadOptions, Result, Rule, Trace, WarmUp, read_trace_from,
};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PLAIN: &str = "vm,start_s,end_s,gib,cores\n";
const AZURE: &str = "batch,start_bin_s,dur_lo_s,dur_hi_s,censored,cores,mem_gib\n";

fn read(text: impl AsRef<[u8]>) -> Result<Trace> {
    let options = ReadOptions { warm_up: Some(false), ..ReadOptions::default() };
    read_trace_from(text.as_ref(), "t.csv", &options)
}

fn plain(rows: &str) -> Result<Trace> {
    read(format!("{PLAIN}{rows}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("to memory");
    encoder.finish().expect("to memory")
}

fn message(read: Result<Trace>) -> String {
    let message = read.expect_err("unusable").to_string();
    assert!(!message.contains('\n'), "one line: {message}");
    message
}

#[test]
fn columns_are_found_by_name() {
    let text = "cores,note,END_S,gib,start_s,vm,server\r\n2,x,30,3.5,-10,a,7\r\n";
    let trace = read(text).unwrap();
    let vm = trace.vms()[0];
    assert_eq!((vm.start_s, vm.end_s, vm.cores, vm.server), (-10, 30, 2, Some(7)));
    assert!((vm.memory_gib - 3.5).abs() < 1e-12);
    assert_eq!(trace.window(), -10..30);
    assert_eq!(read(format!("\u{feff}{text}")).unwrap().vms(), trace.vms(), "a byte order mark");
}

#[test]
fn gzip_is_recognised_and_members_are_joined() {
    let text = format!("{PLAIN}a,0,10,4,2\n");
    let mut bytes = gzip(text.as_bytes());
    bytes.extend(gzip(b"b,5,20,8,4\n"));
    assert_eq!(read(bytes).unwrap().vms().len(), 2);
}

#[test]
fn every_rule_is_counted() {
    let trace = plain(concat!(
        "ok,0,100,4,2\n",
        "z,0,100,0,2\n",
        "n,0,100,-4,2\n",
        "nan,0,100,NaN,2\n",
        "inf,0,inf,4,2\n",
        "neg,50,40,4,2\n",
        "none,50,50,4,2\n",
        "open,50,,4,2\n",
    ))
    .unwrap();
    let expected = [
        (Rule::ZeroMemory, 2),
        (Rule::NotFinite, 2),
        (Rule::EndBeforeStart, 1),
        (Rule::ZeroLifetime, 1),
        (Rule::Censored, 1),
        (Rule::Clipped, 1),
    ];
    assert_eq!(trace.cleaning(), expected.map(|(rule, rows)| Cleaned { rule, rows }));
    assert_eq!(trace.vms().len(), 2);
    assert!(trace.vms()[1].censored && trace.vms()[1].end_s >= 100);
}

#[test]
fn a_window_can_be_chosen() {
    let text = format!("{PLAIN}early,0,10,4,2\nin,50,60,4,2\nedge,90,200,4,2\nlate,100,300,4,2\n");
    let options = ReadOptions { window: Some(20..100), ..ReadOptions::default() };
    let trace = read_trace_from(text.as_bytes(), "t", &options).unwrap();
    assert_eq!(trace.window(), 20..100);
    let expected = [(Rule::OutsideWindow, 2), (Rule::Clipped, 1)];
    assert_eq!(trace.cleaning(), expected.map(|(rule, rows)| Cleaned { rule, rows }));
    let options = ReadOptions { window: Some(500..600), ..ReadOptions::default() };
    let none = read_trace_from(text.as_bytes(), "t", &options);
    assert!(matches!(none, Err(Error::NoVms { .. })));
}

#[test]
fn malformed_rows_name_line_and_field() {
    let good = "a,0,10,4,2\n";
    for (row, expected) in [
        ("b,x,10,4,2", r#"t.csv:3: start_s is "x""#),
        ("b,0,1e99,4,2", r#"t.csv:3: end_s is "1e99""#),
        ("b,0,10,lots,2", r#"t.csv:3: gib is "lots""#),
        ("b,0,10,1e9,2", r#"t.csv:3: gib is "1e9""#),
        ("b,0,10,4,2.5", r#"t.csv:3: cores is "2.5""#),
        ("b,0,10,4,-1", r#"t.csv:3: cores is "-1""#),
        ("b,0,10,4", "t.csv:3: 4 fields, but the header has 5"),
    ] {
        let said = message(plain(&format!("{good}{row}\n")));
        assert!(said.starts_with(expected), "{said}");
    }
    let server = format!("{}\na,0,10,4,2,1\nb,0,10,4,2,\n", "vm,start_s,end_s,gib,cores,server");
    assert!(message(read(server)).starts_with(r#"t.csv:3: server is """#));
    let azure = |row: &str| message(read(format!("{AZURE}{row}\n")));
    assert!(azure("1,0,300,300,2,1,4").contains("t.csv:2: censored"));
    assert!(azure("1,0,600,300,0,1,4").contains("dur_hi_s is \"300\", expected at least dur_lo_s"));
    let long = "9".repeat(5000);
    assert!(azure(&format!("1,{long}x,1,1,0,1,4")).len() < 200, "messages stay short");
}

#[test]
fn headers_are_checked() {
    assert!(message(read("")).contains("unknown trace format"));
    assert!(message(read("1,0,10,4,2\n")).contains("known formats: plain, azure-window"));
    assert!(message(read(PLAIN)).contains("no VM"));
    let forced = ReadOptions { format: Some(Format::AzureWindow), ..ReadOptions::default() };
    let wrong = message(read_trace_from(PLAIN.as_bytes(), "t.csv", &forced));
    assert!(wrong.contains(r#"column "start_bin_s" is missing"#), "{wrong}");
    assert!("azure".parse::<Format>().is_err());
}

#[test]
fn inputs_are_bounded() {
    let text = format!("{PLAIN}a,0,10,4,2\nb,0,10,4,2\n");
    let few = ReadOptions { max_rows: 1, ..ReadOptions::default() };
    let rows = read_trace_from(text.as_bytes(), "t.csv", &few);
    assert!(matches!(rows, Err(Error::TooManyRows { line: 3, most: 1, .. })));
    let short = ReadOptions { max_bytes: 40, ..ReadOptions::default() };
    assert!(message(read_trace_from(text.as_bytes(), "t.csv", &short)).contains("40 bytes"));
    // An endless row, and one that hides its line ends in quotes.
    let endless = PLAIN.as_bytes().chain(std::io::repeat(b'7'));
    let endless = read_trace_from(endless, "t.csv", &ReadOptions::default());
    assert!(message(endless).contains("a row is longer"));
    let quoted = format!("{PLAIN}\"{}", "1\n".repeat(100_000));
    assert!(message(read(quoted)).contains("a row is longer"));
    // A small gzip that expands without a line end.
    let bomb = gzip(&[PLAIN.as_bytes(), &vec![b' '; 10_000_000]].concat());
    assert!(bomb.len() < 100_000);
    assert!(message(read(bomb)).contains("a row is longer"));
}

#[test]
fn a_gzip_cut_short_is_an_error() {
    let rows: Vec<_> = (0..2000).map(|i| format!("{i},{},{},4,2", i * 7, i * 7 + 99)).collect();
    let rows = rows.join("\n");
    let whole = gzip(format!("{PLAIN}{rows}\n").as_bytes());
    assert!(read(&whole).is_ok());
    for kept in [3, 20, whole.len() / 2, whole.len() - 4] {
        let cut = read(&whole[..kept]);
        assert!(matches!(cut, Err(Error::Read { .. })), "{kept} bytes");
    }
}

#[test]
fn bins_are_drawn_inside_and_censored_lives_go_on() {
    // Arrivals every 300 s over 30,000 s; the last bin closes at 30,000.
    let rows: String = (0..100)
        .map(|i| {
            let start = i * 300;
            match i % 4 {
                0 => format!("{i},{start},3900,7200,0,1,4\n"),
                1 => format!("{i},{start},300,300,0,1,4\n"),
                // Alive at the close: the bin holds the VM's age there.
                2 => format!("{i},{start},{0},{0},1,1,4\n", 30_000 - start),
                // Observation ended long before.
                _ => format!("{i},{start},300,600,1,1,4\n"),
            }
        })
        .collect();
    let trace = read(format!("{AZURE}{rows}")).unwrap();
    assert_eq!(trace.window(), 0..30_000);
    let mut distinct = std::collections::BTreeSet::new();
    for vm in trace.vms() {
        let life = vm.end_s - vm.start_s;
        match vm.start_s / 300 % 4 {
            0 if vm.start_s + 3900 <= 30_000 => {
                assert!((3900..=7200).contains(&life) && vm.end_s <= 30_000);
                distinct.insert(life);
            }
            1 => assert_eq!(life, 300),
            2 => assert!(vm.censored && vm.end_s >= 30_000),
            3 => assert!(vm.censored && life >= 300),
            _ => {}
        }
    }
    assert!(distinct.len() > 10, "lifetimes are drawn, not fixed");
    let warm = ReadOptions::default();
    let warm = read_trace_from(format!("{AZURE}{rows}").as_bytes(), "t", &warm).unwrap();
    assert!(matches!(warm.warm_up(), WarmUp::Resampled { vms: 1.., .. }), "on by default");
    assert!(warm.vms().iter().any(|vm| vm.start_s < 0 && vm.end_s > 0));
}

proptest! {
    /// Whatever is done to a good file, reading it ends in a trace or an error.
    #[test]
    fn mutated_files_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_u8..3), 1..12),
        azure in any::<bool>(),
        zipped in any::<bool>(),
    ) {
        let text = if azure {
            format!("{AZURE}1,300,300,600,0,1,1.75\n2,600,0,300,1,2,3.5\n3,900,600,600,1,8,14\n")
        } else {
            format!("{PLAIN}a,0,10,4,2\nb,-5,,8,4\n\"c\",7,9,NaN,1\n")
        };
        let mut bytes = if zipped { gzip(text.as_bytes()) } else { text.into_bytes() };
        for (at, byte, edit) in edits {
            let at = at.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => bytes.truncate(at + 1),
            }
        }
        let options = ReadOptions { max_bytes: 1 << 20, ..ReadOptions::default() };
        match read_trace_from(bytes.as_slice(), "t.csv", &options) {
            Ok(trace) => prop_assert!(!trace.vms().is_empty()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// Valid files of every format of text, from which the fuzz loop starts.
const SEEDS: [&str; 5] = [
    "vm,start_s,end_s,gib,cores,server\na,0,10,4,2,0\nb,5,,8,4,1\nc,-7,99,1.5,1,0\n",
    "batch,start_bin_s,dur_lo_s,dur_hi_s,censored,cores,mem_gib\n1,300,0,300,0,2,4\n1,600,900,1800,1,4,7\n",
    "x,s,d,0,2591700,9,1,5,Unknown,2,3.5\ny,s,d,300,900,9,1,5,Interactive,4,7\n",
    "x,s,d,0,2591700,9,1,5,Unknown,2,4\ny,s,d,300,900,9,1,5,Interactive,>24,>64\n",
    "vmid,cpu,memory,time,type\n1,2,4,0,0\n2,4,8,10,0\n1,2,4,50,1\n",
];

/// What is put in where a byte goes: what parsers stumble over.
const BITS: [&[u8]; 16] = [
    b",",
    b"\n",
    b"\r\n",
    b"\"",
    b"",
    b"-",
    b"NaN",
    b"inf",
    b"1e308",
    b"99999999999999999999",
    b"\xff",
    b"\0",
    b"0",
    b"-1",
    b">64",
    b"0.5",
];

/// Mutated files end in a trace or in one short line, whatever they hold.
/// Seeded; goes on for two seconds, or for `OCTOPUS_FUZZ_S`.
#[test]
fn mutated_files_never_do_worse_than_an_error() {
    let seconds = std::env::var("OCTOPUS_FUZZ_S").ok().and_then(|text| text.parse().ok());
    let until = Instant::now() + Duration::from_secs_f64(seconds.unwrap_or(2.0));
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut rounds, mut read_whole) = (0_u64, 0_u64);
    while rounds < 1000 || Instant::now() < until {
        rounds += 1;
        let mut bytes = SEEDS[rng.random_range(0..SEEDS.len())].as_bytes().to_vec();
        for _ in 0..rng.random_range(1..6) {
            let at = rng.random_range(0..=bytes.len());
            match rng.random_range(0..4) {
                0 => bytes.truncate(at),
                1 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
                2 => {
                    let upto = (at + rng.random_range(0..4)).min(bytes.len());
                    let bit = BITS[rng.random_range(0..BITS.len())];
                    bytes.splice(at..upto, bit.iter().copied());
                }
                _ => {
                    let again = bytes[at..].to_vec();
                    bytes.extend(again);
                }
            }
        }
        if rng.random_range(0..8) == 0 {
            bytes = gzip(&bytes);
            bytes.truncate(rng.random_range(0..=bytes.len()));
        }
        let lenient = rng.random();
        match read_trace_from(&bytes[..], "f", &ReadOptions { lenient, ..ReadOptions::default() }) {
            Ok(trace) => {
                read_whole += 1;
                assert!(trace.vms().iter().all(|vm| vm.start_s < vm.end_s && vm.memory_gib > 0.0));
            }
            Err(error) => {
                let said = error.to_string();
                assert!(!said.contains('\n') && said.len() < 400, "{said}");
            }
        }
    }
    assert!(read_whole > 0 && read_whole < rounds, "{read_whole} of {rounds} were whole");
}
