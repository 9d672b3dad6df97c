//! Files in and out, above all bad ones.

use octopus_design::format::{
    MAX_FILE_BYTES, from_edge_list, from_json, read, to_dot, to_edge_list, to_graphml, to_json,
};
use octopus_design::{Error, Topology};
use proptest::prelude::*;
use proptest::sample::Index;

const CONTRACT: &str = r#"{"schema":"octopus.topology/1","name":"octopus-96","server_ports":8,"mpd_ports":4,"servers":96,
 "mpds":[[0,4,8,12],[1,5,9,13]],"islands":[[0,1,2],[3,4,5]]}"#;

#[test]
fn reads_the_contracts_example() {
    let pod = from_json(CONTRACT).expect("the contract's own file");
    assert_eq!((pod.name(), pod.servers(), pod.mpds(), pod.links()), ("octopus-96", 96, 2, 8));
    assert_eq!((pod.server_ports(), pod.mpd_ports(), pod.islands().len()), (8, 4, 2));
    assert_eq!(from_json(&to_json(&pod)).expect("own output"), pod);
}

/// A file of one MPD with `field` replaced.
fn json(field: &str, value: &str) -> String {
    let fields = [
        ("schema", "\"octopus.topology/1\""),
        ("name", "\"x\""),
        ("server_ports", "1"),
        ("mpd_ports", "2"),
        ("servers", "2"),
        ("mpds", "[[0,1]]"),
        ("islands", "[[0,1]]"),
    ];
    assert!(fields.iter().any(|(name, _)| *name == field));
    let fields = fields.map(|(name, default)| {
        format!("\"{name}\":{}", if name == field { value } else { default })
    });
    format!("{{{}}}", fields.join(","))
}

fn message(text: &[u8]) -> String {
    let error = read("x", text).expect_err("a bad file").to_string();
    assert!(error.len() < 700 && !error.chars().any(char::is_control), "{error:?}");
    error
}

#[test]
fn a_wrong_field_is_named() {
    assert!(read("x", json("servers", "2").as_bytes()).is_ok());
    for (field, value, expected) in [
        ("servers", "0", "servers is 0, expected 1 to 16384"),
        ("servers", "1000000000", "servers is 1000000000, expected 1 to 16384"),
        ("servers", "-1", "servers: invalid value: integer `-1`, expected usize at line 1 column"),
        ("servers", "2.5", "servers: invalid type: floating point `2.5`, expected usize at line 1"),
        ("servers", "1e400", "servers: number out of range at line 1 column"),
        ("servers", "99999999999999999999999", "servers: invalid type: floating point `1e+23`"),
        ("servers", "NaN", "servers: expected value at line 1 column"),
        ("server_ports", "\"8\"", "server_ports: invalid type: string \"8\", expected usize"),
        ("server_ports", "0", "server_ports is 0, expected 1 to"),
        ("mpd_ports", "null", "mpd_ports: invalid type: null, expected usize at line 1"),
        ("name", "7", "name: invalid type: integer `7`, expected a string at line 1"),
        ("mpds", "[]", "number of mpds is 0, expected 1 to 65536"),
        ("mpds", "{}", "mpds: invalid type: map, expected a list of at most 65536 entries"),
        ("mpds", "[[0,1],[1,\"0\"]]", "mpds[1][1]: invalid type: string \"0\", expected usize at"),
        ("mpds", "[[0,1],[1,1]]", "mpds[1] names server 1 twice"),
        ("mpds", "[[0,2]]", "mpds[0] names server 2, but servers is 2"),
        ("islands", "[[0],[0,1]]", "islands[1] names server 0, which is in islands[0] already"),
        ("islands", "[[0,1],[]]", "islands[1] is empty"),
        ("islands", "[[0,7]]", "islands[0] names server 7, but servers is 2"),
        ("islands", "null", "islands: invalid type: null, expected a list"),
        (
            "schema",
            "\"octopus.topology/2\"",
            "schema is \"octopus.topology/2\", expected \"octopus.topology/1\"",
        ),
        ("schema", "1", "schema: invalid type: integer `1`, expected a string"),
    ] {
        let message = message(json(field, value).as_bytes());
        assert!(message.starts_with(expected), "{field} {value}: {message}");
    }
}

#[test]
fn a_missing_or_doubled_field_is_named() {
    for field in ["schema", "name", "server_ports", "mpd_ports", "servers", "mpds"] {
        let renamed = json("name", "\"x\"").replace(&format!("\"{field}\":"), "\"other\":");
        let expected = format!("missing field `{field}` at line 1 column ");
        assert!(message(renamed.as_bytes()).starts_with(&expected), "{field}");
    }
    let doubled = json("name", "\"x\",\"servers\":3");
    assert!(message(doubled.as_bytes()).contains("duplicate field `servers` at line 1 column"));
}

/// A later version may have other fields: its number is what must be told.
#[test]
fn another_version_is_told_before_its_fields() {
    let later = r#"{"schema":"octopus.topology/2","servers":{"count":96}}"#;
    assert_eq!(
        message(later.as_bytes()),
        "schema is \"octopus.topology/2\", expected \"octopus.topology/1\""
    );
}

#[test]
fn hostile_files_give_one_line() {
    let deep = format!("{{\"a\":{}", "[".repeat(1 << 20));
    let long = format!("{{\"schema\":\"{}\"}}", "\\n".repeat(1 << 20));
    let long_type = json("servers", &format!("\"{}\"", "y".repeat(1 << 20)));
    let brackets = json("mpds", &format!("[{}[]]", "[],".repeat(1 << 20)));
    let zeros = json("mpds", &format!("[[{}0]]", "0,".repeat(1 << 20)));
    let cut = &CONTRACT[..CONTRACT.len() - 10];
    for (text, expected) in [
        ("", "the file is empty, expected a JSON object or an edge list"),
        (" \n\t", "the file is empty"),
        ("[1,2]", "invalid type: sequence, expected a JSON object at line 1 column"),
        ("hello", "line 1: found \"hello\", expected a JSON object or the header server,mpd"),
        ("{\"a\":1} x", "missing field `schema`"),
        (&(json("name", "\"x\"") + " x"), "trailing characters at line 1 column"),
        (cut, "islands"),
        (&deep, "a"),
        (&long, "schema is \"\\n\\n\\n"),
        (&long_type, "servers: invalid type: string"),
        (&brackets, "mpds: invalid length 65537, expected a list of at most 65536 entries at line"),
        (&zeros, "mpds[0]: invalid length 16385, expected a list of at most 16384 entries at"),
    ] {
        let message = message(text.as_bytes());
        assert!(message.starts_with(expected), "{expected}: {message}");
    }
    assert_eq!(message(b"server,mpd\n0,0\n0,\xff\n"), "line 3: not UTF-8");
    let nested = json("mpds", &"[".repeat(1 << 20));
    let expected = "mpds[0][0]: invalid type: sequence, expected usize at line 1 column";
    assert!(message(nested.as_bytes()).starts_with(expected));
}

#[test]
fn a_bad_row_is_named_by_its_line() {
    for (rows, expected) in [
        ("", "servers is 0, expected 1 to 16384"),
        (
            "0,0\n1000000000,0",
            "line 3: server is \"1000000000\", expected a number from 0 to 16383",
        ),
        ("0,1000000000", "line 2: mpd is \"1000000000\", expected a number from 0 to 65535"),
        ("16383,65535", "16384 servers times 16385 MPDs is more than"),
        ("-1,0", "line 2: server is \"-1\""),
        ("0,1.5", "line 2: mpd is \"1.5\""),
        ("0,NaN", "line 2: mpd is \"NaN\""),
        ("0,0\n\n1", "line 4: 1 fields, expected 2: server,mpd"),
        ("0,0,0", "line 2: 3 fields, expected 2"),
        (",", "line 2: server is \"\""),
        ("0,0\r\n1,0\r\n0,0\r\n", "line 4: links server 0 to mpd 0 again, after line 2"),
    ] {
        let message = message(format!("server,mpd\n{rows}").as_bytes());
        assert!(message.starts_with(expected), "{rows:?}: {message}");
    }
    assert!(message(b"mpd,server\n0,0").starts_with("line 1: found \"mpd,server\", expected"));
}

#[test]
fn edge_lists_of_other_tools_are_read() {
    let text = "\u{feff}\"server\",\"mpd\"\r\n\"0\", 1\r\n\r\n2,1\r\n";
    let pod = read("theirs", text.as_bytes()).expect("a good file");
    assert_eq!((pod.name(), pod.servers(), pod.mpds(), pod.links()), ("theirs", 3, 2, 2));
    assert_eq!((pod.server_ports(), pod.mpd_ports()), (1, 2));
}

#[test]
fn no_more_is_read_than_the_limit() {
    let endless = std::io::repeat(b' ');
    assert!(matches!(read("x", endless), Err(Error::TooLong { most: MAX_FILE_BYTES })));
}

#[test]
fn a_failing_source_is_an_error() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let error = read("x", Broken).expect_err("broken");
    assert_eq!(error.to_string(), "cannot read: unplugged");
}

fn ring(servers: usize) -> Topology {
    let mpds = (0..servers).map(|i| [i, (i + 1) % servers]);
    Topology::new("ring", 2, 2, servers, mpds).expect("a pod")
}

#[test]
fn drawings_survive_any_name() {
    let name = "a\"b\\c\n<&>\u{0}\u{ffff}";
    let pod = ring(4).renamed(name).with_islands([[0, 1], [2, 3]]).expect("islands");
    let dot = to_dot(&pod);
    assert!(dot.starts_with("graph \"a\\\"b\\\\c <&> \u{ffff}\" {\n"), "{dot}");
    // P0 and P2 lie inside an island, P1 and P3 between the two.
    assert!(dot.contains("    S1 [shape=circle];\n    P0 [shape=box];\n  }"));
    assert!(dot.contains("\n  P1 [shape=box];\n  P3 [shape=box];\n  S0 -- P0;"));
    let xml = to_graphml(&pod);
    assert!(xml.contains(">a\"b\\c\u{fffd}&lt;&amp;&gt;\u{fffd}\u{fffd}</data>"), "{xml}");
    let node =
        "<node id=\"S3\"><data key=\"kind\">server</data><data key=\"island\">1</data></node>";
    assert!(xml.contains(node));
    assert_eq!(from_json(&to_json(&pod)).expect("own output"), pod);
}

#[test]
fn output_is_pinned() {
    let pod = ring(3).with_islands([[2, 0, 1]]).expect("islands");
    assert_eq!(
        to_json(&pod),
        "{\"schema\":\"octopus.topology/1\",\"name\":\"ring\",\"server_ports\":2,\"mpd_ports\":2,\
         \"servers\":3,\n \"mpds\":[\n  [0,1],\n  [1,2],\n  [0,2]],\n \"islands\":[\n  [0,1,2]]}\n"
    );
    assert_eq!(to_edge_list(&pod), "server,mpd\n0,0\n1,0\n1,1\n2,1\n0,2\n2,2\n");
}

/// One way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(Index, u8),
    Cut(Index),
    Remove(Index, Index),
    Splice(Index, Index, Index),
    Number(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let number = prop::sample::select(vec![
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "17",
        "-1",
        "1e9",
        "1.5",
        "NaN",
        "null",
        "\"7\"",
        "16384",
        "16385",
        "65536",
        "1000000000",
        "4294967296",
        "18446744073709551616",
        "1e400",
        "[]",
        "",
    ]);
    prop_oneof![
        1 => (any::<Index>(), any::<u8>()).prop_map(|(at, mask)| Damage::Flip(at, mask)),
        1 => any::<Index>().prop_map(Damage::Cut),
        1 => any::<(Index, Index)>().prop_map(|(a, b)| Damage::Remove(a, b)),
        1 => any::<(Index, Index, Index)>().prop_map(|(a, b, at)| Damage::Splice(a, b, at)),
        4 => (any::<Index>(), number).prop_map(|(at, number)| Damage::Number(at, number)),
    ]
}

fn apply(mut bytes: Vec<u8>, damage: &Damage) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let at = |index: &Index| index.index(bytes.len());
    let range = |a: &Index, b: &Index| at(a).min(at(b))..at(a).max(at(b));
    match damage {
        Damage::Flip(index, mask) => {
            let index = at(index);
            bytes[index] ^= mask;
        }
        Damage::Cut(index) => bytes.truncate(index.index(bytes.len())),
        Damage::Remove(a, b) => {
            bytes.drain(range(a, b));
        }
        Damage::Splice(a, b, to) => {
            let (part, to) = (bytes[range(a, b)].to_vec(), at(to));
            bytes.splice(to..to, part);
        }
        Damage::Number(index, number) => {
            let from = at(index);
            let digit = |i: &usize| bytes[*i].is_ascii_digit();
            let Some(start) = (from..bytes.len()).find(digit) else { return bytes };
            let end = (start..bytes.len()).find(|i| !digit(i)).unwrap_or(bytes.len());
            bytes.splice(start..end, number.bytes());
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn whatever_is_accepted_round_trips(
        file in 0..3_usize,
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let valid = match file {
            0 => CONTRACT.to_owned(),
            1 => to_json(&ring(7).with_islands([[0, 1], [5, 6]]).expect("islands")),
            _ => to_edge_list(&ring(7)),
        };
        let bytes = damages.iter().fold(valid.into_bytes(), apply);
        match read("x", bytes.as_slice()) {
            Err(error) => {
                let line = error.to_string();
                prop_assert!(line.len() < 700 && !line.chars().any(char::is_control), "{line:?}");
            }
            Ok(pod) => {
                let json = to_json(&pod);
                let again = from_json(&json).expect("own output");
                prop_assert_eq!(&again, &pod);
                prop_assert_eq!(to_json(&again), json);
                if file == 2 {
                    let again = from_edge_list("x", &to_edge_list(&pod)).expect("own output");
                    prop_assert_eq!(&again, &pod);
                }
            }
        }
    }
}
