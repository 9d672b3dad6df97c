//! Lifetimes a trace did not see end, and VMs it did not see start.

use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{MAX_ROWS, Trace, Vm};
use crate::{Error, Result, Rule};

/// Streams of one seed, so that what is drawn for one purpose does not shift
/// what is drawn for another.
const CENSORED_STREAM: u64 = 1;
const WARM_UP_STREAM: u64 = 2;

/// How the population alive at a trace's window's start came about.
///
/// Without it, every server starts empty, peaks are late and low, and pooling
/// looks better than it is (left truncation).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum WarmUp {
    /// Only what the trace's own rows say.
    None,
    /// The generator ran this long before the window.
    Generated {
        /// Seconds.
        seconds: i64,
    },
    /// VMs were added by resampling the trace's arrivals ([`with_warm_up`]).
    Resampled {
        /// VMs added.
        vms: u64,
        /// How long before the window the oldest could have started, seconds.
        history_s: i64,
    },
}

impl fmt::Display for WarmUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "none (cold start)"),
            Self::Generated { seconds } => write!(f, "generator ran {seconds} s before"),
            Self::Resampled { vms, history_s } => {
                write!(f, "{vms} VMs resampled from {history_s} s before")
            }
        }
    }
}

/// The Kaplan–Meier estimate of how long VMs live.
///
/// The estimate ends at the longest lifetime seen. What is left of it there is
/// taken to end there (Efron, Proc. 5th Berkeley Symp., 1967): with lives
/// without end the population would grow all through the window.
#[derive(Debug)]
struct Survival {
    /// Ascending lifetimes at which a VM ended, with the share living longer.
    steps: Vec<(i64, f64)>,
    /// The longest lifetime seen, whether or not it ended then.
    longest_s: i64,
}

impl Survival {
    /// From `(seconds seen, whether it ended then)`.
    fn new(mut seen: Vec<(i64, bool)>) -> Self {
        seen.sort_unstable();
        let longest_s = seen.last().map_or(0, |last| last.0);
        let (mut share, mut steps) = (1.0, Vec::new());
        let mut at_risk = seen.len();
        for same in seen.chunk_by(|a, b| a.0 == b.0) {
            let ended = same.iter().filter(|(_, ended)| *ended).count();
            if ended > 0 {
                share *= 1.0 - ended as f64 / at_risk as f64;
                steps.push((same[0].0, share));
            }
            at_risk -= same.len();
        }
        Self { steps, longest_s }
    }

    /// The share of VMs that live longer than `life_s`.
    fn beyond(&self, life_s: i64) -> f64 {
        let known = self.steps.partition_point(|step| step.0 <= life_s);
        if known == 0 { 1.0 } else { self.steps[known - 1].1 }
    }

    /// A lifetime of a VM that has lived `life_s`, from a uniform `u` in (0, 1].
    fn beyond_sample(&self, life_s: i64, u: f64) -> i64 {
        let level = u * self.beyond(life_s);
        let step = self.steps.partition_point(|step| step.1 >= level);
        self.steps.get(step).map_or(self.longest_s.max(life_s), |step| step.0)
    }
}

/// Draws an end for every censored VM, beyond the time it was seen alive.
///
/// VMs that started before the window are left out of the estimate: only the
/// long-lived among them are in the trace.
pub(super) fn draw_censored(trace: &mut Trace, seed: u64) {
    let seen = trace.vms.iter().filter(|vm| vm.start_s >= trace.window.start);
    let survival = Survival::new(seen.map(|vm| (vm.end_s - vm.start_s, !vm.censored)).collect());
    let mut rng = stream(seed, CENSORED_STREAM);
    let mut drawn = 0;
    for vm in trace.vms.iter_mut().filter(|vm| vm.censored) {
        let life = survival.beyond_sample(vm.end_s - vm.start_s, open_unit(&mut rng));
        vm.end_s = vm.start_s + life;
        drawn += 1;
    }
    super::count(&mut trace.cleaning, Rule::Censored, drawn);
}

/// Adds the VMs that started before the window and were alive at its start.
///
/// The window's length T of history is assumed to have looked like the window:
/// as many arrivals as in it, each at a uniform age in (0, T] at the window's
/// start, with the size, host and lifetime of a VM drawn from the window's
/// arrivals; those whose lifetime exceeds their age are kept. So a VM that
/// lives twice as long is met twice as often, and the population neither grows
/// nor shrinks through the window on account of the warm-up.
///
/// VMs of the trace that started before the window stay; a trace that has them
/// already is returned as it is.
///
/// # Errors
///
/// [`Error::OutOfRange`] if the trace would pass [`MAX_ROWS`].
///
/// # Examples
///
/// ```
/// use octopus_pool::{Trace, Vm, WarmUp, with_warm_up};
///
/// // A VM an hour, each living an hour: one of them is alive at time 0.
/// let vm = |hour| Vm {
///     start_s: hour * 3600, end_s: hour * 3600 + 3600,
///     memory_gib: 4.0, cores: 1, server: None, censored: false,
/// };
/// let cold = Trace::new("hourly", 0..3_600_000, (0..1000).map(vm).collect())?;
/// let warm = with_warm_up(cold, 1)?;
/// let WarmUp::Resampled { vms, .. } = warm.warm_up() else { unreachable!() };
/// assert!((0..=8).contains(&vms));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn with_warm_up(mut trace: Trace, seed: u64) -> Result<Trace> {
    let start = trace.window.start;
    let history_s = trace.window.end - start;
    let first = trace.vms.partition_point(|vm| vm.start_s < start);
    if first > 0 || trace.warm_up != WarmUp::None {
        return Ok(trace);
    }
    let mut rng = stream(seed, WARM_UP_STREAM);
    let mut added: Vec<Vm> = Vec::new();
    for _ in 0..trace.vms.len() {
        let vm = trace.vms[rng.random_range(0..trace.vms.len())];
        let age = rng.random_range(1..=history_s);
        let life = vm.end_s - vm.start_s;
        if life > age {
            added.push(Vm { start_s: start - age, end_s: start - age + life, ..vm });
        }
    }
    let all = trace.vms.len() + added.len();
    if all > MAX_ROWS {
        let (value, most) = (all as u64, MAX_ROWS as u64);
        return Err(Error::OutOfRange { field: "number of vms", value, least: 1, most });
    }
    trace.warm_up = WarmUp::Resampled { vms: added.len() as u64, history_s };
    added.append(&mut trace.vms);
    added.sort_by_key(|vm| vm.start_s);
    trace.vms = added;
    Ok(trace)
}

fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}

/// Uniform in (0, 1].
fn open_unit(rng: &mut ChaCha8Rng) -> f64 {
    1.0 - rng.random::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of Kaplan and Meier's method with ties: deaths at 1
    /// and 3 (two), censored at 2 and 5.
    #[test]
    fn survival_is_the_product_limit() {
        let survival = Survival::new(vec![(1, true), (2, false), (3, true), (5, false), (3, true)]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(survival.beyond(0), 1.0));
        assert!(near(survival.beyond(1), 0.8));
        assert!(near(survival.beyond(2), 0.8));
        assert!(near(survival.beyond(3), 0.8 / 3.0));
        assert_eq!(survival.beyond_sample(0, 1.0), 1);
        assert_eq!(survival.beyond_sample(0, 0.79), 3);
        assert_eq!(survival.beyond_sample(0, 0.2), 5, "the longest life seen");
        assert_eq!(survival.beyond_sample(2, 0.5), 3);
        assert_eq!(survival.beyond_sample(3, 0.99), 5);
        assert_eq!(survival.beyond_sample(8, 0.5), 8, "never shorter than seen");
    }

    #[test]
    fn a_steady_trace_is_warmed_to_its_own_level() {
        // 2000 arrivals over 100,000 s, each living 5,000 s: 100 alive.
        let vms = (0..2000).map(|i| Vm {
            start_s: i * 50,
            end_s: i * 50 + 5000,
            memory_gib: 2.0,
            cores: 1,
            server: Some(3),
            censored: false,
        });
        let cold = Trace::new("steady", 0..100_000, vms.collect()).unwrap();
        let warm = with_warm_up(cold.clone(), 7).unwrap();
        let alive = warm.vms().iter().filter(|vm| vm.start_s < 0 && vm.end_s > 0).count();
        assert!((60..140).contains(&alive), "{alive}");
        assert_eq!(warm.vms().len(), 2000 + alive);
        assert_eq!(with_warm_up(warm.clone(), 8).unwrap(), warm, "only once");
        assert_eq!(with_warm_up(cold, 7).unwrap(), warm, "same seed, same VMs");
    }
}
