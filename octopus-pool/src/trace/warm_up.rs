//! Lifetimes a trace did not see end, and VMs it did not see start.

use std::fmt;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::{MAX_ROWS, MAX_TIME_S, Trace, Vm};
use crate::num::round_i64;
use crate::{Error, Result, Rule};

/// Streams of one seed, so that what is drawn for one purpose does not shift
/// what is drawn for another.
const CENSORED_STREAM: u64 = 1;
const WARM_UP_STREAM: u64 = 2;

/// How the population alive at a trace's window's start came about.
///
/// Without it, every server starts empty, peaks are late and low, and pooling
/// looks better than it is (left truncation).
///
/// # Examples
///
/// ```
/// use octopus_pool::WarmUp;
/// let generated = WarmUp::Generated { seconds: 345_600 };
/// assert_eq!(generated.to_string(), "generator ran 96 h before");
/// ```
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
        /// How long before the window the oldest of them started, seconds.
        history_s: i64,
    },
}

impl fmt::Display for WarmUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(f, "none (cold start)"),
            Self::Generated { seconds } => write!(f, "generator ran {} h before", seconds / 3600),
            Self::Resampled { vms, history_s } => {
                write!(f, "{vms} VMs resampled, the oldest {} h old", history_s / 3600)
            }
        }
    }
}

/// The Kaplan–Meier estimate of how long VMs live.
///
/// It ends at the longest lifetime seen, where some are often alive still. From
/// there on VMs end at the constant rate at which those past half of that
/// lifetime were seen to (an exponential tail, as Brown, Hollander and Korwar
/// 1974, but with the late rate, since cloud VMs that last go on lasting).
/// With lives without end, the population would grow all through the window;
/// with lives that end there (Efron 1967), all long-lived VMs would be churned.
#[derive(Debug)]
struct Survival {
    /// Ascending lifetimes at which a VM ended, with the share living longer.
    steps: Vec<(i64, f64)>,
    /// The longest lifetime seen, whether or not it ended then.
    longest_s: i64,
    /// VMs ending a second, of those past it.
    tail_rate: f64,
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
        let late = seen.iter().filter(|s| s.0 > longest_s / 2);
        let (ended, exposed_s) = late.fold((0_u32, 0.0), |(ended, exposed), s| {
            (ended + u32::from(s.1), exposed + (s.0 - longest_s / 2) as f64)
        });
        let tail_rate = if exposed_s > 0.0 { f64::from(ended) / exposed_s } else { 0.0 };
        Self { steps, longest_s, tail_rate }
    }

    /// The share of VMs that live longer than `life_s`.
    fn beyond(&self, life_s: i64) -> f64 {
        let known = self.steps.partition_point(|step| step.0 <= life_s);
        let share = if known == 0 { 1.0 } else { self.steps[known - 1].1 };
        share * (-self.tail_rate * (life_s - self.longest_s).max(0) as f64).exp()
    }

    /// A lifetime of a VM that has lived `life_s`, from a uniform `u` in (0, 1].
    ///
    /// Where nothing was seen to end late, lives end with the longest seen.
    fn beyond_sample(&self, life_s: i64, u: f64) -> i64 {
        let level = u * self.beyond(life_s);
        let step = self.steps.partition_point(|step| step.1 >= level);
        if let Some(step) = self.steps.get(step) {
            return step.0;
        }
        let longest = self.longest_s.max(life_s);
        let more_s = (self.beyond(self.longest_s) / level).ln() / self.tail_rate;
        if more_s.is_finite() {
            self.longest_s.saturating_add(round_i64(more_s)).clamp(longest, MAX_TIME_S)
        } else {
            longest
        }
    }
}

/// Draws an end for every censored VM, beyond the time it was seen alive.
///
/// VMs that started before the window are left out of the estimate: only the
/// long-lived among them are in the trace.
pub(super) fn draw_censored(trace: &mut Trace, seed: u64) {
    let whole = trace.vms.iter().filter(|vm| vm.start_s >= trace.window.start);
    let survival = Survival::new(whole.map(|vm| (vm.end_s - vm.start_s, !vm.censored)).collect());
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
/// The past is assumed to have looked like the window: VMs like each of the
/// window's arrivals, with its size, host and lifetime L, arrived once in every
/// window's length T. So L / T of them are alive on average at any moment, at a
/// uniform age (length-biased sampling): as many copies are added, the fraction
/// at random. Of VMs seen in part only, L is what [`read_trace`] drew.
///
/// [`read_trace`]: crate::read_trace
///
/// A trace with VMs from before its window is returned as it is.
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
/// // A VM an hour, each living a hundred hours: a hundred are alive on average.
/// let vm = |hour: i64| Vm {
///     start_s: hour * 3600, end_s: (hour + 100) * 3600,
///     memory_gib: 4.0, cores: 1, server: None, censored: false,
/// };
/// let cold = Trace::new("hourly", 0..3_600_000, (0..1000).map(vm).collect())?;
/// let warm = with_warm_up(cold, 1)?;
/// let WarmUp::Resampled { vms, .. } = warm.warm_up() else { unreachable!() };
/// assert!((60..140).contains(&vms));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn with_warm_up(mut trace: Trace, seed: u64) -> Result<Trace> {
    let start = trace.window.start;
    let length_s = trace.window.end - start;
    let first = trace.vms.first().map_or(start, |vm| vm.start_s);
    if first < start || trace.warm_up != WarmUp::None {
        return Ok(trace);
    }
    let mut rng = stream(seed, WARM_UP_STREAM);
    let mut added: Vec<Vm> = Vec::new();
    for vm in &trace.vms {
        let life_s = vm.end_s - vm.start_s;
        let one_more = rng.random_range(0..length_s) < life_s % length_s;
        for _ in 0..life_s / length_s + i64::from(one_more) {
            let start_s = start - rng.random_range(0..life_s);
            added.push(Vm { start_s, end_s: start_s + life_s, ..*vm });
        }
        let all = trace.vms.len() + added.len();
        if all > MAX_ROWS {
            let (value, most) = (all as u64, MAX_ROWS as u64);
            return Err(Error::OutOfRange { field: "number of vms", value, least: 1, most });
        }
    }
    let oldest = added.iter().map(|vm| vm.start_s).min().unwrap_or(start);
    let history_s = start - oldest;
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
        // Past 5 / 2, rounded down: two ended, watched for 1 + 1 + 3 s in all.
        assert!(near(survival.tail_rate, 0.4));
        assert!(near(survival.beyond(10), 0.8 / 3.0 * (-2.0_f64).exp()));
        assert_eq!(survival.beyond_sample(0, 0.8 / 3.0 * (-2.0_f64).exp()), 10);
        assert_eq!(survival.beyond_sample(8, (-0.8_f64).exp()), 10);
        let endless = Survival::new(vec![(1, true), (9, false)]);
        assert_eq!(endless.beyond_sample(0, 0.1), 9);
        assert_eq!(endless.beyond_sample(12, 0.1), 12);
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
