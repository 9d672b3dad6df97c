//! What a pod of 16 servers saves on a synthetic trace.
//!
//! `cargo run --release --example savings`

use octopus_design::Topology;
use octopus_pool::{
    Options, Placement, PolicyKind, SynthOptions, evaluate, place, switch_pod, synthesize,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let trace = synthesize(&SynthOptions { servers: 128, ..SynthOptions::default() })?;
    let fleet = place(&trace, &Placement::for_trace(&trace, 1))?;
    println!("{}: {} VMs on {} servers", fleet.source(), fleet.vms().len(), fleet.servers());

    // 16 servers and 16 MPDs of four ports: server s reaches s, s+1, s+3, s+7.
    let mpds = (0..16_usize).map(|m| [0, 1, 3, 7].map(|step| (m + 16 - step) % 16));
    let pod = Topology::new("cyclic-16", 4, 4, 16, mpds)?;
    let options = Options { pods: 40, seed: 1, ..Options::default() };
    let greedy = evaluate(&pod, &fleet, &options)?;
    let optimum =
        evaluate(&pod, &fleet, &Options { policy: PolicyKind::Optimum, ..options.clone() })?;
    let switch = evaluate(&switch_pod(16)?, &fleet, &Options { pooled_fraction: 0.35, ..options })?;
    for savings in [&greedy, &optimum, &switch] {
        println!(
            "{:10} {:12} saves {:5.1}% of all DRAM ± {:.1} (95%), {:5.1}% of what is pooled",
            savings.topology,
            savings.policy,
            100.0 * savings.savings_mean,
            100.0 * savings.savings_ci95.unwrap_or(0.0),
            100.0 * savings.savings_of_pooled_mean,
        );
    }
    assert!(greedy.savings_mean > 0.05, "pooling pays");
    assert!(optimum.savings_mean > greedy.savings_mean, "and a better policy would pay more");
    Ok(())
}
