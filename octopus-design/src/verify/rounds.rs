//! Rounds of external MPDs.
//!
//! A split into rounds is a colouring of the external MPDs in which MPDs that
//! share a server differ, with as many colours as a server has external links.
//!
//! # References
//!
//! D. Brélaz, "New methods to color the vertices of a graph", Communications
//! of the ACM 22(4), 1979: colour next what has the fewest colours left.

use super::islands::{Parts, TOO_MANY, low_pairs, unbalanced};
use super::{Outcome, Violation};
use crate::{MpdId, ServerId};

/// MPDs looked at before a search gives up.
const BUDGET: u64 = 1 << 24;
/// Counters of island pairs a search may keep.
const MOST_COUNTERS: usize = 1 << 22;

/// What the rules on rounds found.
pub(super) struct Judged {
    pub(super) split: Outcome,
    pub(super) balance: Outcome,
    pub(super) low_pairs: Outcome,
    pub(super) rounds: Vec<Vec<MpdId>>,
}

impl Judged {
    fn without_rounds(split: Outcome) -> Self {
        let rest = match &split {
            Outcome::NotApplicable(reason) => Outcome::NotApplicable(reason),
            Outcome::Undecided { budget } => Outcome::Undecided { budget: *budget },
            _ => Outcome::NotApplicable("there are no rounds"),
        };
        Self { split, balance: rest.clone(), low_pairs: rest, rounds: Vec::new() }
    }
}

/// Finds the rounds and judges their balance.
pub(super) fn judge(parts: &Parts<'_>) -> Judged {
    let pod = parts.pod;
    if parts.external.is_empty() {
        return Judged::without_rounds(Outcome::NotApplicable("the pod has no external MPDs"));
    }
    if !pod.servers().is_multiple_of(pod.mpd_ports()) {
        let reason = "N does not divide the number of servers";
        return Judged::without_rounds(Outcome::NotApplicable(reason));
    }
    let links = |server| parts.external_mpds_of(server).count();
    let count = links(ServerId(0));
    if let Some(server) = pod.server_ids().find(|&server| links(server) != count) {
        let violation = Violation::UnevenExternal { server, links: links(server), expected: count };
        return Judged::without_rounds(Outcome::Fails(violation));
    }
    match in_order(parts) {
        Ok(rounds) => weigh(parts, rounds, true),
        Err((round, server)) => {
            let balanced = Search::new(parts, count, true).map_or(Answer::GaveUp, Search::run);
            if let Answer::Found(rounds) = balanced {
                return weigh(parts, rounds, true);
            }
            match Search::new(parts, count, false).map_or(Answer::GaveUp, Search::run) {
                Answer::Found(rounds) => weigh(parts, rounds, matches!(balanced, Answer::None)),
                Answer::GaveUp => Judged::without_rounds(Outcome::Undecided { budget: BUDGET }),
                Answer::None => {
                    let violation = Violation::NoRounds { rounds: count, round, server };
                    Judged::without_rounds(Outcome::Fails(violation))
                }
            }
        }
    }
}

/// Takes MPDs in order of id: a round ends when it has used every server. The
/// error is the first server that is used again before that, and the round.
fn in_order(parts: &Parts<'_>) -> Result<Vec<Vec<MpdId>>, (usize, ServerId)> {
    let servers = parts.pod.servers();
    let mut last_used = vec![usize::MAX; servers];
    let mut rounds = vec![Vec::new()];
    let mut used = 0;
    for &mpd in &parts.external {
        if used == servers {
            rounds.push(Vec::new());
            used = 0;
        }
        let round = rounds.len() - 1;
        for server in parts.pod.servers_of(mpd) {
            if std::mem::replace(&mut last_used[server.index()], round) == round {
                return Err((round, server));
            }
            used += 1;
        }
        rounds[round].push(mpd);
    }
    // Every server has equally many external links and none is used twice in a
    // round, so the last round is full as well.
    Ok(rounds)
}

/// Judges the balance of rounds that were found. They are `decisive` unless
/// others may exist, and be balanced, that a search did not reach.
fn weigh(parts: &Parts<'_>, rounds: Vec<Vec<MpdId>>, decisive: bool) -> Judged {
    let mut balance = Outcome::Holds;
    let mut low = Outcome::NotApplicable("all island pairs are equal");
    for (index, round) in rounds.iter().enumerate() {
        let Some(pairs) = parts.external_pairs(round) else {
            return Judged {
                split: Outcome::Holds,
                balance: TOO_MANY,
                low_pairs: TOO_MANY,
                rounds,
            };
        };
        if let Some(violation) = unbalanced(&pairs, Some(index)) {
            balance = Outcome::Fails(violation);
            low = Outcome::NotApplicable("island pairs are not balanced");
            break;
        }
        match low_pairs(&pairs, Some(index)) {
            Outcome::NotApplicable(_) => {}
            outcome if !matches!(low, Outcome::Fails(_)) => low = outcome,
            _ => {}
        }
    }
    if !decisive && matches!(balance, Outcome::Fails(_)) {
        balance = Outcome::Undecided { budget: BUDGET };
        low = Outcome::Undecided { budget: BUDGET };
    }
    Judged { split: Outcome::Holds, balance, low_pairs: low, rounds }
}

/// How a search ended.
enum Answer {
    Found(Vec<Vec<MpdId>>),
    /// The search is complete: there is no such split.
    None,
    /// The budget ran out.
    GaveUp,
}

/// A backtracking search for a split into rounds.
struct Search<'a> {
    parts: &'a Parts<'a>,
    rounds: usize,
    /// By external MPD (by position, as all below): those it shares a server with.
    conflicts: Vec<Vec<usize>>,
    /// By external MPD: its round.
    round_of: Vec<Option<usize>>,
    /// By external MPD and round: how many conflicts are in that round.
    blocked: Vec<Vec<u32>>,
    /// By external MPD: the rounds that none of its conflicts is in.
    options: Vec<usize>,
    /// By round and island pair: the MPDs both share, and the most allowed.
    balance: Option<(Vec<Vec<Vec<u32>>>, u32)>,
    islands_of: Vec<Vec<usize>>,
    looks: u64,
}

impl<'a> Search<'a> {
    /// None where a search cannot end within the budget, or would take more
    /// than [`MOST_COUNTERS`].
    fn new(parts: &'a Parts<'a>, rounds: usize, balanced: bool) -> Option<Self> {
        let external = &parts.external;
        let islands = parts.islands.len();
        let pair_counters = rounds.saturating_mul(islands).saturating_mul(islands);
        let least_looks = (external.len() as u64).pow(2);
        if least_looks > BUDGET || (balanced && pair_counters > MOST_COUNTERS) {
            return None;
        }
        let mut at = vec![Vec::new(); parts.pod.servers()];
        for (position, &mpd) in external.iter().enumerate() {
            parts.pod.servers_of(mpd).for_each(|server| at[server.index()].push(position));
        }
        let conflicts = external.iter().enumerate().map(|(position, &mpd)| {
            let servers = parts.pod.servers_of(mpd);
            let mut met: Vec<usize> = servers.flat_map(|s| at[s.index()].iter().copied()).collect();
            met.sort_unstable();
            met.dedup();
            met.retain(|&other| other != position);
            met
        });
        let islands_of: Vec<Vec<usize>> =
            external.iter().map(|&mpd| parts.islands_of(mpd)).collect();
        let balance = balanced.then(|| {
            let shares: usize =
                islands_of.iter().map(|i| i.len() * i.len().saturating_sub(1)).sum();
            let pairs = rounds * islands * islands.saturating_sub(1);
            // If rounds are alike no pair has more than the average, rounded up.
            let most = u32::try_from(shares.div_ceil(pairs.max(1))).unwrap_or(u32::MAX);
            (vec![vec![vec![0; islands]; islands]; rounds], most)
        });
        Some(Self {
            parts,
            rounds,
            conflicts: conflicts.collect(),
            round_of: vec![None; external.len()],
            blocked: vec![vec![0; rounds]; external.len()],
            options: vec![rounds; external.len()],
            balance,
            islands_of,
            looks: 0,
        })
    }

    fn run(mut self) -> Answer {
        match self.extend(0) {
            Some(true) => {
                let mut rounds = vec![Vec::new(); self.rounds];
                for (round, &mpd) in self.round_of.iter().zip(&self.parts.external) {
                    if let Some(round) = round {
                        rounds[*round].push(mpd);
                    }
                }
                Answer::Found(rounds)
            }
            Some(false) => Answer::None,
            None => Answer::GaveUp,
        }
    }

    /// Whether the MPDs without a round can be given one; none where the
    /// budget ran out. Each level looks at every MPD, so that depth times
    /// number of MPDs is within the budget and the stack stays small.
    fn extend(&mut self, opened: usize) -> Option<bool> {
        self.looks += self.round_of.len() as u64;
        if self.looks > BUDGET {
            return None;
        }
        let open = (0..self.round_of.len()).filter(|&mpd| self.round_of[mpd].is_none());
        let Some(mpd) = open.min_by_key(|&mpd| self.options[mpd]) else {
            return Some(self.is_balanced());
        };
        // Rounds are alike until they are used: only the first new one is tried.
        for round in 0..self.rounds.min(opened + 1) {
            if self.blocked[mpd][round] == 0 && self.fits(mpd, round) {
                self.put(mpd, round);
                if self.extend(opened.max(round + 1))? {
                    return Some(true);
                }
                self.take(mpd, round);
            }
        }
        Some(false)
    }

    fn is_balanced(&self) -> bool {
        let Some((counts, _)) = &self.balance else { return true };
        counts.iter().all(|pairs| unbalanced(pairs, None).is_none())
    }

    fn fits(&self, mpd: usize, round: usize) -> bool {
        let Some((counts, most)) = &self.balance else { return true };
        let touched = &self.islands_of[mpd];
        let pairs = &counts[round];
        touched.iter().all(|&a| touched.iter().all(|&b| a == b || pairs[a][b] < *most))
    }

    fn put(&mut self, mpd: usize, round: usize) {
        self.round_of[mpd] = Some(round);
        for &other in &self.conflicts[mpd] {
            let blocked = &mut self.blocked[other][round];
            self.options[other] -= usize::from(*blocked == 0);
            *blocked += 1;
        }
        self.count(mpd, round, |shared| *shared += 1);
    }

    fn take(&mut self, mpd: usize, round: usize) {
        self.round_of[mpd] = None;
        for &other in &self.conflicts[mpd] {
            let blocked = &mut self.blocked[other][round];
            *blocked -= 1;
            self.options[other] += usize::from(*blocked == 0);
        }
        self.count(mpd, round, |shared| *shared -= 1);
    }

    fn count(&mut self, mpd: usize, round: usize, change: impl Fn(&mut u32)) {
        let Some((counts, _)) = &mut self.balance else { return };
        let touched = &self.islands_of[mpd];
        for &a in touched {
            for &b in touched.iter().filter(|&&b| b != a) {
                change(&mut counts[round][a][b]);
            }
        }
    }
}
