//! Figures of the paper on the synthetic trace and, where it is there, on the
//! real one.

mod common;

use common::{azure_window, random_pod};
use octopus_pool::{
    Error, Fleet, Options, Placement, PolicyKind, ReadOptions, Rule, SynthOptions, Trace, Vm,
    evaluate, evaluate_trained, peak_to_average, place, read_trace, switch_pod, synthesize,
};

fn percent(fleet: &Fleet, pod: &octopus_design::Topology, pooled_fraction: f64) -> f64 {
    let options =
        Options { pods: 16, pooled_fraction, seed: 1, bounds: false, ..Options::default() };
    100.0 * evaluate(pod, fleet, &options).expect("in range").savings_mean
}

#[test]
fn the_synthetic_fleet_peaks_like_figure_5() {
    let trace = synthesize(&SynthOptions::default()).unwrap();
    let fleet = place(&trace, &Placement::Given).unwrap();
    let figures = peak_to_average(&fleet, &[1, 20, 32, 96], 200, 1).unwrap();
    for (figure, (paper_like, tolerance)) in
        figures.iter().zip([(2.44, 0.25), (1.49, 0.1), (1.41, 0.1), (1.29, 0.06)])
    {
        let off = (figure.mean_of_ratios - paper_like).abs();
        assert!(off < tolerance, "{figure:?}");
        assert!(figure.ratio_of_means <= figure.worst && figure.idle_groups == 0);
    }
    assert!((11.0..15.0).contains(&percent(&fleet, &switch_pod(20).unwrap(), 0.35)));
    assert!((13.0..18.0).contains(&percent(&fleet, &switch_pod(90).unwrap(), 0.35)));
    assert!((12.0..19.0).contains(&percent(&fleet, &random_pod(96, 8, 4, 1), 0.65)));
}

#[test]
fn synthetic_servers_keep_their_caps_and_sizes() {
    let options = SynthOptions { servers: 12, window_days: 3.0, ..SynthOptions::default() };
    let trace = synthesize(&options).unwrap();
    for server in 0..12 {
        let mut changes: Vec<(i64, i64, i64)> = Vec::new();
        for vm in trace.vms().iter().filter(|vm| vm.server == Some(server)) {
            let size =
                options.sizes.iter().find(|s| (f64::from(s.gib) - vm.memory_gib).abs() < 1e-9);
            let gib = i64::from(size.expect("one of the sizes").gib);
            changes.push((vm.start_s, gib, i64::from(vm.cores)));
            changes.push((vm.end_s, -gib, -i64::from(vm.cores)));
        }
        changes.sort_unstable();
        let (mut gib, mut cores) = (0, 0);
        for change in changes {
            (gib, cores) = (gib + change.1, cores + change.2);
            assert!((0..=768).contains(&gib) && (0..=96).contains(&cores));
        }
    }
    let more = synthesize(&SynthOptions { servers: 13, ..options.clone() }).unwrap();
    let same: Vec<Vm> = more.vms().iter().copied().filter(|vm| vm.server < Some(12)).collect();
    assert_eq!(same, trace.vms(), "a larger fleet begins with the same servers");
    assert_ne!(synthesize(&SynthOptions { seed: 1, ..options }).unwrap().vms(), trace.vms());
}

/// The documented parameters are the defaults, all of them.
#[test]
fn the_toml_that_documents_the_parameters_is_true() {
    let text = include_str!("../data/synthetic.toml");
    assert_eq!(SynthOptions::from_toml(text, "t").unwrap(), SynthOptions::default());
    assert_eq!(SynthOptions::from_toml("", "t").unwrap(), SynthOptions::default());
    let named = serde_json::to_value(SynthOptions::default()).unwrap();
    for name in named.as_object().unwrap().keys() {
        assert!(text.lines().any(|line| line.starts_with(&format!("{name} = "))), "{name}");
    }
    for (wrong, said) in [
        ("servers = 4\nservers = 5", "t:2: "),
        ("servers = -4", "t:1: "),
        ("servers = \"many\"", "t:1: "),
        ("\n\nsizes = [{ gib = 2 }]", "t:3: "),
        ("[", "t:1: "),
    ] {
        let error = SynthOptions::from_toml(wrong, "t").unwrap_err().to_string();
        assert!(error.starts_with(said) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn synthetic_parameters_are_checked() {
    let good = SynthOptions { servers: 2, window_days: 0.5, ..SynthOptions::default() };
    let no_shares = good.sizes.iter().map(|s| octopus_pool::SizeShare { share: 0.0, ..*s });
    for bad in [
        SynthOptions { servers: 0, ..good.clone() },
        SynthOptions { servers: u32::MAX, ..good.clone() },
        SynthOptions { tick_s: 0, ..good.clone() },
        SynthOptions { window_days: f64::NAN, ..good.clone() },
        SynthOptions { window_days: 1e300, ..good.clone() },
        SynthOptions { short_share: 1.5, ..good.clone() },
        SynthOptions { load_alpha: 0.0, ..good.clone() },
        SynthOptions { factor_sigma: -1.0, ..good.clone() },
        SynthOptions { patience_h: f64::INFINITY, ..good.clone() },
        SynthOptions { sizes: Vec::new(), ..good.clone() },
        SynthOptions { sizes: no_shares.collect(), ..good.clone() },
    ] {
        let built = synthesize(&bad);
        let named = matches!(built, Err(Error::OutOfRange { .. } | Error::BadNumber { .. }));
        assert!(named, "{bad:?}");
    }
}

#[test]
fn nothing_pooled_is_answered_by_rule() {
    let fleet = place(&common::random_trace(8, 50, 1), &Placement::Given).unwrap();
    let pod = random_pod(4, 2, 2, 1);
    let none = Options { pooled_fraction: 0.0, pods: 3, expansion: vec![2], ..Options::default() };
    let savings = evaluate(&pod, &fleet, &none).unwrap();
    for zero in [
        savings.savings_mean,
        savings.savings_sd,
        savings.savings_ratio_of_means,
        savings.moved_fraction,
        savings.lower_bound_gib_mean.unwrap(),
        savings.theorem_a1_gib_mean.unwrap(),
    ] {
        assert!(zero.abs() < 1e-12);
    }
    assert_eq!(savings.events, 0);
    let single = evaluate(&pod, &fleet, &Options { pods: 1, ..Options::default() }).unwrap();
    assert!(single.savings_sd.abs() < 1e-12 && single.savings_ci95.is_none());
}

#[test]
fn unusable_options_are_errors() {
    let fleet = place(&common::random_trace(8, 50, 1), &Placement::Given).unwrap();
    let pod = random_pod(4, 2, 2, 1);
    for bad in [
        Options { pooled_fraction: 1.01, ..Options::default() },
        Options { pooled_fraction: f64::NAN, ..Options::default() },
        Options { pods: 0, ..Options::default() },
        Options { jobs: 1_000_000, ..Options::default() },
        Options { fail_links: 1.5, ..Options::default() },
        Options { mpd_sizes_gib: vec![1], ..Options::default() },
        Options { policy: PolicyKind::Striped, stripe_links: 0, ..Options::default() },
        Options { policy: PolicyKind::BoundedMigration, margin: f64::NAN, ..Options::default() },
        Options { policy: PolicyKind::Optimum, mpd_capacity_gib: Some(9), ..Options::default() },
        Options { policy: PolicyKind::GlobalPool, fail_links: 0.1, ..Options::default() },
        Options { window: Some(5..5), ..Options::default() },
        Options { expansion: vec![2, 0], ..Options::default() },
    ] {
        assert!(evaluate(&pod, &fleet, &bad).is_err(), "{bad:?}");
    }
    let large = evaluate(&random_pod(12, 2, 2, 1), &fleet, &Options::default());
    assert!(matches!(large, Err(Error::FleetTooSmall { pod: 12, fleet: 8 })));
    let cut = pod.retain_links(|server, _| server.index() != 2);
    for policy in PolicyKind::ALL.into_iter().filter(|p| *p != PolicyKind::GlobalPool) {
        let options = Options { policy, bounds: false, ..Options::default() };
        let unlinked = evaluate(&cut, &fleet, &options).unwrap();
        // a server without links keeps its memory to itself, and it is counted
        let spilled = unlinked.spilled_gib_fraction;
        assert_eq!(spilled > 0.0, policy != PolicyKind::Optimum, "{policy}: {spilled}");
    }
    assert!(switch_pod(0).is_err() && switch_pod(1_000_000_000).is_err());
    assert!(peak_to_average(&fleet, &[0], 1, 1).is_err());
    assert!(peak_to_average(&fleet, &[9], 1, 1).is_err());
    assert!(peak_to_average(&fleet, &[1], 0, 1).is_err());
}

#[test]
fn a_switch_is_a_global_pool() {
    let fleet = place(&common::random_trace(40, 900, 2), &Placement::Given).unwrap();
    let options = Options { pods: 5, ..Options::default() };
    let switch = evaluate(&switch_pod(20).unwrap(), &fleet, &options).unwrap();
    let global = Options { policy: PolicyKind::GlobalPool, ..options };
    let global = evaluate(&random_pod(20, 4, 4, 1), &fleet, &global).unwrap();
    assert!((switch.savings_mean - global.savings_mean).abs() < 1e-12);
}

#[test]
fn random_placement_keeps_caps_at_every_instant() {
    let vms: Vec<Vm> = common::random_trace(1, 2000, 9).vms().to_vec();
    let vms = vms.into_iter().map(|vm| Vm { server: None, cores: 3, ..vm }).collect();
    let trace = Trace::new("t", 0..200, vms).unwrap();
    let fleet = place(&trace, &Placement::random(4)).unwrap();
    assert_eq!(place(&trace, &Placement::random(4)).unwrap(), fleet);
    let mut changes: Vec<_> = Vec::new();
    for vm in fleet.vms() {
        changes.push((vm.start_s, true, vm.server, vm.memory_gib, vm.cores));
        changes.push((vm.end_s, false, vm.server, vm.memory_gib, vm.cores));
    }
    changes.sort_by_key(|c| (c.0, c.1));
    let mut used = std::collections::BTreeMap::new();
    for (_, arrives, server, gib, cores) in changes {
        let (used_gib, used_cores): &mut (f64, u32) = used.entry(server).or_default();
        if arrives {
            (*used_gib, *used_cores) = (*used_gib + gib, *used_cores + cores);
            assert!(*used_gib <= 384.0 && *used_cores <= 96);
        } else {
            (*used_gib, *used_cores) = (*used_gib - gib, *used_cores - cores);
        }
    }
    assert!(used.len() == fleet.servers() && fleet.servers() > 1);
}

#[test]
fn the_real_trace_saves_what_the_paper_says() {
    let Some(path) = azure_window() else {
        eprintln!("skipped: no Azure window beside the workspace");
        return;
    };
    let options = ReadOptions { seed: 1, ..ReadOptions::default() };
    let trace = read_trace(&path, &options).unwrap();
    assert_eq!(trace.window(), 1_800_000..2_591_400);
    let count = |rule| trace.cleaning().iter().find(|c| c.rule == rule).map(|c| c.rows);
    assert_eq!(count(Rule::ZeroLifetime), Some(18_247));
    assert_eq!(count(Rule::Censored), Some(37_628));
    let fleet = place(&trace, &Placement::random(1)).unwrap();
    assert_eq!(count(Rule::NoRoom), None);

    let switch_20 = percent(&fleet, &switch_pod(20).unwrap(), 0.35);
    let switch_90 = percent(&fleet, &switch_pod(90).unwrap(), 0.35);
    let expander = percent(&fleet, &random_pod(96, 8, 4, 1), 0.65);
    assert!((11.0..15.0).contains(&switch_20), "{switch_20}");
    assert!((13.0..18.0).contains(&switch_90), "{switch_90}");
    assert!((15.0..21.0).contains(&expander), "{expander}");

    // beyond the paper: moves only where a cap would be passed
    let pod = octopus_design::pod::octopus_96();
    let with = |policy, fail_links| {
        let options =
            Options { policy, fail_links, pods: 12, seed: 1, bounds: false, ..Options::default() };
        evaluate(&pod, &fleet, &options).unwrap()
    };
    let greedy = with(PolicyKind::LeastLoaded, 0.0);
    let moved = with(PolicyKind::BoundedMigration, 0.0);
    let (best, global) = (with(PolicyKind::Optimum, 0.0), with(PolicyKind::GlobalPool, 0.0));
    assert!(moved.savings_mean >= 0.24 && moved.moved_fraction <= 0.03, "{moved:?}");
    assert!(greedy.savings_mean < moved.savings_mean);
    assert!(moved.savings_mean < best.savings_mean && best.savings_mean <= global.savings_mean);
    let failed = with(PolicyKind::LeastLoaded, 0.05);
    assert!((0.01..0.06).contains(&(greedy.savings_mean - failed.savings_mean)), "{failed:?}");
    // sized on the first half, judged on the second
    let halves = Options { pods: 12, seed: 1, ..Options::default() };
    let trained = evaluate_trained(&pod, &fleet, &halves, 0.15).unwrap();
    assert!(trained.savings.mean >= 0.24 && trained.spilled_pods == 0, "{trained:?}");
    assert!(trained.greedy_spilled_vms_fraction > 0.0, "{trained:?}");

    let cold = read_trace(&path, &ReadOptions { warm_up: Some(false), ..options }).unwrap();
    let cold = place(&cold, &Placement::random(1)).unwrap();
    let inflated = percent(&cold, &random_pod(96, 8, 4, 1), 0.65);
    assert!(inflated > expander + 1.0, "a cold start looks better: {inflated}");
}
