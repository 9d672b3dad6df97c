//! Every rule of the verifier, kept by valid pods and broken one at a time.

mod pods;

use std::collections::BTreeSet;

use octopus_design::measure::{mpd_hops, shared_mpds};
use octopus_design::verify::{Outcome, Rule, Violation, claims, octopus};
use octopus_design::{IslandId, MpdId, ServerId, Topology};
use pods::{Draft, Evenness, octopus_64, pod_with};
use proptest::prelude::*;

/// Five islands of three servers and three rounds: the smallest kind of pod to
/// which every rule applies. As in Octopus-96, island pairs cannot be equal:
/// they share 4 or 5 external MPDs, and 1 or 2 in a round.
fn five_islands() -> Draft {
    pod_with(5, 3, 3, Evenness { total: true, rounds: true })
}

fn failing(draft: &Draft) -> BTreeSet<Rule> {
    let island_ports = if draft.servers == 64 { 5 } else { 1 };
    let check = octopus(&draft.pod(), draft.islands.len(), island_ports);
    check.failures().map(|(rule, _)| rule).collect()
}

/// The first of `drafts` that fails exactly `rules`.
fn failing_exactly(mut drafts: impl Iterator<Item = Draft>, rules: &[Rule]) -> Draft {
    let rules = rules.iter().copied().collect();
    drafts.find(|draft| failing(draft) == rules).expect("one of the drafts fails just these rules")
}

/// The counterexample to a rule.
fn counterexample(draft: &Draft, rule: Rule) -> String {
    let check = octopus(&draft.pod(), draft.islands.len(), 1);
    let found = check.failures().find(|(failed, _)| *failed == rule);
    found.expect("it fails").1.to_string()
}

#[test]
fn octopus_64_keeps_every_rule() {
    let check = octopus(&octopus_64().pod(), 4, 5);
    assert!(check.passed());
    let equal = Outcome::NotApplicable("all island pairs are equal");
    for finding in check.findings() {
        match finding.rule {
            Rule::LowPairs | Rule::RoundLowPairs => assert_eq!(finding.outcome, equal),
            rule => assert_eq!(finding.outcome, Outcome::Holds, "{rule}"),
        }
    }
    for (a, row) in check.island_pairs().iter().enumerate() {
        assert!(row.iter().enumerate().all(|(b, &n)| n == if a == b { 0 } else { 48 }));
    }
    assert_eq!(check.rounds()[1], (96..112).map(MpdId).collect::<Vec<_>>());
}

#[test]
fn every_rule_holds_and_applies_for_five_islands() {
    let check = octopus(&five_islands().pod(), 5, 1);
    let rules: Vec<Rule> = check.findings().iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, Rule::ALL);
    for finding in check.findings() {
        assert_eq!(finding.outcome, Outcome::Holds, "{}", finding.rule);
    }
    let sums = check.island_pairs().iter().map(|row| row.iter().sum::<u32>());
    assert!(sums.eq([18; 5]));
}

#[test]
fn a_single_island_has_no_external_rules() {
    let pod = Topology::new("bibd-16", 5, 4, 16, pods::affine_plane_4()).expect("a pod");
    let check = octopus(&pod, 1, 5);
    assert!(check.passed());
    let inapplicable = |outcome: &_| matches!(outcome, Outcome::NotApplicable(_));
    let skipped = check.findings().iter().filter(|finding| inapplicable(&finding.outcome));
    assert!(skipped.map(|finding| finding.rule).eq([
        Rule::ExternalSpread,
        Rule::IslandBalance,
        Rule::LowPairs,
        Rule::Rounds,
        Rule::RoundBalance,
        Rule::RoundLowPairs,
        Rule::Cover,
    ]));
}

#[test]
fn islands_alone() {
    // Nothing but the number asked for is wrong.
    let check = octopus(&five_islands().pod(), 6, 1);
    let failures: Vec<_> = check.failures().collect();
    assert_eq!(failures, [(Rule::Islands, &Violation::IslandCount { islands: 5, expected: 6 })]);
    assert!(!check.passed());
}

/// A server that leaves its island turns the island's MPD into an external one.
#[test]
fn islands_that_are_no_partition() {
    let mut draft = five_islands();
    draft.islands[1].retain(|&server| server != 4);
    assert!(failing(&draft).contains(&Rule::Islands));
    assert_eq!(counterexample(&draft, Rule::Islands), "S4 is in no island");
    draft.islands[2].push(4);
    let expected = "island I1 has 2 servers, island I0 has 3";
    assert_eq!(counterexample(&draft, Rule::Islands), expected);
}

#[test]
fn server_links_alone() {
    let mut draft = five_islands();
    draft.server_ports += 1;
    assert_eq!(failing(&draft), [Rule::ServerLinks].into());
    assert_eq!(counterexample(&draft, Rule::ServerLinks), "S0 has 4 links, expected 5");
}

#[test]
fn mpd_links_alone() {
    let mut draft = five_islands();
    draft.mpds.push(vec![]);
    assert_eq!(failing(&draft), [Rule::MpdLinks].into());
    assert_eq!(counterexample(&draft, Rule::MpdLinks), "P20 has 0 links, expected 3");
}

#[test]
fn island_ports_alone() {
    let check = octopus(&five_islands().pod(), 5, 2);
    let expected = Violation::IslandPorts { server: ServerId(0), links: 1, expected: 2 };
    assert_eq!(check.failures().collect::<Vec<_>>(), [(Rule::IslandPorts, &expected)]);
}

/// With degrees kept, an island pair that shares no MPD leaves its share to
/// another pair, so that [`Rule::PairShare`] necessarily fails too.
#[test]
fn island_design() {
    let draft = failing_exactly(octopus_64().exchanges(), &[Rule::IslandDesign, Rule::PairShare]);
    let message = counterexample(&draft, Rule::IslandDesign);
    assert!(message.ends_with("share 0 of its MPDs, expected 1"), "{message}");
    // Every pair of blocks of this island still meets at most once, and every
    // pair covered is covered once: only a walk over all pairs sees the gap.
    let mut draft = octopus_64();
    let line = draft.mpds.remove(7);
    assert!(failing(&draft).contains(&Rule::IslandDesign));
    assert!(!failing(&draft).contains(&Rule::PairShare));
    let expected = format!("S{} and S{} of island I0 share 0 of its MPDs", line[0], line[1]);
    assert!(counterexample(&draft, Rule::IslandDesign).starts_with(&expected));
}

/// Two servers of one island on an external MPD share their island's MPD as
/// well, so [`Rule::PairShare`] necessarily fails; and in every single exchange
/// some island loses two external MPDs that it shared with another one.
#[test]
fn external_spread() {
    let draft = failing_exactly(
        five_islands().exchanges(),
        &[Rule::ExternalSpread, Rule::PairShare, Rule::IslandBalance, Rule::RoundBalance],
    );
    let message = counterexample(&draft, Rule::ExternalSpread);
    assert!(message.ends_with("is on 2 islands, expected 3"), "{message}");
}

#[test]
fn pair_share_alone() {
    let draft = failing_exactly(five_islands().exchanges(), &[Rule::PairShare]);
    let message = counterexample(&draft, Rule::PairShare);
    assert!(message.ends_with("share 2 MPDs, at most 1 allowed"), "{message}");
}

/// No single exchange does it, so this pod is built with that one fault.
#[test]
fn island_balance_alone() {
    let draft = pod_with(5, 3, 3, Evenness { total: false, rounds: true });
    assert_eq!(failing(&draft), [Rule::IslandBalance].into());
    let message = counterexample(&draft, Rule::IslandBalance);
    assert!(message.starts_with('I') && message.contains(" external MPDs, I"), "{message}");
}

#[test]
fn rounds_alone() {
    let draft = failing_exactly(five_islands().exchanges(), &[Rule::Rounds]);
    let message = counterexample(&draft, Rule::Rounds);
    assert!(message.starts_with("the external MPDs cannot be split into 3 rounds"), "{message}");
}

/// No single exchange does it, so this pod is built with that one fault.
#[test]
fn round_balance_alone() {
    let draft = pod_with(5, 3, 3, Evenness { total: true, rounds: false });
    assert_eq!(failing(&draft), [Rule::RoundBalance].into());
    let message = counterexample(&draft, Rule::RoundBalance);
    assert!(message.starts_with("in round "), "{message}");
}

/// If islands are of one size, servers have Xᵢ of X links inside and external
/// MPDs are on N islands, then each island has equally many external MPDs, and
/// balanced pairs are regular: a failure of the rules on low pairs needs that
/// of another rule. Here the islands differ in size.
#[test]
fn low_pairs() {
    let draft = Draft {
        server_ports: 2,
        mpd_ports: 2,
        servers: 4,
        mpds: vec![vec![0, 1], vec![0, 2], vec![1, 3]],
        islands: vec![vec![0, 1], vec![2], vec![3]],
    };
    let failed = failing(&draft);
    for rule in [Rule::IslandBalance, Rule::Rounds, Rule::RoundBalance] {
        assert!(!failed.contains(&rule), "{rule}");
    }
    for (rule, place) in [(Rule::LowPairs, ""), (Rule::RoundLowPairs, "in round 0, ")] {
        let expected = "I0 is in 0 of the pairs that share only 0 external MPDs, I1 in 1";
        assert_eq!(counterexample(&draft, rule), format!("{place}{expected}"));
    }
}

#[test]
fn cover_alone() {
    let draft = failing_exactly(five_islands().exchanges(), &[Rule::Cover]);
    let message = counterexample(&draft, Rule::Cover);
    assert!(message.contains("do not reach island I"), "{message}");
}

/// A server whose external MPDs reach an island reaches each server there over
/// one MPD more: with the islands intact, a message that needs three means that
/// [`Rule::Cover`] fails.
#[test]
fn two_mpds() {
    let far = |draft: &Draft| failing(draft).contains(&Rule::TwoMpds);
    let intact = |draft: &Draft| !failing(draft).contains(&Rule::IslandDesign);
    let drafts: Vec<Draft> = five_islands().exchanges().filter(far).filter(intact).collect();
    assert!(drafts.iter().all(|draft| failing(draft).contains(&Rule::Cover)));
    let draft = drafts.first().expect("some exchange does it").clone();
    let message = counterexample(&draft, Rule::TwoMpds);
    assert!(message.ends_with("must cross more than two MPDs"), "{message}");
    assert_eq!(mpd_hops(&draft.pod()).diameter(), Some(3));
}

/// The order of MPDs is a convention, not a rule: rounds in any order are found.
#[test]
fn rounds_in_another_order_are_found() {
    for valid in [five_islands(), octopus_64()] {
        let first = valid.mpds.len() - 3 * valid.servers / valid.mpd_ports;
        for stride in [7, 11, 13] {
            let mut draft = valid.clone();
            let external = &valid.mpds[first..];
            let shuffled =
                (0..external.len()).map(|i| external[i * stride % external.len()].clone());
            draft.mpds.splice(first.., shuffled.collect::<Vec<_>>());
            assert_eq!(failing(&draft), [].into());
            let check = octopus(&draft.pod(), draft.islands.len(), 5);
            assert_eq!(check.rounds().len(), 3);
            for round in check.rounds() {
                let mut servers: Vec<usize> =
                    round.iter().flat_map(|mpd| draft.mpds[mpd.index()].clone()).collect();
                servers.sort_unstable();
                assert!(servers.into_iter().eq(0..draft.servers));
            }
        }
    }
}

/// The Petersen graph is cubic, yet its edges have no colouring with three
/// colours (J. Petersen, 1898): three links a server, but no three rounds.
#[test]
fn rounds_that_cannot_be() {
    let outer = (0..5).map(|i| vec![i, (i + 1) % 5]);
    let spokes = (0..5).map(|i| vec![i, i + 5]);
    let inner = (0..5).map(|i| vec![5 + i, 5 + (i + 2) % 5]);
    let draft = Draft {
        server_ports: 3,
        mpd_ports: 2,
        servers: 10,
        mpds: outer.chain(spokes).chain(inner).collect(),
        islands: (0..10).map(|server| vec![server]).collect(),
    };
    assert_eq!(
        counterexample(&draft, Rule::Rounds),
        "the external MPDs cannot be split into 3 rounds that use each server once: in order of \
         id, S1 is not used exactly once in round 0, and no other way exists"
    );
    let mut draft = five_islands();
    draft.mpds.pop();
    assert_eq!(counterexample(&draft, Rule::Rounds), "S4 has 2 external links, S0 has 3");
}

/// Not finding rounds is told from their not being there, and is no pass.
#[test]
fn a_search_that_gives_up_says_so() {
    let across = (0..100).flat_map(|a| (100..200).map(move |b| vec![a, b]));
    let pod = Topology::new("wide", 100, 2, 200, across)
        .and_then(|pod| pod.with_islands([(0..100), (100..200)]))
        .expect("a pod");
    let check = octopus(&pod, 2, 0);
    let rounds = check.findings().iter().find(|finding| finding.rule == Rule::Rounds);
    let outcome = &rounds.expect("reported").outcome;
    assert!(outcome.to_string().starts_with("undecided: not found within"), "{outcome}");
    assert!(!check.passed() && check.rounds().is_empty());
}

/// Rounds are found, but whether there are balanced ones is left open: too
/// many islands to count pairs round by round in a search.
#[test]
fn balance_of_found_rounds_may_stay_open() {
    let squares = 730;
    let mpds =
        (0..squares).flat_map(|i| [[0, 1], [1, 2], [2, 3], [3, 0]].map(|e| e.map(|v| 4 * i + v)));
    let islands = (0..squares).flat_map(|i| [[4 * i, 4 * i + 2], [4 * i + 1, 4 * i + 3]]);
    let pod = Topology::new("squares", 2, 2, 4 * squares, mpds)
        .and_then(|pod| pod.with_islands(islands))
        .expect("a pod");
    let check = octopus(&pod, 2 * squares, 0);
    let outcome = |rule| check.findings().iter().find(|f| f.rule == rule).map(|f| &f.outcome);
    assert_eq!(outcome(Rule::Rounds), Some(&Outcome::Holds));
    assert!(matches!(outcome(Rule::RoundBalance), Some(Outcome::Undecided { .. })));
    assert_eq!(check.rounds().len(), 2);
}

/// Where N does not divide S no round can use every server once.
#[test]
fn rounds_do_not_apply_where_ports_do_not_divide_servers() {
    let pod = Topology::new("x", 2, 2, 3, [[0, 1], [1, 2], [0, 2]])
        .and_then(|pod| pod.with_islands([[0], [1], [2]]))
        .expect("a pod");
    let check = octopus(&pod, 3, 0);
    assert!(check.passed());
    let inapplicable = Outcome::NotApplicable("N does not divide the number of servers");
    let rules = check.findings().iter().filter(|finding| finding.outcome == inapplicable);
    let rules: Vec<Rule> = rules.map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::Rounds, Rule::RoundBalance, Rule::RoundLowPairs]);
}

#[test]
fn claims_are_refuted_one_by_one() {
    let valid = octopus_64();
    assert_eq!(claims(&valid.pod()), []);

    let few = Draft { server_ports: 7, ..valid.clone() };
    assert_eq!(claims(&few.pod()).len(), 64);
    let first = Violation::ServerOverPorts { server: ServerId(0), links: 8, ports: 7 };
    assert_eq!(claims(&few.pod())[0], first);

    let few = Draft { mpd_ports: 3, ..valid.clone() };
    assert_eq!(claims(&few.pod()).len(), 128);
    let first = Violation::MpdOverPorts { mpd: MpdId(0), links: 4, ports: 3 };
    assert_eq!(claims(&few.pod())[0], first);

    // One cable lost: its server misses the three others of that line.
    let line = &valid.mpds[5];
    let cut = ServerId(line[0]);
    let lost = valid.pod().retain_links(|server, mpd| (server, mpd) != (cut, MpdId(5)));
    let [a, b] = [cut, ServerId(line[1])];
    let expected = Violation::NoOverlap { island: IslandId(0), a, b, missing: 3, pairs: 120 };
    assert_eq!(claims(&lost), [expected]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn claims_agree_with_brute_force(
        rows in prop::collection::vec(prop::collection::vec(any::<bool>(), 9), 1..6),
    ) {
        let members = rows.iter().map(|row| (0..9).filter(|&server| row[server]));
        let pod = Topology::new("x", 3, 4, 9, members)
            .and_then(|pod| pod.with_islands([0..5, 5..9]))
            .expect("a pod");
        let mut expected = Vec::new();
        for server in 0..9 {
            let links = rows.iter().filter(|row| row[server]).count();
            if links > 3 {
                expected.push(format!("S{server} has {links} links but 3 ports"));
            }
        }
        for (mpd, row) in rows.iter().enumerate() {
            let links = row.iter().filter(|&&linked| linked).count();
            if links > 4 {
                expected.push(format!("P{mpd} has {links} links but 4 ports"));
            }
        }
        for (island, range) in [0..5, 5..9].into_iter().enumerate() {
            let pairs = range.clone().flat_map(|a| (a + 1..range.end).map(move |b| (a, b)));
            let apart = |&(a, b): &(usize, usize)| !rows.iter().any(|row| row[a] && row[b]);
            let missing: Vec<_> = pairs.clone().filter(apart).collect();
            if let Some((a, b)) = missing.first() {
                let counts = format!("({} of {} pairs)", missing.len(), pairs.count());
                expected.push(format!("island I{island} is none: S{a} and S{b} share no MPD {counts}"));
            }
        }
        let found: Vec<String> = claims(&pod).iter().map(ToString::to_string).collect();
        prop_assert_eq!(found, expected);
    }

    /// Rules on server pairs against the measures, which share no code with them.
    #[test]
    fn pair_rules_agree_with_the_measures(picks in prop::collection::vec(any::<prop::sample::Index>(), 1..5)) {
        let mut draft = five_islands();
        for pick in picks {
            let all: Vec<Draft> = draft.exchanges().collect();
            draft = pick.get(&all).clone();
        }
        let (pod, failed) = (draft.pod(), failing(&draft));
        let most_shared = shared_mpds(&pod).keys().max().copied();
        prop_assert_eq!(failed.contains(&Rule::PairShare), most_shared > Some(1));
        let far = mpd_hops(&pod).diameter().is_none_or(|hops| hops > 2);
        prop_assert_eq!(failed.contains(&Rule::TwoMpds), far);
    }
}
