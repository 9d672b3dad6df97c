//! Witness and proof for one k after another.

use std::ops::ControlFlow::{self, Continue};
use std::sync::atomic::{AtomicBool, AtomicU64};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::anneal::anneal;
use super::exhaustive;
use super::graph::Graph;
use super::search::{End, Limit, Outcome, Plan, Walk};
use super::symmetry::Group;
use super::{Expansion, Options, Progress};
use crate::{ServerId, Topology};

/// Parts that are searched between two looks at the budget. Fixed, so that
/// where a search ends does not depend on the number of threads.
const BATCH: usize = 512;
/// A search is not split into more parts than this, which are kept at once.
const MAX_PARTS: usize = 1 << 22;

type Observer<'o> = dyn FnMut(&Progress<'_>) -> ControlFlow<()> + 'o;

/// The state between one k and the next.
pub(super) struct Prover<'o> {
    graph: Graph,
    group: Group,
    options: &'o Options,
    pool: Option<rayon::ThreadPool>,
    /// `[k]`: proved lower bounds so far, from k = 0.
    pub(super) least: Vec<usize>,
    /// The last witness, from which the next one is tried.
    last: Vec<usize>,
    /// In a small pod: all answers at once.
    all: Option<Vec<(usize, u32)>>,
    late: AtomicBool,
}

/// How the search for one target ended.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    visited: u64,
    flow: ControlFlow<()>,
}

impl<'o> Prover<'o> {
    /// The quickest way for this pod: every subset of a small one, a search up
    /// to symmetry in others.
    pub(super) fn new(topology: &Topology, options: &'o Options) -> Self {
        let graph = Graph::new(topology);
        let is_small = exhaustive::is_small(&graph);
        let group = if is_small || !graph.is_searchable() {
            Group::trivial(graph.servers())
        } else {
            Group::of(&graph)
        };
        let mut prover = Self::searching(graph, group, options);
        if is_small {
            let every_subset = || exhaustive::least_neighborhoods(&prover.graph);
            prover.all = Some(install(prover.pool.as_ref(), every_subset));
        }
        prover
    }

    /// By search, whatever the pod's size. The group is of the pod's symmetries.
    pub(super) fn searching(graph: Graph, group: Group, options: &'o Options) -> Self {
        // without threads of its own the prover works on the caller's
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.jobs).build().ok();
        let late = AtomicBool::new(false);
        Self { graph, group, options, pool, least: vec![0], last: Vec::new(), all: None, late }
    }

    /// Takes a bound from an earlier run as proved.
    pub(super) fn believe(&mut self, known: &Expansion) {
        self.least.push(known.lower);
        let servers = self.graph.servers();
        let witness = known.witness.iter().map(|server| server.index());
        self.last = witness.filter(|&server| server < servers).take(known.k).collect();
    }

    fn is_late(&self) -> bool {
        let spent = AtomicU64::new(0);
        let (work, deadline, late) = (0, self.options.deadline, &self.late);
        Limit { work, spent: &spent, deadline, late }.is_late()
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
        // the target that would settle e_k first; if it is too hard, easier
        // ones with half the work each, so that no k takes more than double
        let mut target = upper.checked_sub(1);
        let mut work = self.options.work_per_k;
        while let Some(aim) = target
            && aim >= lower
            && flow.is_continue()
            && !self.is_late()
        {
            let attempt = self.attempt(k, aim, work, observe);
            visited += attempt.visited;
            flow = attempt.flow;
            match attempt.outcome {
                Outcome::Exhausted => lower = aim + 1,
                Outcome::Found(servers) => {
                    upper = self.graph.neighborhood(&servers);
                    witness = servers;
                    target = upper.checked_sub(1);
                }
                Outcome::Cut => {
                    target = aim.checked_sub(1);
                    work /= 2;
                }
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
            let start: &[usize] = if restart.is_multiple_of(2) { &self.last } else { &[] };
            anneal(&self.graph, k, start, self.is_late(), &mut rng)
        };
        let restarts = self.options.restarts.max(1);
        let runs: Vec<(usize, Vec<usize>)> =
            install(self.pool.as_ref(), || (0..restarts).into_par_iter().map(run).collect());
        runs.into_iter().min().unwrap_or_default()
    }

    /// What the bounds for smaller k and the degrees say of `e_k`.
    pub(super) fn bound_from_smaller(&self, k: usize) -> usize {
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
        let mut widths: Vec<usize> = self.graph.servers_of.iter().map(Vec::len).collect();
        widths.retain(|&width| width > 0);
        widths.sort_unstable();
        let widest = widths.last().map_or(1, |&width| width.min(k));
        // an MPD is missed only if all its servers are among the others, and
        // those have so many links
        let (others, mut spare) = (degrees.len() - k, degrees[k..].iter().sum::<usize>());
        let is_missed = |&&width: &&usize| {
            let fits = width <= others && width <= spare;
            spare = spare.saturating_sub(width);
            fits
        };
        let missed = widths.iter().take_while(is_missed).count();
        bound.max(links.div_ceil(widest)).max(widths.len() - missed)
    }

    /// Looks for k servers that reach at most `target` MPDs, among `work` sets.
    pub(super) fn attempt(
        &self,
        k: usize,
        target: usize,
        work: u64,
        observe: &mut Observer<'_>,
    ) -> Attempt {
        let ended = |outcome, visited, flow| Attempt { outcome, visited, flow };
        let searchable = self.graph.is_searchable();
        let plan = Plan::new(&self.graph, &self.group, k, target, &self.least);
        let Some(plan) = plan.filter(|_| searchable) else {
            return ended(Outcome::Cut, 0, Continue(()));
        };
        let spent = AtomicU64::new(0);
        let (deadline, late) = (self.options.deadline, &self.late);
        let limit = Limit { work, spent: &spent, deadline, late };
        let (End { outcome, mut visited }, parts) = self.split(&plan, k, limit);
        if outcome != Outcome::Exhausted {
            return ended(outcome, visited.min(work), Continue(()));
        }
        let mut flow = Continue(());
        for (index, batch) in parts.chunks(BATCH).enumerate() {
            let walk = |set: &Vec<usize>| Walk::new(&plan, limit).run(set);
            let ends: Vec<End> =
                install(self.pool.as_ref(), || batch.par_iter().map(walk).collect());
            visited += ends.iter().map(|end| end.visited).sum::<u64>();
            // spent or not does not depend on the threads, and neither does
            // which part is the first to find something, so nor does this
            if limit.is_spent() || limit.is_late() {
                return ended(Outcome::Cut, visited.min(work), flow);
            }
            if let Some(end) = ends.into_iter().find(|end| end.outcome != Outcome::Exhausted) {
                return ended(end.outcome, visited, Continue(()));
            }
            let done = (index * BATCH + batch.len()).min(parts.len());
            let upper = target + 1;
            let progress = Progress::Searching { k, upper, done, parts: parts.len(), visited };
            flow = observe(&progress);
            if done < parts.len() && flow.is_break() {
                return ended(Outcome::Cut, visited, flow);
            }
        }
        ended(Outcome::Exhausted, visited, flow)
    }

    /// The roots of subtrees to be searched apart, which a walk may already
    /// have been through.
    fn split(&self, plan: &Plan<'_>, k: usize, limit: Limit<'_>) -> (End, Vec<Vec<usize>>) {
        let mut total = 0;
        let mut parts = vec![Vec::new()];
        for size in 1..=part_size(k) {
            if parts.len() * self.graph.servers() > MAX_PARTS {
                break;
            }
            let mut longer = Vec::new();
            for part in &parts {
                let (End { outcome, visited }, mut below) =
                    Walk::new(plan, limit).frontier(part, size);
                total += visited;
                let outcome = if limit.is_spent() { Outcome::Cut } else { outcome };
                if outcome != Outcome::Exhausted {
                    return (End { outcome, visited: total }, Vec::new());
                }
                longer.append(&mut below);
            }
            parts = longer;
        }
        (End { outcome: Outcome::Exhausted, visited: total }, parts)
    }
}

/// How many servers are fixed in each part of a search: fewer than k − 1, the
/// size at which a walk ends.
fn part_size(k: usize) -> usize {
    if k > 12 { 4 } else { 3.min(k.saturating_sub(2)) }
}

fn install<T: Send>(pool: Option<&rayon::ThreadPool>, work: impl FnOnce() -> T + Send) -> T {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
