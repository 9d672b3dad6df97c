//! Files shaped like the public ones, with their odd rows.

use std::path::PathBuf;

use octopus_pool::{
    Cleaned, Error, Format, ReadOptions, Result, Rule, ServerSize, Trace, read_trace,
    read_trace_from,
};
use rusqlite::Connection;

fn read(text: &str) -> Result<Trace> {
    read_with(text, &ReadOptions::default())
}

fn read_with(text: &str, options: &ReadOptions) -> Result<Trace> {
    let options = ReadOptions { warm_up: Some(false), ..options.clone() };
    read_trace_from(text.as_bytes(), "t.csv", &options)
}

fn cleaned<const N: usize>(rules: [(Rule, u64); N]) -> [Cleaned; N] {
    rules.map(|(rule, rows)| Cleaned { rule, rows })
}

/// `(start, end, GiB, cores)` of each VM.
fn stays(trace: &Trace) -> Vec<(i64, i64, f64, u32)> {
    trace.vms().iter().map(|vm| (vm.start_s, vm.end_s, vm.memory_gib, vm.cores)).collect()
}

const V1: &str = "\
x/yz0=,s1,d1,0,2591700,99.1,1.2,50.5,Unknown,2,3.5
b,s1,d1,300,900,99.1,1.2,50.5,Delay-insensitive,4,7
b,s1,d1,300,900,99.1,1.2,50.5,Delay-insensitive,4,7
b,s1,d1,1200,1500,99.1,1.2,50.5,Delay-insensitive,4,7
c,s2,d2,600,600,99.1,1.2,50.5,Interactive,1,1.75
d,s2,d2,900,300,99.1,1.2,50.5,Interactive,1,1.75
e,s2,d2,900,1800,99.1,1.2,50.5,Interactive,1,0
f,s2,d2,900,2591700,nan,1.2,50.5,Interactive,16,112
";

#[test]
fn azure_v1_has_no_header() {
    let trace = read(V1).unwrap();
    assert_eq!(trace.window(), 0..2_591_700);
    let seen = stays(&trace);
    assert_eq!(seen[1..4], [(300, 900, 7.0, 4), (600, 900, 1.75, 1), (900, seen[3].1, 112.0, 16)]);
    assert_eq!(seen.len(), 5, "one VM may stay twice");
    // who is there at the last instant lives on, nobody knows for how long
    assert!(trace.vms()[0].censored && trace.vms()[3].censored);
    assert!(seen[0].1 >= 2_591_700);
    let expected = cleaned([
        (Rule::ZeroMemory, 1),
        (Rule::EndBeforeStart, 1),
        (Rule::Duplicate, 1),
        (Rule::Censored, 2),
        (Rule::RaisedLifetime, 1),
        (Rule::Clipped, 1),
    ]);
    assert_eq!(trace.cleaning(), expected);
    // the same with a header, with line ends of another system, and by name
    let header = "vmid,subscriptionid,deploymentid,vmcreated,vmdeleted,maxcpu,avgcpu,p95maxcpu,\
                  vmcategory,vmcorecount,vmmemory\n";
    assert_eq!(read(&format!("{header}{V1}")).unwrap().vms(), trace.vms());
    assert_eq!(read(&V1.replace('\n', "\r\n")).unwrap().vms(), trace.vms());
    let named = ReadOptions { format: Some(Format::AzureV1), ..ReadOptions::default() };
    assert_eq!(read_with(V1, &named).unwrap().vms(), trace.vms());
}

#[test]
fn azure_v2_has_buckets() {
    let text = "\
a,s1,d1,0,2591700,99.1,1.2,50.5,Unknown,2,4
b,s1,d1,300,900,99.1,1.2,50.5,Delay-insensitive,>24,>64
c,s1,d1,600,601,99.1,1.2,50.5,Interactive,24,64
d,s1,d1,600,2591700,99.1,1.2,50.5,Interactive,>24,32
";
    let trace = read(text).unwrap();
    let seen = stays(&trace);
    assert_eq!((seen[1].2, seen[1].3), (70.0, 30));
    assert!(seen.contains(&(600, 900, 64.0, 24)));
    assert_eq!((seen[3].2, seen[3].3), (32.0, 30));
    let expected = cleaned([
        (Rule::Censored, 2),
        (Rule::RaisedLifetime, 1),
        (Rule::OpenBucket, 2),
        (Rule::Clipped, 1),
    ]);
    assert_eq!(trace.cleaning(), expected);
    let wrong = read(&text.replace(">64", ">32")).unwrap_err().to_string();
    assert_eq!(wrong, r#"t.csv:2: vmmemorybucket is ">32", expected a number"#);
}

#[test]
fn huawei_east_creates_and_deletes() {
    let text = "\
vmid,cpu,memory,time,type
1,2,4,0,0
2,4,8,10,0
1,2,4,50,1
2,4,8,60,0
3,1,2,70,1
1,2,4,80,0
4,1,1,90,0
4,1,1,90,1
1,2,4,100,1
5,2,0,100,0
";
    let trace = read(text).unwrap();
    let seen = stays(&trace);
    assert_eq!(seen[0], (0, 50, 4.0, 2));
    assert_eq!(seen[2], (80, 100, 4.0, 2), "an id may come back");
    assert!(trace.vms()[1].censored, "VM 2 is never deleted");
    assert_eq!(trace.window(), 0..100);
    let expected = cleaned([
        (Rule::ZeroMemory, 1),
        (Rule::ZeroLifetime, 1),
        (Rule::CreatedTwice, 1),
        (Rule::NeverCreated, 1),
        (Rule::Censored, 1),
        (Rule::Clipped, 1),
    ]);
    assert_eq!(trace.cleaning(), expected);
    let bare = text.split_once('\n').unwrap().1;
    assert_eq!(read(bare).unwrap().vms(), trace.vms(), "without a header");
    let wrong = read(&text.replace("50,1", "50,2")).unwrap_err().to_string();
    assert_eq!(wrong, r#"t.csv:4: type is "2", expected 0 or 1"#);
}

#[test]
fn lenient_reading_counts_what_it_skips() {
    let text = "vm,start_s,end_s,gib,cores\na,0,10,4,2\nb,0,x,4,2\nc,0,10\nd,5,10,8,2\n";
    assert!(read(text).is_err());
    let lenient = ReadOptions { lenient: true, ..ReadOptions::default() };
    let trace = read_with(text, &lenient).unwrap();
    assert_eq!(trace.vms().len(), 2);
    assert_eq!(trace.cleaning(), cleaned([(Rule::Malformed, 2)]));
    // a header is never guessed
    assert!(matches!(read_with("a,b\n1,2\n", &lenient), Err(Error::UnknownFormat { .. })));
    let gone = read_with("vm,start_s,end_s,gib,cores\nb,0,x,4,2\n", &lenient);
    assert!(matches!(gone, Err(Error::NoVms { .. })));
}

/// A database file that is removed with the test.
struct Database(PathBuf);

impl Database {
    fn new(name: &str, statements: &str) -> Self {
        let file = format!("octopus-pool-{name}-{}.sqlite", std::process::id());
        let path = std::env::temp_dir().join(file);
        let _ = std::fs::remove_file(&path);
        let database = Connection::open(&path).expect("a new file");
        database.execute_batch(statements).expect("valid statements");
        Self(path)
    }

    fn read(&self, options: &ReadOptions) -> Result<Trace> {
        let options = ReadOptions { warm_up: Some(false), ..options.clone() };
        read_trace(&self.0, &options)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const PACKING: &str = "
CREATE TABLE vmType(id INTEGER, vmTypeId INTEGER, machineId INTEGER, core REAL, memory REAL,
                    hdd REAL, ssd REAL, nic REAL);
CREATE TABLE vm(vmId INTEGER, tenantId INTEGER, vmTypeId INTEGER, priority INTEGER,
                starttime REAL, endtime REAL);
INSERT INTO vmType VALUES (1, 0, 16, 0.5, 0.25, 0, 0, 0), (2, 0, 17, 0.25, 0.125, 0, 0, 0),
                          (3, 1, 17, 0.125, 0.0625, 0, 0, 0), (4, 2, 16, 1, 1, 0, 0, 0), (5, 3, 17, 1, 1, 0, 0, 0);
INSERT INTO vm VALUES (1, 1, 0, 0, -2.5, 1.0), (2, 1, 1, 0, 0.5, NULL), (3, 1, 0, 1, -7157, 3.0),
                      (4, 1, 0, 0, 2.0, 90.0), (5, 1, 2, 0, 2.0, 3.0), (6, 1, 0, 0, 2.0, 2.0),
                      (7, 1, 0, 0, 3.0, 2.0), (8, 1, 0, 0, NULL, 2.0), (9, 1, 0, 0, 20.0, 21.0),
                      (10, 1, 0, 0, -3.0, -1.0);
";

#[test]
fn azure_packing_is_a_database() {
    const DAY: i64 = 86_400;
    let database = Database::new("packing", PACKING);
    let trace = database.read(&ReadOptions::default()).unwrap();
    assert_eq!(trace.window(), 0..14 * DAY);
    let seen = stays(&trace);
    // machine 17 has three types of VM, the other has two
    assert_eq!(seen[0], (-1497 * DAY, 3 * DAY, 48.0, 24));
    assert_eq!(seen[1], (-5 * DAY / 2, DAY, 48.0, 24));
    assert_eq!((seen[2].0, seen[2].2, seen[2].3), (DAY / 2, 24.0, 12));
    assert!(trace.vms()[2].censored);
    assert_eq!(seen[3], (2 * DAY, 90 * DAY, 48.0, 24));
    assert_eq!(seen.len(), 4);
    let expected = cleaned([
        (Rule::NotFinite, 1),
        (Rule::EndBeforeStart, 1),
        (Rule::ZeroLifetime, 1),
        (Rule::OutsideWindow, 2),
        (Rule::LargerThanServer, 1),
        (Rule::Censored, 1),
        (Rule::MissingStart, 1),
        (Rule::Clipped, 4),
    ]);
    assert_eq!(trace.cleaning(), expected);

    let machine_size = ServerSize { cores: 40, memory_gib: 100.0 };
    let other = ReadOptions { machine: Some(16), machine_size, ..ReadOptions::default() };
    let trace = database.read(&other).unwrap();
    assert!(stays(&trace).contains(&(2 * DAY, 3 * DAY, 100.0, 40)));
    let absent = ReadOptions { machine: Some(99), ..ReadOptions::default() };
    assert!(matches!(database.read(&absent), Err(Error::NoMachine { machine: 99, .. })));
    let few = ReadOptions { max_rows: 3, ..ReadOptions::default() };
    assert!(matches!(database.read(&few), Err(Error::TooManyRows { .. })));
}

#[test]
fn databases_that_are_no_packing_trace_are_refused() {
    let options = ReadOptions::default();
    for (name, statements) in [
        ("empty", "CREATE TABLE t(x); DROP TABLE t;"),
        (
            "no-vm",
            "CREATE TABLE vmType(vmTypeId, machineId, core, memory); INSERT INTO vmType VALUES (1, 1, 1, 1);",
        ),
        ("no-types", "CREATE TABLE vmType(vmTypeId, machineId, core, memory);"),
    ] {
        let refused = Database::new(name, statements).read(&options).unwrap_err();
        assert!(matches!(refused, Error::Database { .. }), "{name}: {refused}");
        assert!(!refused.to_string().contains('\n'));
    }
    let text = Database::new(
        "text",
        &format!("{PACKING} UPDATE vm SET starttime = 'soon' WHERE vmId = 4;"),
    );
    assert!(matches!(text.read(&options), Err(Error::Database { .. })));
    let lenient = ReadOptions { lenient: true, ..options.clone() };
    assert!(
        text.read(&lenient)
            .unwrap()
            .cleaning()
            .contains(&Cleaned { rule: Rule::Malformed, rows: 1 })
    );
    let far =
        Database::new("far", &format!("{PACKING} UPDATE vm SET endtime = 1e300 WHERE vmId = 4;"));
    let said = far.read(&options).unwrap_err().to_string();
    assert!(said.contains("vm row 4: endtime is"), "{said}");
    // an SQLite file cut short, and a text file by that name
    let whole = Database::new("whole", PACKING);
    let bytes = std::fs::read(&whole.0).unwrap();
    std::fs::write(&whole.0, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(whole.read(&options), Err(Error::Database { .. })));
    std::fs::write(&whole.0, "vm,start_s\n").unwrap();
    let packing = ReadOptions { format: Some(Format::AzurePacking), ..options };
    assert!(matches!(whole.read(&packing), Err(Error::NotSqlite { .. })));
}
