//! What scripts rely on: pipes, formats, sameness of bytes, files.

mod common;

use std::fs;
use std::io::Read;

use common::{Folder, complaint, done, run, run_with, xtask};
use serde_json::Value;

#[test]
fn a_design_pipes_into_inspect() {
    let pod = done(&["design", "octopus-96"]);
    let output = run_with(&["inspect", "-", "--json", "--max-k", "6"], pod.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    let seen: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (field, expected) in [
        ("name", serde_json::json!("octopus-96")),
        ("servers", 96.into()),
        ("mpds", 192.into()),
        ("links", 768.into()),
        ("server_degree", serde_json::json!([8, 8])),
        ("mpd_degree", serde_json::json!([4, 4])),
        ("connected", true.into()),
        ("shared_mpds", serde_json::json!({"0": 3408, "1": 1152})),
        ("mpd_hops", serde_json::json!({"1": 1152, "2": 3408})),
    ] {
        assert_eq!(seen[field], expected, "{field}");
    }
    let islands = seen["islands"].as_array().unwrap();
    assert_eq!(islands.len(), 6);
    assert!(islands.iter().all(|i| i["servers"] == 16 && i["pairwise_overlap"] == true));
    let upper: Vec<_> = seen["expansion"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["upper"].as_u64().unwrap())
        .collect();
    assert_eq!(upper, [8, 15, 21, 26, 30, 33]);
}

#[test]
fn every_way_to_name_a_topology_reads_the_same() {
    let folder = Folder::new("names");
    let json = folder.file("pod.json");
    let csv = folder.file("pod.csv");
    done(&["design", "bibd-16", "--out", &json]);
    done(&["design", "bibd-16", "--format", "csv", "--out", &csv]);
    assert_eq!(folder.names(), ["pod.csv", "pod.json"]);
    let by_name = done(&["inspect", "bibd-16", "--json"]);
    assert_eq!(done(&["inspect", &json, "--json"]), by_name);
    let piped = run_with(&["inspect", "-", "--json"], &fs::read(&json).unwrap());
    assert_eq!(String::from_utf8(piped.stdout).unwrap(), by_name);
    // an edge list holds no name, ports or islands; the links are the same
    let links: Value = serde_json::from_str(&done(&["inspect", &csv, "--json"])).unwrap();
    let whole: Value = serde_json::from_str(&by_name).unwrap();
    for field in ["servers", "mpds", "links", "shared_mpds", "mpd_hops", "expansion"] {
        assert_eq!(links[field], whole[field], "{field}");
    }
}

#[test]
fn graph_formats_hold_every_link() {
    let dot = done(&["design", "fully-connected", "--format", "dot"]);
    assert!(dot.starts_with("graph ") && dot.matches("--").count() == 32, "{dot}");
    let graphml = done(&["design", "fully-connected", "--format", "graphml"]);
    assert_eq!(graphml.matches("<edge ").count(), 32);
    let csv = done(&["design", "fully-connected", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 33);
}

#[test]
fn jobs_change_no_byte_and_the_seed_does() {
    let of = |verb: &[&str], seed: &str, jobs: &str| {
        done(&[verb, &["--seed", seed, "--jobs", jobs]].concat())
    };
    let designs: [&[&str]; 3] = [
        &["design", "jellyfish-32"],
        &["design", "xpander-32"],
        &["design", "octopus", "--island-ports", "5", "--islands", "4"],
    ];
    for design in designs {
        assert_eq!(of(design, "1", "1"), of(design, "1", "3"), "{design:?}");
        assert_ne!(of(design, "1", "1"), of(design, "2", "1"), "{design:?}");
    }
    // cut off by work: the most likely place for jobs to show
    let inspect: &[&str] = &["inspect", "jellyfish-64", "--work-per-k", "3000", "--json"];
    assert_eq!(of(inspect, "7", "1"), of(inspect, "7", "3"));
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_run_quietly() {
    let mut child = xtask(&["design", "jellyfish", "--servers", "8000"]).spawn().unwrap();
    let mut first = [0; 8];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    // the pipe is closed here, with most of the file unread
    let output = child.wait_with_output().unwrap();
    assert_eq!(complaint(&output), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_goes_to_stdout() {
    let help = done(&["--help"]);
    for verb in ["design", "inspect", "pool", "reproduce"] {
        assert!(help.contains(verb), "{help}");
    }
    assert!(done(&["design", "--help"]).contains("--island-ports"));
}

#[test]
fn pool_answers_with_the_contracts_fields() {
    let run = |jobs| {
        let arguments =
            ["pool", "bibd-25", "--trace", "synthetic", "--pods", "3", "--json", "--jobs", jobs];
        let mut result: Value = serde_json::from_str(&done(&arguments)).unwrap();
        assert!(result["timing"]["seconds"].is_number());
        result.as_object_mut().unwrap().remove("timing");
        result
    };
    let result = run("1");
    for field in [
        "pods",
        "servers",
        "vms",
        "pooled_fraction",
        "savings_mean",
        "savings_sd",
        "savings_of_pooled_mean",
        "peak_mpd_gib_mean",
        "lower_bound_gib_mean",
        "theorem_a1_gib_mean",
        "moved_fraction",
        "events",
    ] {
        assert!(result[field].is_number(), "{field}: {result}");
    }
    assert_eq!(result["policy"], "least-loaded");
    assert!(result["lower_bound_gib_mean"].as_f64() <= result["peak_mpd_gib_mean"].as_f64());
    assert!(result["theorem_a1_gib_mean"].as_f64() <= result["lower_bound_gib_mean"].as_f64());
    assert_eq!(run("3"), result);
}

/// `pool --json` on a small synthetic fleet, with further arguments.
fn pool(folder: &Folder, arguments: &[&str]) -> Value {
    let parameters = folder.file("small.toml");
    fs::write(&parameters, "servers = 30\nwindow_days = 2.0\n").expect("a folder of the test's");
    let base = ["pool", "bibd-25", "--trace", &parameters, "--format", "synthetic", "--pods", "3"];
    let all = [&base, arguments, &["--json"]].concat();
    serde_json::from_str(&done(&all)).expect("one JSON object")
}

#[test]
fn pool_plays_every_policy_failure_and_size() {
    let folder = Folder::new("pool");
    let saved = |result: &Value| result["savings_mean"].as_f64().unwrap();
    let greedy = pool(&folder, &[]);
    assert_eq!((&greedy["fleet_servers"], &greedy["policy"]), (&30.into(), &"least-loaded".into()));
    let moving = pool(&folder, &["--policy", "bounded-migration", "--margin", "0.1"]);
    assert!(saved(&moving) > saved(&greedy) && moving["moved_fraction"].as_f64() > Some(0.0));
    let optimum = pool(&folder, &["--policy", "optimum"]);
    assert!(saved(&optimum) > saved(&moving));
    assert!(
        saved(&pool(&folder, &["--policy", "striped", "--stripe-links", "8"])) < saved(&greedy)
    );
    assert!(saved(&pool(&folder, &["--fail-links", "0.3"])) < saved(&greedy));
    let sizes = pool(&folder, &["--mpd-sizes-gib", "512,1024,2048"]);
    assert!(saved(&sizes) < saved(&greedy));
    let full = pool(&folder, &["--policy", "bounded-migration", "--mpd-capacity-gib", "20"]);
    assert!(full["spilled_vms_fraction"].as_f64() > Some(0.0));
    assert_eq!(full["mpd_capacity_gib"], 20);

    assert_eq!(greedy["mpd_failure"], Value::Null);
    let failed = pool(&folder, &["--fail-mpd"]);
    assert_eq!(failed["savings_mean"], greedy["savings_mean"], "the failure is told beside");
    for field in ["vms", "gib", "peak_rise"] {
        assert!(failed["mpd_failure"][field]["mean"].as_f64() >= Some(0.0), "{field}: {failed}");
    }
    let draws = |draws| pool(&folder, &["--draws", draws])["draws"].clone();
    assert_eq!((draws("1"), draws("2")), (1.into(), 2.into()));

    let table = folder.file("slowdowns.csv");
    fs::write(&table, "workload,latency_ns,slowdown\na,100,0\na,300,0.4\nb,100,0\nb,300,0.1\n")
        .unwrap();
    let half = pool(&folder, &["--slowdowns", &table, "--latency-ns", "267"]);
    assert_eq!(half["pooled_fraction"], 0.5);

    let wrong = [
        "pool",
        "bibd-25",
        "--trace",
        "synthetic",
        "--policy",
        "optimum",
        "--mpd-capacity-gib",
        "9",
    ];
    let refused = run(&wrong);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(complaint(&refused).trim_end(), "error: mpd_capacity_gib does not apply to optimum");
}

/// The files of a report, its cache aside, by name.
fn report(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let names = folder.names().into_iter().filter(|name| !name.starts_with('.'));
    names
        .map(|name| (name.clone(), fs::read(folder.file(&name)).expect("it was listed just now")))
        .collect()
}

const QUICK: [&str; 4] = ["reproduce", "--quick", "--only", "table1,table3,fig1,fig6,fig7"];

#[test]
fn a_report_is_whole_and_a_second_run_reads_the_cache() {
    let folder = Folder::new("report");
    let out = folder.path().to_str().unwrap();
    let arguments = [&QUICK[..], &["--out", out, "--jobs", "2"]].concat();
    let first = run(&arguments);
    assert_eq!(first.status.code(), Some(0), "{}", complaint(&first));
    let files = report(&folder);
    let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "fig1.csv",
            "fig1.svg",
            "fig6.csv",
            "fig6.svg",
            "fig7.csv",
            "fig7.svg",
            "report.html",
            "report.md",
            "summary.json",
            "table1.csv",
            "table3.csv"
        ]
    );
    let cache = folder.path().join(".cache");
    let kept = fs::read_dir(&cache).unwrap().count();
    assert!(complaint(&first).contains("0 results read"), "{}", complaint(&first));
    let second = run(&arguments);
    assert!(complaint(&second).contains(&format!("{kept} results read")), "{}", complaint(&second));
    assert_eq!(report(&folder), files, "from the cache");

    // cut short after a few k, it goes on from there
    let mut entries: Vec<_> = fs::read_dir(&cache).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries.iter().step_by(3) {
        fs::remove_file(entry).unwrap();
    }
    run(&arguments);
    assert_eq!(report(&folder), files, "from half a cache");

    let other = Folder::new("report-one-job");
    let out = other.path().to_str().unwrap();
    done(&[&QUICK[..], &["--out", out, "--jobs", "1", "--no-cache"]].concat());
    assert_eq!(report(&other), files, "one job, no cache");
    assert!(!other.path().join(".cache").exists());
}

#[test]
fn the_report_stands_alone_and_the_summary_keeps_the_contract() {
    let folder = Folder::new("summary");
    let out = folder.path().to_str().unwrap();
    done(&["reproduce", "--quick", "--out", out, "--no-cache"]);
    let page = fs::read_to_string(folder.file("report.html")).unwrap();
    for foreign in ["<script", "<link", "<img", "<iframe", "@import", "url(http", "src="] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let mut ids: Vec<&str> =
        page.split(" id=\"").skip(1).filter_map(|s| s.split('"').next()).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id stands twice");

    let summary: Value =
        serde_json::from_slice(&fs::read(folder.file("summary.json")).unwrap()).unwrap();
    let rows = summary.as_array().unwrap();
    for id in ["table1", "table2", "table3", "fig1", "fig5", "fig6", "fig7", "savings"] {
        assert!(rows.iter().any(|row| row["id"] == id), "{id}");
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let kinds = ["computed", "modelled", "emulated", "measured", "cited"];
    let verdicts = ["matches", "better", "differs", "not-reproduced", "not-comparable", "cited"];
    for row in rows {
        let one_of = |field: &str, known: &[&str]| {
            assert!(row[field].as_str().is_some_and(|value| known.contains(&value)), "{row}");
        };
        one_of("kind", &kinds);
        one_of("verdict", &verdicts);
        for field in ["id", "item", "unit", "note"] {
            assert!(row[field].is_string(), "{field}: {row}");
        }
        assert!(!row["note"].as_str().unwrap().is_empty(), "{row}");
        assert!(row.get("paper").is_some() && row.get("ours").is_some(), "{row}");
        assert_eq!(row["ours"].is_null(), row["kind"] == "cited", "{row}");
    }
}
