//! The proof: a reverse search over every set that is tight enough.
//!
//! Reverse search (Avis and Fukuda, "Reverse search for enumeration", 1996)
//! visits a tree of sets without remembering any. The parent of a set is the
//! set without the server that alone reaches the most MPDs, so every set below
//! a target has a chain of parents that keeps the rules of
//! [`super::bound`]. Sets that a symmetry of the pod maps onto each other are
//! visited once: the choice among equals is made on a canonical image
//! (McKay, "Isomorph-free exhaustive generation", 1998).

use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::bound::Tightness;
use super::graph::{Cover, Graph};
use super::symmetry::Group;

/// How often a walk reports its work and looks at the clock, in sets.
const REPORT_PERIOD: u64 = 1 << 10;

/// The question: do some `k` servers reach at most `target` MPDs?
#[derive(Debug)]
pub(super) struct Plan<'g> {
    graph: &'g Graph,
    group: &'g Group,
    k: usize,
    target: usize,
    tightness: Tightness,
    /// `[r]`: the most MPDs that r < k servers save by sharing, proved.
    most_saved: Vec<usize>,
}

impl<'g> Plan<'g> {
    /// `least[j]` is a proved lower bound of `e_j`, for each j < k. None where
    /// the pod's degrees are too large for the tables.
    pub(super) fn new(
        graph: &'g Graph,
        group: &'g Group,
        k: usize,
        target: usize,
        least: &[usize],
    ) -> Option<Self> {
        let (degree, shared) = (graph.max_degree, graph.max_shared);
        let most_saved = least[..k].iter().enumerate();
        let most_saved = most_saved.map(|(r, least)| (r * degree).saturating_sub(*least)).collect();
        let tightness = Tightness::new(k, target, degree, shared)?;
        Some(Self { graph, group, k, target, tightness, most_saved })
    }
}

/// When a walk has to end although it is not through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit<'s> {
    /// Sets that all walks together may visit.
    pub(super) work: u64,
    /// Sets that they have reported so far.
    pub(super) spent: &'s AtomicU64,
    pub(super) deadline: Option<Instant>,
    /// Shared by all walks: one that meets the deadline stops the others.
    pub(super) late: &'s AtomicBool,
}

impl Limit<'_> {
    /// Whether the deadline is past; once seen by one, past for all.
    pub(super) fn is_late(&self) -> bool {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.late.store(true, Relaxed);
        }
        self.late.load(Relaxed)
    }

    /// Whether the walks have visited more than they may. If they are all
    /// through with it, this does not depend on who came when.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.load(Relaxed) > self.work
    }
}

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// No set below the start meets the target: proved.
    Exhausted,
    /// These servers do.
    Found(Vec<usize>),
    /// Neither, when the limit was met.
    Cut,
}

/// How a walk ended, and after how many sets.
#[derive(Debug)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) visited: u64,
}

/// One walk through a subtree.
#[derive(Debug)]
pub(super) struct Walk<'p> {
    plan: &'p Plan<'p>,
    limit: Limit<'p>,
    cover: Cover<'p>,
    visited: u64,
    outcome: Outcome,
    /// Sets of this size are handed out instead of being searched.
    frontier_size: usize,
    frontier: Vec<Vec<usize>>,
    /// One list a level, kept to spare allocations.
    candidates: Vec<Vec<usize>>,
    /// The set's image under each symmetry, as bits; none where there is only
    /// the identity.
    images: Vec<u64>,
    /// Words of an image.
    words: usize,
    /// Room for the settling of a tie: the servers in it and the least image.
    equals: Vec<usize>,
    least_image: Vec<u64>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(plan: &'p Plan<'p>, limit: Limit<'p>) -> Self {
        let words = plan.graph.servers().div_ceil(64);
        let elements = plan.group.elements().len();
        Self {
            plan,
            limit,
            cover: Cover::new(plan.graph),
            visited: 0,
            outcome: Outcome::Exhausted,
            frontier_size: usize::MAX,
            frontier: Vec::new(),
            candidates: vec![Vec::new(); plan.k],
            equals: Vec::new(),
            images: vec![0; if plan.group.is_trivial() { 0 } else { elements * words }],
            words,
            least_image: vec![0; words],
        }
    }

    /// The roots at `size` of the subtrees below a set, each in its order of
    /// arrival.
    pub(super) fn frontier(mut self, set: &[usize], size: usize) -> (End, Vec<Vec<usize>>) {
        self.frontier_size = size;
        self.walk(set);
        (End { outcome: self.outcome, visited: self.visited }, self.frontier)
    }

    /// Searches everything below a set.
    pub(super) fn run(mut self, set: &[usize]) -> End {
        self.walk(set);
        End { outcome: self.outcome, visited: self.visited }
    }

    fn walk(&mut self, set: &[usize]) {
        for &server in set {
            self.insert(server);
        }
        let last = set.last().map_or(0, |&server| usize::from(self.cover.private[server]));
        self.visit(last);
        self.limit.spent.fetch_add(self.visited % REPORT_PERIOD, Relaxed);
    }

    fn insert(&mut self, server: usize) {
        self.cover.insert(server);
        self.mark_images(server);
    }

    fn pop(&mut self) {
        if let Some(&server) = self.cover.members.last() {
            self.mark_images(server);
        }
        self.cover.pop();
    }

    /// Puts the images of a server into the images of the set, or takes them
    /// out.
    fn mark_images(&mut self, server: usize) {
        let images = self.images.chunks_exact_mut(self.words);
        for (image, element) in images.zip(self.plan.group.elements()) {
            image[element[server] / 64] ^= 1 << (element[server] % 64);
        }
    }

    fn over_limit(&mut self) -> bool {
        if !self.visited.is_multiple_of(REPORT_PERIOD) {
            return self.visited > self.limit.work;
        }
        self.limit.spent.fetch_add(REPORT_PERIOD, Relaxed);
        self.limit.is_spent() || self.limit.is_late()
    }

    /// Visits the set in `cover`, whose last server alone reaches `last` MPDs.
    fn visit(&mut self, last: usize) {
        self.visited += 1;
        if self.over_limit() {
            self.outcome = Outcome::Cut;
            return;
        }
        let size = self.cover.members.len();
        if size + 1 == self.plan.k {
            self.finish();
            return;
        }
        if size == self.frontier_size {
            self.frontier.push(self.cover.members.clone());
            return;
        }
        if self.hopeless(last) {
            return;
        }
        let mut candidates = std::mem::take(&mut self.candidates[size]);
        self.collect_candidates(last, &mut candidates);
        for &server in &candidates {
            if self.is_child(server) {
                let fresh = usize::from(self.cover.fresh[server]);
                self.insert(server);
                self.visit(fresh);
                self.pop();
                if self.outcome != Outcome::Exhausted {
                    break;
                }
            }
        }
        self.candidates[size] = candidates;
    }

    /// One server short of k: the one with the fewest new MPDs is the best.
    fn finish(&mut self) {
        let servers = 0..self.plan.graph.servers();
        if let Some(last) = servers.min_by_key(|&s| self.cover.fresh[s])
            && self.cover.reached + usize::from(self.cover.fresh[last]) <= self.plan.target
        {
            let mut set = self.cover.members.clone();
            set.push(last);
            set.sort_unstable();
            self.outcome = Outcome::Found(set);
        }
    }

    /// Whether no `rest` servers can be added within the target.
    ///
    /// Their fresh MPDs now, less what the servers can save among themselves,
    /// are a lower bound on what they add; so is, step by step, what the rules
    /// of [`super::bound`] ask of each.
    fn hopeless(&self, last: usize) -> bool {
        let plan = self.plan;
        let size = self.cover.members.len();
        let rest = plan.k - size;
        let Some(&most_saved) = plan.most_saved.get(rest) else {
            return false;
        };
        let (least_fresh, sum) = self.fewest_fresh(rest);
        if self.cover.reached + sum > plan.target + most_saved {
            return true;
        }
        let (degree, shared) = (plan.graph.max_degree, plan.graph.max_shared);
        let (mut reached, mut private) = (self.cover.reached, last);
        for step in 0..rest {
            let j = size + step + 1;
            let spare = (2 * reached + self.cover.surplus).saturating_sub(j * degree);
            let from_average = if j > 2 { spare.div_ceil(j - 2) } else { 0 };
            private = private
                .saturating_sub(shared)
                .max(from_average)
                .max(least_fresh.saturating_sub(step * shared));
            reached += private;
            if reached > plan.target {
                return true;
            }
        }
        false
    }

    /// The least number of fresh MPDs of a server outside, and the sum of the
    /// `rest` least.
    fn fewest_fresh(&self, rest: usize) -> (usize, usize) {
        let (mut least, mut sum, mut need) = (None, 0, rest);
        for value in 0..=self.cover.max_degree() {
            let servers = usize::from(self.cover.servers_with_fresh(value));
            if servers > 0 {
                least.get_or_insert(usize::from(value));
                sum += servers.min(need) * usize::from(value);
                need -= servers.min(need);
                if need == 0 {
                    break;
                }
            }
        }
        (least.unwrap_or(0), sum)
    }

    /// Servers whose arrival may leave the set tight with this set its parent,
    /// judged by their fresh MPDs alone.
    fn collect_candidates(&self, last: usize, out: &mut Vec<usize>) {
        out.clear();
        let size = self.cover.members.len() + 1;
        let tight = |&fresh: &u16| {
            let most = self.plan.tightness.most(size, usize::from(fresh), self.cover.surplus);
            i32::try_from(self.cover.reached + usize::from(fresh)).is_ok_and(|n| n <= most)
        };
        // whoever reaches more MPDs alone than the server that arrives has to
        // share the excess with it
        let shareable = |&fresh: &u16| {
            let excess = |&m: &usize| usize::from(self.cover.private[m].saturating_sub(fresh));
            let excess: usize = self.cover.members.iter().map(excess).sum();
            excess <= usize::from(self.cover.max_degree() - fresh)
        };
        let floor =
            u16::try_from(last.saturating_sub(self.plan.graph.max_shared)).unwrap_or(u16::MAX);
        let range = || floor..=self.cover.max_degree();
        let (first, most) = (range().find(shareable), range().rev().find(tight));
        if let (Some(first), Some(most)) = (first, most)
            && first <= most
        {
            self.cover.collect_fresh(first, most, out);
        }
    }

    /// Whether the set with `server` is tight and this set is its parent.
    fn is_child(&mut self, server: usize) -> bool {
        let plan = self.plan;
        let fresh = self.cover.fresh[server];
        let crowded = |&&mpd: &&usize| self.cover.count[mpd] > 1;
        let crowded = plan.graph.mpds_of[server].iter().filter(crowded).count();
        let surplus = self.cover.surplus + plan.graph.deficit(server) + crowded;
        let reached = self.cover.reached + usize::from(fresh);
        let most = plan.tightness.most(self.cover.members.len() + 1, usize::from(fresh), surplus);
        if i32::try_from(reached).map_or(true, |reached| reached > most) {
            return false;
        }
        self.cover.try_on(server);
        let members = self.cover.members.iter();
        let highest = members.map(|&m| self.cover.private[m]).max();
        let is_child = match highest.map(|highest| fresh.cmp(&highest)) {
            None | Some(Ordering::Greater) => true,
            Some(Ordering::Equal) => self.wins_tie(server),
            Some(Ordering::Less) => false,
        };
        self.cover.take_off(server);
        is_child && self.is_first_of_its_kind(server)
    }

    /// Whether `server`, tried on, is the one to be taken away first from the
    /// set with it, among the members that reach as many MPDs alone.
    fn wins_tie(&mut self, server: usize) -> bool {
        let fresh = self.cover.fresh[server];
        let cover = &self.cover;
        let mut tied = cover.members.iter().copied().filter(|&m| cover.private[m] == fresh);
        let graph = self.plan.graph;
        if self.plan.group.is_trivial() {
            return tied.all(|m| m < server);
        }
        // the symmetries cannot change how crowded a server's MPDs are, so
        // this settles most ties without looking at them
        let crowd = |s: usize| -> usize {
            let counts = graph.mpds_of[s].iter().map(|&mpd| usize::from(cover.count[mpd]));
            counts.map(|count| count * count).sum()
        };
        let own = crowd(server);
        self.equals.clear();
        self.equals.push(server);
        for member in tied {
            match crowd(member).cmp(&own) {
                Ordering::Greater => return false,
                Ordering::Equal => self.equals.push(member),
                Ordering::Less => {}
            }
        }
        self.equals.len() == 1 || self.wins_on_canonical_image(server)
    }

    /// The tie among `equals` goes to the server with the least number in a
    /// least image of the set.
    fn wins_on_canonical_image(&mut self, server: usize) -> bool {
        let (mut best, mut own) = (usize::MAX, usize::MAX);
        self.least_image.fill(u64::MAX);
        let images = self.images.chunks_exact(self.words);
        for (image, element) in images.zip(self.plan.group.elements()) {
            let (word, bit) = (element[server] / 64, 1 << (element[server] % 64));
            let with_server = || {
                let words = image.iter().enumerate();
                words.map(|(at, &members)| if at == word { members | bit } else { members })
            };
            match with_server().cmp(self.least_image.iter().copied()) {
                Ordering::Greater => continue,
                Ordering::Equal => {}
                Ordering::Less => {
                    for (least, image) in self.least_image.iter_mut().zip(with_server()) {
                        *least = image;
                    }
                    (best, own) = (usize::MAX, usize::MAX);
                }
            }
            best = self.equals.iter().map(|&s| element[s]).fold(best, usize::min);
            own = own.min(element[server]);
        }
        own == best
    }

    /// Of the servers that symmetries of this set map onto each other, only
    /// the first makes a child.
    fn is_first_of_its_kind(&self, server: usize) -> bool {
        let keeps_set = |element: &Vec<usize>| {
            self.cover.members.iter().all(|&m| self.cover.is_member[element[m]])
        };
        let others = &self.plan.group.elements()[1..];
        !others.iter().any(|element| element[server] < server && keeps_set(element))
    }
}
