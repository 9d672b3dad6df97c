//! `placement.json`, whole and damaged.

use octopus_layout::{
    Geometry, MAX_FILE_BYTES, MpdPlace, Placement, PlacementFile, Rack, ServerPlace,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn sample() -> PlacementFile {
    let server = |rack, slot| ServerPlace { rack, slot };
    PlacementFile {
        topology: "say \"pod\"\n".to_owned(),
        geometry: Geometry { server_port_inset_m: 0.1, ..Geometry::default() },
        placement: Placement {
            servers: vec![server(Rack::Left, 3), server(Rack::Right, 47)],
            mpds: vec![MpdPlace { slot: 12, position: 3 }],
        },
        max_cable_m: 0.625,
        lower_bound_m: Some(0.475),
        certificate: Some("bound.json".to_owned()),
        cable_usd_per_server: Some(217.5),
    }
}

fn sample_value() -> Value {
    serde_json::from_str(&sample().to_json().expect("usable")).expect("JSON")
}

fn refusal(value: &Value) -> String {
    PlacementFile::from_json(&value.to_string()).expect_err("is refused").to_string()
}

#[test]
fn lengths_read_nicely_and_racks_sizes_stay_as_given() {
    let mut file = sample();
    file.max_cable_m = 0.525 + 0.1;
    file.lower_bound_m = Some(0.1 + 0.2);
    file.geometry.slot_pitch_m = 0.1 + 0.2;
    let json = file.to_json().unwrap();
    assert!(json.contains("\"max_cable_m\":0.625,\"lower_bound_m\":0.3,"), "{json}");
    assert!(json.contains("\"slot_pitch_m\":0.30000000000000004,"), "{json}");
    assert!(json.contains("\"server_port_inset_m\":0.1}"), "{json}");
    assert!(!json.contains("port_depth_m"), "{json}");
}

#[test]
fn the_contracts_example_is_read() {
    let file = PlacementFile::from_json(
        r#"{"schema":"octopus.placement/1","topology":"octopus-96","colour":"ignored",
            "geometry":{"slot_pitch_m":0.05,"slot_width_m":0.60,"slot_depth_m":1,"server_slots":48,
                        "mpd_slots":48,"mpds_per_slot":4,"paint":null},
            "servers":[{"rack":"left","slot":0,"x":1}],"mpds":[{"slot":0,"position":0}],
            "max_cable_m":0.875,"lower_bound_m":null}"#,
    )
    .unwrap();
    assert_eq!(file.geometry, Geometry::default());
    assert_eq!((file.lower_bound_m, file.certificate), (None, None));
}

#[test]
fn a_missing_field_is_named() {
    let whole = sample_value();
    for field in ["schema", "topology", "geometry", "servers", "mpds", "max_cable_m"] {
        let mut value = whole.clone();
        value.as_object_mut().unwrap().remove(field);
        assert!(refusal(&value).starts_with(&format!("missing field `{field}`")), "{field}");
    }
    for field in ["slot_pitch_m", "slot_width_m", "slot_depth_m", "server_slots", "mpd_slots"] {
        let mut value = whole.clone();
        value["geometry"].as_object_mut().unwrap().remove(field);
        let message = refusal(&value);
        assert!(message.starts_with(&format!("geometry: missing field `{field}`")), "{message}");
    }
}

#[test]
fn a_wrong_field_is_named() {
    for (pointer, wrong, message) in [
        ("/schema", json!("octopus.placement/2"), "schema is \"octopus.placement/2\""),
        ("/schema", json!(1), "schema: invalid type: integer `1`, expected a string"),
        ("/servers", json!({}), "servers: invalid type: map"),
        ("/servers/1", json!(["left", 2]), "servers[1]: invalid type: sequence, expected a JSON"),
        ("/servers/1/rack", json!("middle"), "servers[1].rack: unknown variant `middle`"),
        ("/servers/0/slot", json!(-1), "servers[0].slot: invalid value: integer `-1`"),
        ("/servers/0/slot", json!(1.5), "servers[0].slot: invalid type: floating point `1.5`"),
        ("/mpds/0/position", json!(null), "mpds[0].position: invalid type: null"),
        ("/geometry", json!([0.05, 0.6, 1, 48, 48, 4]), "geometry: invalid type: sequence"),
        ("/geometry/slot_pitch_m", json!(0), "slot_pitch_m is 0, expected 0.001 to 10 metres"),
        ("/geometry/server_slots", json!(1025), "server_slots is 1025, expected 1 to 1024"),
        ("/max_cable_m", json!(-0.1), "max_cable_m is -0.1, expected 0 to 1000000"),
        ("/lower_bound_m", json!(2e6), "lower_bound_m is 2000000, expected 0 to 1000000"),
        ("/cable_usd_per_server", json!("9"), "cable_usd_per_server: invalid type: string"),
    ] {
        let mut value = sample_value();
        *value.pointer_mut(pointer).unwrap() = wrong;
        let found = refusal(&value);
        assert!(found.starts_with(message), "{found:?}, not {message:?}");
    }
    let text =
        sample().to_json().unwrap().replace("\"max_cable_m\":0.625", "\"max_cable_m\":1e999");
    let found = PlacementFile::from_json(&text).unwrap_err().to_string();
    assert!(found.contains("number out of range"), "{found}");
}

#[test]
fn what_cannot_be_read_is_not_written() {
    for bad in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        assert!(PlacementFile { max_cable_m: bad, ..sample() }.to_json().is_err());
        assert!(PlacementFile { lower_bound_m: Some(bad), ..sample() }.to_json().is_err());
        assert!(PlacementFile { cable_usd_per_server: Some(bad), ..sample() }.to_json().is_err());
    }
    let geometry = Geometry { slot_pitch_m: f64::NAN, ..Geometry::default() };
    assert!(PlacementFile { geometry, ..sample() }.to_json().is_err());
}

#[test]
fn a_list_that_never_ends_is_refused() {
    let mut value = sample_value();
    value["servers"] = vec![value["servers"][0].clone(); 2049].into();
    let message = refusal(&value);
    let expected = "servers: invalid length 2049, expected a list of at most 2048 entries";
    assert!(message.starts_with(expected), "{message}");
    let long = " ".repeat(MAX_FILE_BYTES) + &sample().to_json().unwrap();
    assert!(PlacementFile::read(long.as_bytes()).is_err());
}

#[test]
fn a_message_stays_short_and_on_one_line() {
    let mut value = sample_value();
    value["servers"][0]["rack"] = "\n\u{1b}[2J".repeat(5000).into();
    value["schema"] = "\n\u{1b}[2J".repeat(5000).into();
    let message = refusal(&value);
    assert!(message.len() < 900 && !message.contains(['\n', '\u{1b}']), "{message}");
    let message = PlacementFile::read(&b"{\n\"a\": \"\xff\"}"[..]).unwrap_err().to_string();
    assert_eq!(message, "line 2: not UTF-8");
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    for text in ["[".repeat(1 << 20), "{\"x\":".repeat(1 << 20)] {
        assert!(PlacementFile::from_json(&text).is_err());
    }
}

#[test]
fn no_truncation_passes_or_panics() {
    let text = sample().to_json().unwrap();
    assert!(PlacementFile::from_json(text.trim_end()).is_ok());
    for end in 0..text.trim_end().len() {
        assert!(PlacementFile::read(&text.as_bytes()[..end]).is_err(), "{end}");
    }
    assert!(PlacementFile::from_json(&(text.clone() + "x")).is_err());
    assert_eq!(PlacementFile::read(("\u{feff}".to_owned() + &text).as_bytes()).unwrap(), sample());
}

fn any_file() -> impl Strategy<Value = PlacementFile> {
    let server = (any::<bool>(), 0..2000_usize).prop_map(|(left, slot)| ServerPlace {
        rack: if left { Rack::Left } else { Rack::Right },
        slot,
    });
    let mpd = (0..2000_usize, 0..9_usize).prop_map(|(slot, position)| MpdPlace { slot, position });
    // Of a whole number of billionths, as all lengths worth writing are.
    let number = (0..1_000_000_000_000_u64).prop_map(|n| n as f64 / 1e9);
    (
        any::<String>(),
        (0.001..10.0_f64, 1..=1024_usize, 1..=8_usize, -10.0..10.0_f64),
        prop::collection::vec(server, 0..20),
        prop::collection::vec(mpd, 0..20),
        number.clone(),
        prop::option::of(number.clone()),
        prop::option::of(any::<String>()),
        prop::option::of(number),
    )
        .prop_map(
            |(topology, (pitch, slots, wide, rise), servers, mpds, max, low, path, usd)| {
                let geometry = Geometry {
                    slot_pitch_m: pitch,
                    server_slots: slots,
                    mpds_per_slot: wide,
                    server_port_rise_m: rise,
                    ..Geometry::default()
                };
                PlacementFile {
                    topology,
                    geometry,
                    placement: Placement { servers, mpds },
                    max_cable_m: max,
                    lower_bound_m: low,
                    certificate: path,
                    cable_usd_per_server: usd,
                }
            },
        )
}

proptest! {
    #[test]
    fn what_was_written_is_read(file in any_file()) {
        let json = file.to_json().unwrap();
        prop_assert_eq!(&PlacementFile::from_json(&json).unwrap(), &file);
        prop_assert!(json.ends_with('\n'));
        let places = file.placement.servers.len() + file.placement.mpds.len();
        prop_assert_eq!(json.lines().count(), 5 + places);
    }

    #[test]
    fn damage_never_panics(
        at in any::<prop::sample::Index>(),
        with in any::<Vec<u8>>(),
        gone in 0..9_usize,
    ) {
        let mut bytes = sample().to_json().unwrap().into_bytes();
        let at = at.index(bytes.len());
        let end = (at + gone).min(bytes.len());
        bytes.splice(at..end, with);
        if let Err(error) = PlacementFile::read(bytes.as_slice()) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }
}
