//! The external wiring of a blueprint, found for large expansion.

use std::collections::BTreeSet;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Blueprint;
use super::local_search::{Seat, Seating};
use crate::expansion::small_neighborhoods;
use crate::{Error, Result, ServerId, Topology};

/// Annealing runs that look for a set below a goal, in each turn.
const QUICK_RESTARTS: u32 = 16;
/// And before a pod is believed to meet its goals.
const LAST_RESTARTS: u32 = 256;

/// The expansion a pod shall have: any `k` servers reach `mpds` MPDs or more.
///
/// ```
/// use octopus_design::pod::Goal;
/// let goal = Goal { k: 16, mpds: 68 };
/// assert_eq!(goal.mpds, 68);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Goal {
    /// How many servers are hot.
    pub k: usize,
    /// The MPDs they shall reach together.
    pub mpds: usize,
}

/// Chooses the servers of a blueprint's external MPDs.
///
/// The search is guided by counterexamples: it anneals until no two servers
/// share two MPDs, every server meets every island, and every set on a list
/// reaches as many MPDs as its goal asks; then it looks for sets that do not,
/// puts them on the list, and starts again from where it stands. All choices
/// respect the blueprint's symmetry.
///
/// That no such set was found is no proof: [`crate::expansion`] proves it.
///
/// # Errors
///
/// [`Error::NotFound`] after `budget` steps.
///
/// # Examples
///
/// ```
/// use octopus_design::{pod, verify};
///
/// let pod = pod::find(&pod::octopus_96_blueprint()?, &[], 1, 1_000_000)?;
/// assert!(verify::octopus(&pod, 6, 5).passed());
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn find(blueprint: &Blueprint, goals: &[Goal], seed: u64, budget: u64) -> Result<Topology> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut search = Search::new(blueprint, &mut rng)?;
    let mut steps = 0;
    while steps < budget {
        steps += search.anneal(budget - steps, &mut rng);
        if search.cost() > 0 {
            break;
        }
        let pod = search.pod()?;
        if search.list_counterexamples(&pod, goals, QUICK_RESTARTS, rng.random())
            && search.list_counterexamples(&pod, goals, LAST_RESTARTS, rng.random())
        {
            return Ok(pod);
        }
    }
    let what = format!("a wiring of {} that meets {} goals", blueprint.name(), goals.len());
    Err(Error::NotFound { what, budget, seed })
}

/// A set of servers that reached too few MPDs once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Counterexample {
    servers: Vec<usize>,
    /// External MPDs it has to reach; the others are fixed with the islands.
    external: u32,
}

struct Search<'b> {
    blueprint: &'b Blueprint,
    seating: Seating,
    /// Seats of one island in one round.
    classes: Vec<Vec<Seat>>,
    /// `[mpd][seat][element]`: the seat's image.
    images: Vec<Vec<Vec<Seat>>>,
    listed: BTreeSet<Counterexample>,
}

impl<'b> Search<'b> {
    fn new(blueprint: &'b Blueprint, rng: &mut ChaCha8Rng) -> Result<Self> {
        let size = blueprint.island().points();
        let patterns = blueprint.patterns();
        let servers = blueprint.servers();
        let images: Vec<Vec<Vec<Seat>>> = (0..patterns.len())
            .map(|mpd| {
                (0..patterns[mpd].len()).map(|seat| seat_images(blueprint, mpd, seat)).collect()
            })
            .collect();
        let a_round = patterns.len() / blueprint.rounds();
        let mut classes = Vec::new();
        let mut mpds: Vec<Vec<usize>> =
            patterns.iter().map(|p| vec![usize::MAX; p.len()]).collect();
        for round in 0..blueprint.rounds() {
            for island in 0..blueprint.islands() {
                let in_round = round * a_round..(round + 1) * a_round;
                let seats: Vec<Seat> = in_round
                    .filter_map(|mpd| Some((mpd, patterns[mpd].binary_search(&island).ok()?)))
                    .collect();
                // servers not seated yet; a seat and a server bring their images
                let taken = |mpds: &[Vec<usize>]| -> BTreeSet<usize> {
                    seats.iter().map(|&(mpd, seat)| mpds[mpd][seat]).collect()
                };
                let mut servers: Vec<usize> = (island * size..(island + 1) * size).collect();
                servers.shuffle(rng);
                for &(mpd, seat) in &seats {
                    if mpds[mpd][seat] != usize::MAX {
                        continue;
                    }
                    let taken = taken(&mpds);
                    let Some(&server) = servers.iter().find(|server| !taken.contains(server))
                    else {
                        return Err(Error::Impossible {
                            reason: "the symmetry leaves a seat empty".to_owned(),
                        });
                    };
                    for (element, &image) in
                        blueprint.symmetry().elements().iter().zip(&images[mpd][seat])
                    {
                        mpds[image.0][image.1] = element[server];
                    }
                }
                classes.push(seats);
            }
        }
        let island_of = (0..servers).map(|server| server / size).collect();
        let seating = Seating::new(mpds, servers, 1, Some(island_of));
        Ok(Self { blueprint, seating, classes, images, listed: BTreeSet::new() })
    }

    fn cost(&self) -> i64 {
        self.seating.cost * 2 + self.shortfall()
    }

    /// How many MPDs the listed sets lack.
    fn shortfall(&self) -> i64 {
        let mut reached = vec![0_u128; self.blueprint.servers()];
        for (mpd, servers) in self.seating.mpds.iter().enumerate() {
            for &server in servers {
                reached[server] |= 1 << mpd;
            }
        }
        let lack = |set: &Counterexample| {
            let union = set.servers.iter().fold(0, |union, &server| union | reached[server]);
            i64::from(set.external.saturating_sub(union.count_ones()))
        };
        self.listed.iter().map(lack).sum()
    }

    /// Anneals until nothing is wrong; returns the steps spent.
    fn anneal(&mut self, budget: u64, rng: &mut ChaCha8Rng) -> u64 {
        const HOT: f64 = 1.0;
        const COLD: f64 = 0.25;
        const PERIOD: u64 = 200_000;
        let (mut cost, mut temperature) = (self.cost(), HOT);
        for step in 0..budget {
            if cost == 0 {
                return step;
            }
            temperature =
                if step.is_multiple_of(PERIOD) { HOT } else { (temperature * 0.9999).max(COLD) };
            let class = &self.classes[rng.random_range(0..self.classes.len())];
            let [a, b] = [0, 1].map(|_| class[rng.random_range(0..class.len())]);
            let Some(swaps) = self.swaps(a, b) else { continue };
            self.exchange(&swaps);
            let after = self.cost();
            let worse = after - cost;
            if worse > 0 && rng.random::<f64>() >= (-(worse as f64) / temperature).exp() {
                self.exchange(&swaps);
            } else {
                cost = after;
            }
        }
        budget
    }

    /// The exchange of two seats' servers with its images, if that keeps the
    /// symmetry: a seat that is the other's image has to be so both ways.
    fn swaps(&self, a: Seat, b: Seat) -> Option<Vec<(Seat, Seat)>> {
        let (of_a, of_b) = (&self.images[a.0][a.1], &self.images[b.0][b.1]);
        if a == b || of_a.iter().zip(of_b).any(|(x, y)| *x == b && *y != a) {
            return None;
        }
        let pairs = of_a.iter().zip(of_b).map(|(&x, &y)| (x.min(y), x.max(y)));
        let mut pairs: Vec<(Seat, Seat)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        Some(pairs)
    }

    /// Makes exchanges; made again, they are undone.
    fn exchange(&mut self, swaps: &[(Seat, Seat)]) {
        for &(a, b) in swaps {
            self.seating.swap(a, b);
        }
    }

    fn pod(&self) -> Result<Topology> {
        let blueprint = self.blueprint;
        let (island, size) = (blueprint.island(), blueprint.island().points());
        let mut mpds: Vec<Vec<usize>> = Vec::new();
        for i in 0..blueprint.islands() {
            mpds.extend(island.blocks().iter().map(|b| b.iter().map(|p| i * size + p).collect()));
        }
        mpds.extend(self.seating.mpds.iter().cloned());
        let server_ports = island.replication() + blueprint.rounds();
        let pod = Topology::new(
            blueprint.name(),
            server_ports,
            island.block_size(),
            blueprint.servers(),
            mpds,
        )?;
        pod.with_islands((0..blueprint.islands()).map(|i| i * size..(i + 1) * size))
    }

    /// Looks for sets that miss a goal and lists them with their images;
    /// returns whether there are none.
    fn list_counterexamples(
        &mut self,
        pod: &Topology,
        goals: &[Goal],
        restarts: u32,
        seed: u64,
    ) -> bool {
        let internal = pod.mpds() - self.blueprint.patterns().len();
        let mut met = true;
        for goal in goals {
            for servers in small_neighborhoods(pod, goal.k, restarts, seed) {
                let reached = pod.neighborhood(&servers);
                if reached >= goal.mpds {
                    continue;
                }
                met = false;
                let inside = |mpd: &usize| servers.iter().any(|&s| pod.mpd_mask(s)[*mpd]);
                let fixed = (0..internal).filter(inside).count();
                let external = u32::try_from(goal.mpds.saturating_sub(fixed)).unwrap_or(u32::MAX);
                let servers = servers.into_iter().map(ServerId::index).collect();
                self.listed.insert(Counterexample { servers, external });
            }
        }
        met
    }
}

/// Where each symmetry sends a seat: the MPD's image, and on it the seat of
/// the image of the island.
fn seat_images(blueprint: &Blueprint, mpd: usize, seat: usize) -> Vec<Seat> {
    let (servers, size) = (blueprint.servers(), blueprint.island().points());
    let island = blueprint.patterns()[mpd][seat];
    let elements = blueprint.symmetry().elements().iter();
    let image = |element: &Vec<usize>| {
        let mpd = element[servers + mpd] - servers;
        let island = element[island * size] / size;
        // the blueprint made sure that the image MPD has the image island
        (mpd, blueprint.patterns()[mpd].partition_point(|&i| i < island))
    };
    elements.map(image).collect()
}
