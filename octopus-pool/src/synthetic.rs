//! A synthetic VM trace with the burstiness of the paper's.

use rand::distr::weighted::WeightedIndex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution, Exp, LogNormal};
use serde::{Deserialize, Serialize};

use crate::num::round_i64;
use crate::trace::{MAX_ROWS, MAX_TIME_S};
use crate::{Error, Result, Trace, Vm};

const HOUR_S: f64 = 3_600.0;
const DAY_S: f64 = 86_400.0;

/// The share of VMs of one memory size.
///
/// # Examples
///
/// ```
/// use octopus_pool::{SizeShare, SynthOptions, synthesize};
///
/// let sizes = vec![SizeShare { gib: 8, share: 1.0 }];
/// let options = SynthOptions { servers: 2, window_days: 1.0, sizes, ..SynthOptions::default() };
/// assert!(synthesize(&options)?.vms().iter().all(|vm| vm.memory_gib == 8.0));
/// # Ok::<(), octopus_pool::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeShare {
    /// Memory, GiB.
    pub gib: u32,
    /// Relative frequency among arrivals.
    pub share: f64,
}

/// Parameters of the synthetic trace. The defaults are calibrated.
///
/// Each server follows a target load of its own: Beta-distributed, redrawn
/// after exponential times and approached on a straight line; times a daily
/// swing common to all servers; times a factor of its own that never exceeds 1.
/// VMs arrive as long as they fit under the target; above it, random ones end.
///
/// The defaults give a peak to average ratio of groups of 1, 20, 32 and 96
/// servers near 2.5, 1.5, 1.45 and 1.3, which is how Figure 5 reads.
///
/// ```
/// let options = octopus_pool::SynthOptions::default();
/// assert_eq!(options.servers, 384);
/// assert_eq!(options.sizes.iter().map(|s| s.gib).max(), Some(256));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SynthOptions {
    /// Servers of the fleet.
    pub servers: u32,
    /// Memory of a server, GiB.
    pub server_gib: u32,
    /// Cores of a server; a VM has its memory's share of them, rounded down.
    pub server_cores: u32,
    /// Length of the window, days.
    pub window_days: f64,
    /// How long the generator runs before the window, days.
    pub warm_up_days: f64,
    /// Time between two looks at the target, seconds.
    pub tick_s: u32,
    /// First shape parameter of the Beta-distributed target load.
    pub load_alpha: f64,
    /// Second shape parameter of the target load.
    pub load_beta: f64,
    /// Mean time between two draws of the target load, hours.
    pub load_hold_h: f64,
    /// Time to move from one target to the next, hours.
    pub ramp_h: f64,
    /// How long a VM that does not fit waits before another is drawn in its
    /// place, hours. Without patience small VMs fill every gap, and there are
    /// more of them than `sizes` says.
    pub patience_h: f64,
    /// Amplitude of the daily swing, as a share of the target.
    pub daily_swing: f64,
    /// Sigma of a server's own lognormal factor (median 1, cut at 1).
    pub factor_sigma: f64,
    /// Memory sizes of VMs and their shares.
    pub sizes: Vec<SizeShare>,
    /// Share of VMs with a short lifetime.
    pub short_share: f64,
    /// Median of the short lifetimes, hours (lognormal).
    pub short_median_h: f64,
    /// Sigma of the short lifetimes.
    pub short_sigma: f64,
    /// Median of the long lifetimes, days (lognormal).
    pub long_median_d: f64,
    /// Sigma of the long lifetimes.
    pub long_sigma: f64,
    /// Fixes everything drawn.
    pub seed: u64,
}

impl Default for SynthOptions {
    fn default() -> Self {
        let sizes = [2, 4, 8, 16, 32, 64, 128, 256];
        let shares = [0.16, 0.22, 0.24, 0.18, 0.11, 0.06, 0.025, 0.005];
        let sizes = sizes.into_iter().zip(shares).map(|(gib, share)| SizeShare { gib, share });
        Self {
            servers: 384,
            server_gib: 768,
            server_cores: 96,
            window_days: 14.0,
            warm_up_days: 4.0,
            tick_s: 300,
            load_alpha: 0.5,
            load_beta: 0.6,
            load_hold_h: 12.0,
            ramp_h: 1.0,
            patience_h: 2.0,
            daily_swing: 0.15,
            factor_sigma: 0.4,
            sizes: sizes.collect(),
            short_share: 0.4,
            short_median_h: 2.7,
            short_sigma: 1.2,
            long_median_d: 4.5,
            long_sigma: 1.0,
            seed: 0,
        }
    }
}

/// The distributions of one set of parameters.
struct Laws {
    load: Beta<f64>,
    hold_s: Exp<f64>,
    factor: LogNormal<f64>,
    short_s: LogNormal<f64>,
    long_s: LogNormal<f64>,
    size: WeightedIndex<f64>,
}

/// Generates a trace whose VMs have their hosts; its window starts at 0 s.
///
/// Every server draws from a stream of its own, so that a fleet of more
/// servers begins with the same ones.
///
/// # Errors
///
/// [`Error::OutOfRange`] or [`Error::BadNumber`] for a parameter, or if the
/// trace would have more than [`MAX_ROWS`] VMs; [`Error::NoVms`] if no VM fits
/// under any target.
///
/// # Examples
///
/// ```
/// use octopus_pool::{SynthOptions, synthesize};
///
/// let options = SynthOptions { servers: 4, window_days: 1.0, ..SynthOptions::default() };
/// let trace = synthesize(&options)?;
/// assert_eq!(trace.window(), 0..86_400);
/// assert!(trace.vms().iter().all(|vm| vm.server < Some(4)));
/// assert_eq!(synthesize(&options)?, trace);
/// # Ok::<(), octopus_pool::Error>(())
/// ```
pub fn synthesize(options: &SynthOptions) -> Result<Trace> {
    let laws = options.laws()?;
    let mut vms = Vec::new();
    for server in 0..options.servers {
        Server::new(options, &laws, server).run(&mut vms);
        if vms.len() > MAX_ROWS {
            let (value, most) = (vms.len() as u64, MAX_ROWS as u64);
            return Err(Error::OutOfRange { field: "number of vms", value, least: 1, most });
        }
    }
    let window = 0..round_i64(options.window_days * DAY_S);
    let source = format!("synthetic ({} servers, seed {})", options.servers, options.seed);
    let trace = Trace::new(source, window, vms)?;
    Ok(trace.generated(round_i64(options.warm_up_days * DAY_S)))
}

impl SynthOptions {
    /// From TOML; what is left out keeps its default, and an unknown name is an
    /// error. `data/synthetic.toml` has all of them, with their meaning.
    ///
    /// # Errors
    ///
    /// [`Error::Toml`] with line and column.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_pool::SynthOptions;
    /// let options = SynthOptions::from_toml("servers = 8\nwindow_days = 1.5", "x.toml")?;
    /// assert_eq!((options.servers, options.tick_s), (8, 300));
    /// let wrong = SynthOptions::from_toml("severs = 8", "x.toml").unwrap_err();
    /// assert!(wrong.to_string().starts_with("x.toml:1: "));
    /// # Ok::<(), octopus_pool::Error>(())
    /// ```
    pub fn from_toml(text: &str, name: &str) -> Result<Self> {
        toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            Error::Toml {
                file: name.to_owned(),
                line: 1 + before.matches('\n').count(),
                message: error.message().lines().next().unwrap_or_default().to_owned(),
            }
        })
    }

    fn laws(&self) -> Result<Laws> {
        let whole = |field, value: u32, most: u32| {
            let (value, most) = (u64::from(value), u64::from(most));
            let ok = (1..=most).contains(&value);
            ok.then_some(()).ok_or(Error::OutOfRange { field, value, least: 1, most })
        };
        whole("servers", self.servers, 100_000)?;
        whole("server_gib", self.server_gib, 65_536)?;
        whole("server_cores", self.server_cores, 65_536)?;
        whole("tick_s", self.tick_s, 86_400)?;
        for size in &self.sizes {
            whole("sizes.gib", size.gib, 65_536)?;
        }
        let real = |field, value: f64, least: f64, most: f64, expected| {
            let ok = (least..=most).contains(&value);
            ok.then_some(()).ok_or(Error::BadNumber { field, value, expected })
        };
        // Less than a tick's worth of time or spread is no different from none.
        let positive = "0.0001 to 10000";
        let nonnegative = "0 to 10000";
        for (field, value) in [
            ("window_days", self.window_days),
            ("load_alpha", self.load_alpha),
            ("load_beta", self.load_beta),
            ("load_hold_h", self.load_hold_h),
            ("ramp_h", self.ramp_h),
            ("short_median_h", self.short_median_h),
            ("long_median_d", self.long_median_d),
        ] {
            real(field, value, 1e-4, 1e4, positive)?;
        }
        real("warm_up_days", self.warm_up_days, 0.0, 1e4, nonnegative)?;
        real("patience_h", self.patience_h, 0.0, 1e4, nonnegative)?;
        for (field, value) in [
            ("factor_sigma", self.factor_sigma),
            ("short_sigma", self.short_sigma),
            ("long_sigma", self.long_sigma),
        ] {
            real(field, value, 0.0, 10.0, "0 to 10")?;
        }
        for (field, value) in [("daily_swing", self.daily_swing), ("short_share", self.short_share)]
        {
            crate::num::fraction(field, value)?;
        }
        let bad = |field, value, expected| Error::BadNumber { field, value, expected };
        let life = |field, median_s: f64, sigma: f64| {
            LogNormal::new(median_s.ln(), sigma).map_err(|_| bad(field, sigma, "0 to 10"))
        };
        let shares = self.sizes.iter().map(|s| s.share);
        let total: f64 = shares.clone().sum();
        Ok(Laws {
            load: Beta::new(self.load_alpha, self.load_beta)
                .map_err(|_| bad("load_alpha", self.load_alpha, positive))?,
            hold_s: Exp::new(1.0 / (self.load_hold_h * HOUR_S))
                .map_err(|_| bad("load_hold_h", self.load_hold_h, positive))?,
            factor: life("factor_sigma", 1.0, self.factor_sigma)?,
            short_s: life("short_sigma", self.short_median_h * HOUR_S, self.short_sigma)?,
            long_s: life("long_sigma", self.long_median_d * DAY_S, self.long_sigma)?,
            size: WeightedIndex::new(shares)
                .map_err(|_| bad("sizes.share", total, "shares from 0 up, with a positive sum"))?,
        })
    }
}

/// One server's life.
struct Server<'a> {
    options: &'a SynthOptions,
    laws: &'a Laws,
    rng: ChaCha8Rng,
    number: u32,
    factor: f64,
    /// The target before and after the last draw, and when that was.
    loads: (f64, f64),
    drawn_s: f64,
    next_draw_s: f64,
    /// The VMs alive.
    alive: Vec<(Vm, u32)>,
    used_gib: u32,
    /// The memory of a VM that did not fit, and until when it waits.
    waiting: Option<(u32, i64)>,
}

impl<'a> Server<'a> {
    fn new(options: &'a SynthOptions, laws: &'a Laws, number: u32) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        rng.set_stream(u64::from(number));
        let factor = laws.factor.sample(&mut rng).min(1.0);
        let load = laws.load.sample(&mut rng);
        let drawn_s = -options.warm_up_days * DAY_S;
        let next_draw_s = drawn_s + laws.hold_s.sample(&mut rng);
        Self {
            options,
            laws,
            rng,
            number,
            factor,
            loads: (load, load),
            drawn_s,
            next_draw_s,
            alive: Vec::new(),
            used_gib: 0,
            waiting: None,
        }
    }

    /// Runs the server through warm-up and window.
    fn run(mut self, ended: &mut Vec<Vm>) {
        let end_s = round_i64(self.options.window_days * DAY_S);
        let mut now_s = -round_i64(self.options.warm_up_days * DAY_S);
        while now_s < end_s {
            let target_gib = self.target_gib(now_s as f64);
            self.end_vms(now_s, target_gib, ended);
            self.start_vms(now_s, target_gib);
            now_s += i64::from(self.options.tick_s);
        }
        ended.extend(self.alive.iter().map(|(vm, _)| *vm));
        // What ended before the window is of no use to anyone.
        ended.retain(|vm| vm.end_s > 0);
    }

    fn load(&self, now_s: f64) -> f64 {
        let way = ((now_s - self.drawn_s) / (self.options.ramp_h * HOUR_S)).min(1.0);
        self.loads.0 + (self.loads.1 - self.loads.0) * way
    }

    fn target_gib(&mut self, now_s: f64) -> f64 {
        while now_s >= self.next_draw_s {
            self.loads = (self.load(self.next_draw_s), self.laws.load.sample(&mut self.rng));
            self.drawn_s = self.next_draw_s;
            self.next_draw_s += self.laws.hold_s.sample(&mut self.rng);
        }
        let day = (now_s / DAY_S * std::f64::consts::TAU).sin();
        let share = self.load(now_s) * self.factor * (1.0 + self.options.daily_swing * day);
        share.min(1.0) * f64::from(self.options.server_gib)
    }

    /// Ends what has lived its life, then random VMs while above the target.
    fn end_vms(&mut self, now_s: i64, target_gib: f64, ended: &mut Vec<Vm>) {
        let used_gib = &mut self.used_gib;
        self.alive.retain(|(vm, gib)| {
            let stays = vm.end_s > now_s;
            if !stays {
                *used_gib -= gib;
                ended.push(*vm);
            }
            stays
        });
        while f64::from(self.used_gib) > target_gib && !self.alive.is_empty() {
            let unlucky = self.rng.random_range(0..self.alive.len());
            let (vm, gib) = self.alive.swap_remove(unlucky);
            self.used_gib -= gib;
            // A VM started at this tick has not lived at all.
            if vm.start_s < now_s {
                ended.push(Vm { end_s: now_s, ..vm });
            }
        }
    }

    /// Starts VMs until one does not fit under the target.
    fn start_vms(&mut self, now_s: i64, target_gib: f64) {
        loop {
            let waiting = self.waiting.take().filter(|(_, until_s)| *until_s > now_s);
            let (gib, until_s) = waiting.unwrap_or_else(|| {
                let gib = self.options.sizes[self.laws.size.sample(&mut self.rng)].gib;
                (gib, now_s + round_i64(self.options.patience_h * HOUR_S))
            });
            if f64::from(self.used_gib) + f64::from(gib) > target_gib {
                self.waiting = Some((gib, until_s));
                return;
            }
            let short = self.rng.random_bool(self.options.short_share);
            let law = if short { &self.laws.short_s } else { &self.laws.long_s };
            let life_s = round_i64(law.sample(&mut self.rng)).clamp(1, MAX_TIME_S);
            let cores = u64::from(gib) * u64::from(self.options.server_cores)
                / u64::from(self.options.server_gib);
            let vm = Vm {
                start_s: now_s,
                end_s: now_s + life_s,
                memory_gib: f64::from(gib),
                cores: u32::try_from(cores).unwrap_or(u32::MAX),
                server: Some(self.number),
                censored: false,
            };
            self.alive.push((vm, gib));
            self.used_gib += gib;
        }
    }
}
