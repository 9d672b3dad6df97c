//! The rules of an Octopus pod, and a check of all of them.

use std::fmt;

use super::{Violation, islands, rounds};
use crate::{MpdId, Topology};

/// One rule of an Octopus pod (section 5.2).
///
/// MPDs all of whose servers are in one island are that island's; other MPDs
/// are *external*. X, N and Xᵢ are the ports of a server, of an MPD, and of a
/// server towards its island.
///
/// # Examples
///
/// ```
/// use octopus_design::{Topology, verify::{Rule, octopus}};
///
/// // two servers on two MPDs both
/// let pod = Topology::new("x", 2, 2, 2, [[0, 1], [0, 1]])?;
/// let check = octopus(&pod, 1, 2);
/// assert!(check.failures().any(|(rule, _)| rule == Rule::PairShare));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// There are as many islands as asked for, each server is in one, and all
    /// are of the same size.
    Islands,
    /// Each server has exactly X links.
    ServerLinks,
    /// Each MPD has exactly N links.
    MpdLinks,
    /// Each server has exactly Xᵢ links to MPDs of its island.
    IslandPorts,
    /// Each island is a BIBD: every two of its servers share exactly one of
    /// its MPDs (section 5.2.1).
    IslandDesign,
    /// Each external MPD is on N different islands (section 5.2.2).
    ExternalSpread,
    /// No two servers of the pod share more than one MPD.
    PairShare,
    /// The numbers of external MPDs that two islands share differ by at most
    /// one from pair to pair.
    IslandBalance,
    /// Where these numbers are uneven, each island is in equally many of the
    /// pairs with the lower number: these form a regular graph on the islands.
    LowPairs,
    /// The external MPDs split into rounds that touch each server exactly once.
    Rounds,
    /// [`Rule::IslandBalance`], within each round.
    RoundBalance,
    /// [`Rule::LowPairs`], within each round.
    RoundLowPairs,
    /// The external MPDs of each server reach all other islands.
    Cover,
    /// No message needs to cross more than two MPDs.
    TwoMpds,
}

impl Rule {
    /// All rules, in the order in which they are reported.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::verify::Rule;
    /// assert_eq!((Rule::ALL[0], Rule::ALL[13]), (Rule::Islands, Rule::TwoMpds));
    /// ```
    pub const ALL: [Self; 14] = [
        Self::Islands,
        Self::ServerLinks,
        Self::MpdLinks,
        Self::IslandPorts,
        Self::IslandDesign,
        Self::ExternalSpread,
        Self::PairShare,
        Self::IslandBalance,
        Self::LowPairs,
        Self::Rounds,
        Self::RoundBalance,
        Self::RoundLowPairs,
        Self::Cover,
        Self::TwoMpds,
    ];
}

impl fmt::Display for Rule {
    /// The rule in a few words.
    ///
    /// ```
    /// use octopus_design::verify::Rule;
    /// assert_eq!(Rule::PairShare.to_string(), "two servers share at most one MPD");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Islands => "islands of equal size partition the servers",
            Self::ServerLinks => "X links a server",
            Self::MpdLinks => "N links an MPD",
            Self::IslandPorts => "Xi links a server within its island",
            Self::IslandDesign => "each island is a BIBD",
            Self::ExternalSpread => "each external MPD is on N islands",
            Self::PairShare => "two servers share at most one MPD",
            Self::IslandBalance => "island pairs share external MPDs evenly",
            Self::LowPairs => "island pairs sharing one less form a regular graph",
            Self::Rounds => "external MPDs come in rounds that use each server once",
            Self::RoundBalance => "island pairs are even within each round",
            Self::RoundLowPairs => "pairs sharing one less are regular within each round",
            Self::Cover => "each server's external MPDs reach all other islands",
            Self::TwoMpds => "messages cross at most two MPDs",
        })
    }
}

/// What became of a [`Rule`].
///
/// # Examples
///
/// ```
/// use octopus_design::{pod, verify::{Finding, Outcome, Rule, octopus}};
///
/// // a single island, hence without external MPDs
/// let check = octopus(&pod::octopus_25(), 1, 8);
/// let holds = Finding { rule: Rule::IslandDesign, outcome: Outcome::Holds };
/// assert!(check.findings().contains(&holds));
/// let cover = Outcome::NotApplicable("the pod has no external MPDs");
/// assert!(check.findings().contains(&Finding { rule: Rule::Cover, outcome: cover }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The rule holds.
    Holds,
    /// The rule is broken; this is the first counterexample.
    Fails(Violation),
    /// The rule says nothing about this pod, for the reason given.
    NotApplicable(&'static str),
    /// Neither a proof nor a counterexample was found within the budget.
    Undecided {
        /// The budget, in steps.
        budget: u64,
    },
}

impl Outcome {
    pub(super) fn of(counterexample: Option<Violation>) -> Self {
        counterexample.map_or(Self::Holds, Self::Fails)
    }
}

impl fmt::Display for Outcome {
    /// ```
    /// use octopus_design::{ServerId, verify::{Outcome, Violation}};
    /// let failed = Outcome::Fails(Violation::NoIsland { server: ServerId(7) });
    /// assert_eq!(failed.to_string(), "fails: S7 is in no island");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Fails(violation) => write!(f, "fails: {violation}"),
            Self::NotApplicable(reason) => write!(f, "not applicable: {reason}"),
            Self::Undecided { budget } => {
                write!(f, "undecided: not found within {budget} steps")
            }
        }
    }
}

/// A rule and what became of it.
///
/// # Examples
///
/// ```
/// use octopus_design::verify::{Finding, Outcome, Rule};
/// let finding = Finding { rule: Rule::MpdLinks, outcome: Outcome::Holds };
/// assert_eq!(format!("{}: {}", finding.rule, finding.outcome), "N links an MPD: holds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Whether it holds.
    pub outcome: Outcome,
}

/// What [`octopus`] found.
///
/// # Examples
///
/// ```
/// use octopus_design::{pod, verify};
///
/// let check = verify::octopus(&pod::octopus_96(), 6, 5);
/// assert!(check.passed());
/// assert_eq!((check.findings().len(), check.rounds().len()), (14, 3));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OctopusCheck {
    findings: Vec<Finding>,
    island_pairs: Vec<Vec<u32>>,
    rounds: Vec<Vec<MpdId>>,
}

impl OctopusCheck {
    /// Whether every rule holds or does not apply.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{pod, verify};
    /// assert!(verify::octopus(&pod::octopus_64(), 4, 5).passed());
    /// // it has four islands, not five
    /// assert!(!verify::octopus(&pod::octopus_64(), 5, 5).passed());
    /// ```
    #[must_use]
    pub fn passed(&self) -> bool {
        let good = |outcome: &_| matches!(outcome, Outcome::Holds | Outcome::NotApplicable(_));
        self.findings.iter().all(|finding| good(&finding.outcome))
    }

    /// One finding a rule, in the order of [`Rule::ALL`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{pod, verify::{self, Rule}};
    /// let check = verify::octopus(&pod::octopus_96(), 6, 5);
    /// assert!(check.findings().iter().map(|finding| finding.rule).eq(Rule::ALL));
    /// assert!(check.findings().iter().all(|finding| finding.outcome.to_string() == "holds"));
    /// ```
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The rules that fail, with their counterexamples.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{pod, verify::{self, Rule}};
    /// // it has four islands, not five
    /// let check = verify::octopus(&pod::octopus_64(), 5, 5);
    /// let mut failures = check.failures().map(|(rule, why)| (rule, why.to_string()));
    /// assert_eq!(failures.next(), Some((Rule::Islands, "4 islands, expected 5".to_owned())));
    /// assert_eq!(failures.next(), None);
    /// ```
    pub fn failures(&self) -> impl Iterator<Item = (Rule, &Violation)> {
        self.findings.iter().filter_map(|Finding { rule, outcome }| match outcome {
            Outcome::Fails(violation) => Some((*rule, violation)),
            _ => None,
        })
    }

    /// How many external MPDs each two islands share: one row and one column
    /// an island, symmetric, 0 on the diagonal. Empty above 4096 islands.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{pod, verify};
    /// let check = verify::octopus(&pod::octopus_96(), 6, 5);
    /// assert_eq!(check.island_pairs()[0], [0, 29, 29, 28, 29, 29]);
    /// ```
    #[must_use]
    pub fn island_pairs(&self) -> &[Vec<u32>] {
        &self.island_pairs
    }

    /// The rounds of external MPDs, by which the rules on rounds were judged;
    /// empty where there are none or none were found.
    ///
    /// # Examples
    ///
    /// ```
    /// # use octopus_design::{pod, verify};
    /// let check = verify::octopus(&pod::octopus_96(), 6, 5);
    /// assert_eq!(check.rounds().iter().map(Vec::len).collect::<Vec<_>>(), [24; 3]);
    /// ```
    #[must_use]
    pub fn rounds(&self) -> &[Vec<MpdId>] {
        &self.rounds
    }
}

/// Checks every [`Rule`] of an Octopus pod of `islands` islands, in which each
/// server has `island_ports` (Xᵢ) links to MPDs of its island.
///
/// X and N are the topology's port counts. A pod that claims no islands is
/// taken to be one island if one is asked for. Rules on external MPDs do not
/// apply where there are none, and rules on rounds where N does not divide the
/// number of servers. By convention the external MPDs are in order of rounds;
/// where they are not, a split into rounds is searched, first one that is
/// balanced, and not finding one within the budget leaves the rule
/// [undecided](Outcome::Undecided).
///
/// # Examples
///
/// Two islands of two servers, an MPD each, and one round of two external MPDs.
///
/// ```
/// use octopus_design::{Topology, verify::{Rule, octopus}};
///
/// let pod = |last| Topology::new("ladder", 2, 2, 4, [[0, 1], [2, 3], [0, 2], last])?
///     .with_islands([[0, 1], [2, 3]]);
/// let check = octopus(&pod([1, 3])?, 2, 1);
/// assert!(check.passed());
/// assert_eq!(check.island_pairs(), [[0, 2], [2, 0]]);
///
/// let check = octopus(&pod([0, 3])?, 2, 1);
/// let (rule, violation) = check.failures().next().expect("server 0 has three links");
/// assert_eq!(rule, Rule::ServerLinks);
/// assert_eq!(violation.to_string(), "S0 has 3 links, expected 2");
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Section 5.2, Table 3. The rule that every server's external MPDs reach all
/// other islands goes beyond the paper; it implies [`Rule::TwoMpds`].
#[must_use]
pub fn octopus(pod: &Topology, islands: usize, island_ports: usize) -> OctopusCheck {
    let parts = islands::Parts::of(pod, islands);
    let island_pairs = parts.external_pairs(&parts.external);
    let by_rounds = rounds::judge(&parts);
    let outcome = |rule: Rule| match rule {
        Rule::Islands => Outcome::of(parts.partition(islands)),
        Rule::ServerLinks => Outcome::of(parts.server_links()),
        Rule::MpdLinks => Outcome::of(parts.mpd_links()),
        Rule::IslandPorts => Outcome::of(parts.island_ports(island_ports)),
        Rule::IslandDesign => Outcome::of(parts.island_design()),
        Rule::ExternalSpread => parts.if_external(|| Outcome::of(parts.external_spread())),
        Rule::PairShare => Outcome::of(parts.pair_share()),
        Rule::IslandBalance => parts.if_external(|| match &island_pairs {
            Some(pairs) => Outcome::of(islands::unbalanced(pairs, None)),
            None => islands::TOO_MANY,
        }),
        Rule::LowPairs => parts.if_external(|| match &island_pairs {
            Some(pairs) => islands::low_pairs(pairs, None),
            None => islands::TOO_MANY,
        }),
        Rule::Rounds => by_rounds.split.clone(),
        Rule::RoundBalance => by_rounds.balance.clone(),
        Rule::RoundLowPairs => by_rounds.low_pairs.clone(),
        Rule::Cover => parts.if_external(|| Outcome::of(parts.uncovered())),
        Rule::TwoMpds => Outcome::of(parts.far()),
    };
    let findings = Rule::ALL.map(|rule| Finding { rule, outcome: outcome(rule) }).into();
    let rounds = by_rounds.rounds;
    OctopusCheck { findings, island_pairs: island_pairs.unwrap_or_default(), rounds }
}
