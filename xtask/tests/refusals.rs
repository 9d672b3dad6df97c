//! Input that is no good: one clear line, the contract's exit status, nothing
//! written, no panic and no huge allocation.

mod common;

use std::fmt::Write;
use std::process::Output;

use common::{Folder, complaint, run, run_with};

/// A topology file with a part replaced.
fn topology(of: &str, by: &str) -> String {
    const GOOD: &str = r#"{"schema":"octopus.topology/1","name":"pod","server_ports":8,"mpd_ports":4,
"servers":5,"mpds":[[0,1,2,3],[0,1,4]],"islands":[[0,1,2,3]]}"#;
    assert!(GOOD.contains(of));
    GOOD.replacen(of, by, 1)
}

/// One line that says `what`, and the status.
fn assert_refused(output: &Output, status: i32, what: &str) {
    let said = complaint(output);
    assert_eq!(output.status.code(), Some(status), "expected “{what}” in: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.starts_with("error: ") && said.len() < 300, "{said}");
    assert!(said.contains(what), "expected “{what}” in: {said}");
    assert!(!said.contains("panicked"), "{said}");
    if status == 2 {
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_file_these_are_mutations_of_is_good() {
    let output = run_with(&["inspect", "-"], topology("pod", "pod").as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
}

#[test]
fn a_bad_topology_is_refused_by_file_and_field() {
    let folder = Folder::new("refusals");
    let long = format!("[{}]", "[0],".repeat(100_000));
    let cases: &[(&str, String, i32, &str)] = &[
        ("truncated", topology("[0,1,4]],\"islands\":[[0,1,2,3]]}", "[0,1"), 2, "line 2"),
        ("server twice", topology("[0,1,4]", "[0,1,1]"), 2, "mpds[1] names server 1 twice"),
        (
            "server too high",
            topology("[0,1,4]", "[0,1,5]"),
            2,
            "mpds[1] names server 5, but servers is 5",
        ),
        ("negative server", topology("[0,1,4]", "[0,-1,4]"), 2, "line 2"),
        ("no servers", topology("\"servers\":5", "\"servers\":0"), 2, "servers is 0"),
        (
            "a billion servers",
            topology("\"servers\":5", "\"servers\":1000000000"),
            2,
            "servers is 1000000000",
        ),
        (
            "more than any",
            topology("\"servers\":5", "\"servers\":99999999999999999999999"),
            2,
            "servers",
        ),
        ("a fraction", topology("\"servers\":5", "\"servers\":5.5"), 2, "servers"),
        ("another schema", topology("topology/1", "topology/2"), 2, "octopus.topology/2"),
        ("no schema", topology("\"schema\":\"octopus.topology/1\",", ""), 2, "schema"),
        ("no mpds", topology("\"mpds\"", "\"mdps\""), 2, "mpds"),
        ("mpds of another type", topology("[[0,1,2,3],[0,1,4]]", "7"), 2, "mpds"),
        ("field twice", topology("\"servers\":5", "\"servers\":5,\"servers\":6"), 2, "servers"),
        ("a long list", topology("[[0,1,2,3],[0,1,4]]", &long), 2, "mpds"),
        (
            "island server too high",
            topology("[[0,1,2,3]]}", "[[0,7]]}"),
            2,
            "islands[0] names server 7",
        ),
        (
            "in two islands",
            topology("[[0,1,2,3]]}", "[[0,1],[1,2]]}"),
            2,
            "islands[1] names server 1",
        ),
        ("a false island", topology("[[0,1,2,3]]}", "[[0,1,2,4]]}"), 1, "S2 and S4 share no MPD"),
        ("too few ports", topology("\"server_ports\":8", "\"server_ports\":1"), 1, "2 links"),
        ("nothing", String::new(), 2, "empty"),
        ("nested", "[".repeat(1_000_000), 2, "line 1"),
        ("an edge list out of range", "server,mpd\n0,0\n1,1000000000\n".to_owned(), 2, "line 3"),
        ("a link twice", "server,mpd\n0,0\n1,0\n0,0\n".to_owned(), 2, "line 4"),
    ];
    for (name, text, status, what) in cases {
        let path = folder.file(&format!("{name}.json"));
        std::fs::write(&path, text).unwrap();
        let from_file = run(&["inspect", &path]);
        assert_refused(&from_file, *status, what);
        assert!(complaint(&from_file).contains(&path), "{}", complaint(&from_file));
        let piped = run_with(&["inspect", "-", "--json"], text.as_bytes());
        assert_refused(&piped, *status, what);
    }
    let noise: Vec<u8> =
        (0..100_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    assert_refused(&run_with(&["inspect", "-"], &noise), 2, "standard input");
    assert_refused(&run(&["inspect", &folder.file("none.json")]), 2, "none.json");
    assert_refused(&run(&["inspect", folder.path().to_str().unwrap()]), 2, "directory");
}

#[test]
fn a_design_that_cannot_be_is_refused_with_its_reason_and_nothing_is_written() {
    let folder = Folder::new("designs");
    let out = folder.file("pod.json");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["bibd-14"], 1, "no 2-(14,4,1) design exists"),
        (&["bibd-36", "--mpd-ports", "6"], 1, "no 2-(36,6,1) design exists"),
        (&["bibd-46", "--mpd-ports", "6"], 1, "no 2-(46,6,1) design exists"),
        (&["bibd-51", "--mpd-ports", "6"], 3, "2-(51,6,1)"),
        (&["bibd-0"], 2, "0"),
        (&["bibd-1000000000"], 2, "1000000000"),
        (&["octopus", "--island-ports", "5", "--servers", "97"], 1, "97"),
        (&["octopus", "--island-ports", "5", "--islands", "0"], 2, "islands"),
        (&["octopus", "--island-ports", "9", "--islands", "6"], 1, "X_i = 9"),
        (&["octopus"], 2, "--island-ports"),
        (&["jellyfish"], 2, "--servers"),
        (&["jellyfish-1000000000"], 2, "1000000000"),
        (&["jellyfish-18446744073709551616"], 2, "jellyfish"),
        (&["jellyfish-3"], 1, "there are 3"),
        (&["xpander-97"], 1, "97"),
        (&["octopus-96", "--servers", "64"], 2, "--servers does not apply"),
        (&["octopus-97"], 2, "octopus-97"),
        (&["octopus-96", "--format", "yaml"], 2, "yaml"),
        (&["octopus-96", "--jobs", "0"], 2, "--jobs"),
        (&["octopus-96", "--seed", "x"], 2, "--seed"),
    ];
    for (arguments, status, what) in cases {
        let arguments: Vec<&str> = ["design"]
            .into_iter()
            .chain(arguments.iter().copied())
            .chain(["--out", &out])
            .collect();
        assert_refused(&run(&arguments), *status, what);
        assert_eq!(folder.names(), Vec::<String>::new(), "{arguments:?}");
    }
    let nowhere = folder.file("pod.json");
    std::fs::create_dir(&nowhere).unwrap();
    assert_refused(&run(&["design", "bibd-13", "--out", &nowhere]), 2, "pod.json");
}

#[test]
fn a_report_that_cannot_be_made_leaves_no_folder() {
    let folder = Folder::new("no-report");
    let out = folder.file("report");
    let mut trace = "vm,start_s,end_s,gib,cores,server\n".to_owned();
    for vm in 0..40 {
        writeln!(trace, "{vm},{vm},{},4,2,0", vm + 100).unwrap();
    }
    let bad = trace.replacen("7,7,107", "7,7,never", 1);
    assert_ne!(bad, trace);
    let path = folder.file("trace.csv");
    std::fs::write(&path, bad).unwrap();
    assert_refused(&run(&["reproduce", "--out", &out, "--trace", &path]), 2, "trace.csv:9");
    assert_refused(&run(&["reproduce", "--out", &out, "--trace", &folder.file("no")]), 2, "no");
    assert_refused(&run(&["reproduce", "--out", &out, "--only", "table1,table99"]), 2, "table99");
    assert_refused(&run(&["reproduce", "--out", &out, "--quick", "--deep"]), 2, "--quick");
    assert_refused(&run(&["frobnicate"]), 2, "frobnicate");
    assert_refused(&run(&[]), 2, "no verb");
    assert_eq!(folder.names(), ["trace.csv"]);
}

#[test]
fn a_proof_out_of_budget_is_status_3_with_the_best_result_written() {
    let output = run(&["inspect", "octopus-96", "--max-k", "14", "--work-per-k", "100", "--json"]);
    assert_eq!(output.status.code(), Some(3));
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = result["expansion"].as_array().unwrap();
    assert_eq!(points.len(), 14);
    let last = &points[13];
    assert_eq!((&last["k"], &last["exact"]), (&14.into(), &false.into()));
    assert!(last["lower"].as_u64() < last["upper"].as_u64());
    assert!(complaint(&output).contains("not proved"));
    // not asked for, it is no failure
    let output = run(&["inspect", "octopus-96", "--work-per-k", "100"]);
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
}
