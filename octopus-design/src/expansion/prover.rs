//! Witness and proof for one k after another.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::anneal::anneal;
use super::exhaustive;
use super::graph::Graph;
use super::search::{Limit, Outcome, Plan, Walk};
use super::symmetry::Group;
use super::{Expansion, Options, Progress};
use crate::{ServerId, Topology};

/// Parts that are searched between two looks at the budget. Fixed, so that
/// where a search ends does not depend on the number of threads.
const BATCH: usize = 512;

type Observer<'o> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'o;

/// The state between one k and the next.
pub(super) struct Prover<'o> {
    graph: Graph,
    group: Group,
    options: &'o Options,
    pool: Option<rayon::ThreadPool>,
    /// `[k]`: proved lower bounds so far, from k = 0.
    least: Vec<usize>,
    /// The last witness, from which the next one is tried.
    last: Vec<usize>,
    /// In a small pod: all answers at once.
    all: Option<Vec<(usize, u32)>>,
    late: AtomicBool,
}

/// How the search for one target ended.
struct Attempt {
    outcome: Outcome,
    visited: u64,
    flow: ControlFlow<()>,
}

impl<'o> Prover<'o> {
    pub(super) fn new(topology: &Topology, options: &'o Options) -> Self {
        let graph = Graph::new(topology);
        // without threads of its own the prover works on the caller's
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build().ok();
        let small = graph.servers() <= exhaustive::MAX_SERVERS;
        let all = small.then(|| install(pool.as_ref(), || exhaustive::least_neighborhoods(&graph)));
        let group = if small || !graph.is_searchable() {
            Group::trivial(graph.servers())
        } else {
            Group::of(&graph)
        };
        let late = AtomicBool::new(false);
        Self { graph, group, options, pool, least: vec![0], last: Vec::new(), all, late }
    }

    /// Bounds `e_k`; every smaller k has been settled before.
    pub(super) fn settle(
        &mut self,
        k: usize,
        observe: &mut Observer<'_>,
    ) -> (Expansion, ControlFlow<()>) {
        let (expansion, flow) = match &self.all {
            Some(all) => (self.read_off(k, all[k]), Continue(())),
            None => self.prove(k, observe),
        };
        self.least.push(expansion.lower);
        let seen = observe(&Progress::Settled(&expansion));
        (expansion, if flow.is_break() { flow } else { seen })
    }

    fn read_off(&self, k: usize, (least, subset): (usize, u32)) -> Expansion {
        let servers = 0..self.graph.servers();
        let witness = servers.filter(|&server| subset >> server & 1 == 1).map(ServerId).collect();
        Expansion { k, lower: least, upper: least, witness, visited: 0 }
    }

    fn prove(&mut self, k: usize, observe: &mut Observer<'_>) -> (Expansion, ControlFlow<()>) {
        let (mut upper, mut witness) = self.witness(k);
        let free = self.bound_from_smaller(k);
        let (mut lower, mut visited, mut flow) = (free, 0, Continue(()));
        // the target that would settle e_k first; easier ones if it is too hard
        let mut target = upper.checked_sub(1);
        while let Some(aim) = target.filter(|&aim| aim >= lower && flow.is_continue()) {
            let attempt = self.attempt(k, aim, observe);
            visited += attempt.visited;
            flow = attempt.flow;
            match attempt.outcome {
                Outcome::Exhausted => lower = aim + 1,
                Outcome::Found(servers) => {
                    upper = self.graph.neighborhood(&servers);
                    witness = servers;
                    target = upper.checked_sub(1);
                }
                Outcome::Cut => target = aim.checked_sub(1),
            }
        }
        self.last.clone_from(&witness);
        let witness = witness.into_iter().map(ServerId).collect();
        (Expansion { k, lower, upper, witness, visited }, flow)
    }

    /// The best of several annealing runs; the first of equals.
    fn witness(&self, k: usize) -> (usize, Vec<usize>) {
        if !self.graph.is_searchable() {
            let mut by_degree: Vec<usize> = (0..self.graph.servers()).collect();
            by_degree.sort_by_key(|&server| self.graph.mpds_of[server].len());
            by_degree.truncate(k);
            by_degree.sort_unstable();
            return (self.graph.neighborhood(&by_degree), by_degree);
        }
        let run = |restart: u32| {
            let mut rng = ChaCha8Rng::seed_from_u64(self.options.seed);
            rng.set_stream((k as u64) << 32 | u64::from(restart));
            let start: &[usize] = if restart % 2 == 0 { &self.last } else { &[] };
            anneal(&self.graph, k, start, &mut rng)
        };
        let restarts = self.options.restarts.max(1);
        let runs: Vec<(usize, Vec<usize>)> =
            install(self.pool.as_ref(), || (0..restarts).into_par_iter().map(run).collect());
        runs.into_iter().min().unwrap_or_default()
    }

    /// What the bounds for smaller k and the degrees say of `e_k`.
    fn bound_from_smaller(&self, k: usize) -> usize {
        let before = self.least[k - 1];
        let degree = self.graph.max_degree;
        // a server that alone reaches the most MPDs leaves k − 1 servers, and
        // those reach `before` at least: see `bound`
        let leaves = |n: usize| n - (2 * n).saturating_sub(k * degree).div_ceil(k);
        let mut bound = before;
        while leaves(bound) < before {
            bound += 1;
        }
        // every MPD takes as many links as it has servers
        let mut degrees: Vec<usize> = self.graph.mpds_of.iter().map(Vec::len).collect();
        degrees.sort_unstable();
        let links: usize = degrees[..k].iter().sum();
        let widest = self.graph.servers_of.iter().map(Vec::len).max().unwrap_or(1).max(1);
        bound.max(links.div_ceil(widest))
    }

    /// Looks for k servers that reach at most `target` MPDs.
    fn attempt(&self, k: usize, target: usize, observe: &mut Observer<'_>) -> Attempt {
        let cut = |visited, flow| Attempt { outcome: Outcome::Cut, visited, flow };
        let searchable = self.graph.is_searchable();
        let plan = Plan::new(&self.graph, &self.group, k, target, &self.least);
        let Some(plan) = plan.filter(|_| searchable) else {
            return cut(0, Continue(()));
        };
        let budget = self.options.work_per_k;
        let limit = |work| Limit { work, deadline: self.options.deadline, late: &self.late };
        let (outcome, mut visited, parts) =
            Walk::new(&plan, limit(budget)).frontier(frontier_size(k));
        if outcome != Outcome::Exhausted {
            return Attempt { outcome, visited, flow: Continue(()) };
        }
        for (index, batch) in parts.chunks(BATCH).enumerate() {
            let share = limit(budget.saturating_sub(visited));
            let walk = |set: &Vec<usize>| Walk::new(&plan, share).run(set);
            let ends: Vec<(Outcome, u64)> =
                install(self.pool.as_ref(), || batch.par_iter().map(walk).collect());
            visited += ends.iter().map(|(_, visited)| visited).sum::<u64>();
            // the first found wins, however the threads came in
            let mut ends = ends.into_iter().map(|(outcome, _)| outcome);
            let news = ends.find(|end| matches!(end, Outcome::Found(_)));
            if let Some(outcome) = news {
                return Attempt { outcome, visited, flow: Continue(()) };
            }
            let done = (index * BATCH + batch.len()).min(parts.len());
            let upper = target + 1;
            let progress = Progress::Searching { k, upper, done, parts: parts.len(), visited };
            let flow = observe(&progress);
            if visited > budget || self.late.load(Relaxed) || flow == Break(()) {
                return cut(visited, flow);
            }
        }
        Attempt { outcome: Outcome::Exhausted, visited, flow: Continue(()) }
    }
}

/// How many servers are fixed in each part of a search.
fn frontier_size(k: usize) -> usize {
    if k > 12 { 4 } else { 3.min(k - 1) }
}

fn install<T: Send>(pool: Option<&rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
