//! Block designs against a checker that shares nothing with what builds them.

use octopus_design::block::{self, AbelianGroup, Answer, BlockDesign, Symmetry};
use octopus_design::{Error, MAX_MPDS};
use proptest::prelude::*;

/// In how many blocks each pair is: over all pairs, not only the covered ones.
fn is_design(points: usize, block_size: usize, blocks: &[Vec<usize>]) -> bool {
    let together = |a, b| blocks.iter().filter(|t| t.contains(&a) && t.contains(&b)).count();
    let sizes = blocks.iter().all(|block| {
        let distinct: std::collections::BTreeSet<_> = block.iter().collect();
        block.len() == block_size && distinct.len() == block_size
    });
    let in_range = blocks.iter().flatten().all(|&point| point < points);
    sizes && in_range && (0..points).all(|a| (0..a).all(|b| together(a, b) == 1))
}

fn assert_sound(design: &BlockDesign) {
    let (v, k, r) = (design.points(), design.block_size(), design.replication());
    let name = format!("({v},{k}) {}", design.origin());
    assert!(is_design(v, k, design.blocks()), "{name}");
    for point in 0..v {
        let through = design.blocks().iter().filter(|block| block.contains(&point)).count();
        assert_eq!(through, r, "{name}");
    }
    let Some(classes) = design.parallel_classes() else { return };
    assert_eq!(classes.len(), r, "{name}");
    let mut used: Vec<usize> = classes.concat();
    used.sort_unstable();
    assert!(used.into_iter().eq(0..design.blocks().len()), "{name}");
    for class in classes {
        let mut met: Vec<usize> = class.iter().flat_map(|&b| design.blocks()[b].clone()).collect();
        met.sort_unstable();
        assert!(met.into_iter().eq(0..v), "{name}");
    }
}

/// Every size with r = X ≤ 16 known to exist, v = k left out.
fn known_sizes() -> Vec<(usize, usize)> {
    let rows: [(usize, &[usize]); 13] = [
        (2, &[3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]),
        (3, &[7, 9, 13, 15, 19, 21, 25, 27, 31, 33]),
        (4, &[13, 16, 25, 28, 37, 40, 49]),
        (5, &[21, 25, 41, 45, 61, 65]),
        (6, &[31, 66, 76]),
        (7, &[49, 91]),
        (8, &[57, 64]),
        (9, &[73, 81]),
        (10, &[91]),
        (11, &[121]),
        (12, &[133]),
        (13, &[169]),
        (14, &[183]),
    ];
    rows.iter().flat_map(|&(k, row)| row.iter().map(move |&v| (v, k))).collect()
}

#[test]
fn every_known_size_of_sixteen_ports_is_built() {
    for (v, k) in known_sizes() {
        assert_sound(&block::build(v, k).unwrap_or_else(|error| panic!("({v},{k}): {error}")));
    }
    let known = known_sizes();
    for k in 2..=17 {
        for (v, existence) in block::sizes(k, 16) {
            let expected = v == k || known.contains(&(v, k));
            assert_eq!(existence.constructed, expected, "({v},{k}) {}", existence.reason);
            assert_eq!(existence.answer == Answer::Yes, expected, "({v},{k})");
        }
    }
}

#[test]
fn sizes_are_exactly_those_that_counting_admits() {
    for k in 2..=9 {
        let listed: Vec<usize> = block::sizes(k, 30).map(|(v, _)| v).collect();
        let whole =
            |v: usize| (v - 1).is_multiple_of(k - 1) && (v * (v - 1)).is_multiple_of(k * (k - 1));
        let counted: Vec<usize> = (k..=30 * (k - 1) + 1).filter(|&v| whole(v)).collect();
        assert_eq!(listed, counted, "k = {k}");
    }
}

#[test]
fn what_exists_claims_is_what_build_does() {
    for k in 2..=10 {
        for v in 0..=150 {
            let existence = block::exists(v, k);
            match block::build(v, k) {
                Ok(design) => {
                    assert!(existence.constructed && existence.answer == Answer::Yes);
                    assert_eq!((design.points(), design.block_size()), (v, k));
                }
                Err(Error::NoDesign { .. }) => assert_eq!(existence.answer, Answer::No),
                Err(Error::UnknownDesign { .. }) => assert_eq!(existence.answer, Answer::Unknown),
                Err(Error::UnbuiltDesign { .. }) => {
                    assert_eq!(existence.answer, Answer::Yes);
                    assert!(!existence.constructed && existence.reason.contains("not constructed"));
                }
                Err(other) => panic!("({v},{k}): {other}"),
            }
        }
    }
}

#[test]
fn refuted_sizes_name_their_theorem() {
    for (v, k, theorem) in [
        (12, 4, "does not divide v - 1"),
        (19, 4, "does not divide v(v - 1)"),
        (16, 6, "Fisher"),
        (36, 6, "Bruck"),
        (43, 7, "Bruck"),
        (46, 6, "Houghten"),
        (100, 10, "Lam"),
        (111, 11, "Lam"),
        (196, 14, "Bruck"),
        (211, 15, "Bruck"),
        (3, 4, "at most v points"),
    ] {
        let existence = block::exists(v, k);
        assert_eq!(existence.answer, Answer::No, "({v},{k})");
        assert!(existence.reason.contains(theorem), "({v},{k}) {}", existence.reason);
    }
}

#[test]
fn open_sizes_are_never_refuted() {
    for (v, k) in [
        (51, 6),
        (61, 6),
        (81, 6),
        (85, 7),
        (113, 8),
        (136, 10),
        (145, 10),
        (144, 12),
        (177, 12),
        (157, 13),
        (225, 15),
        (241, 16),
    ] {
        let existence = block::exists(v, k);
        assert_eq!(existence.answer, Answer::Unknown, "({v},{k})");
        assert!(existence.reason.contains("Handbook"), "({v},{k})");
    }
    // Planes of order 16 and 27 exist, though 16-port pods stop at 16 ports.
    assert_eq!(block::exists(273, 17).answer, Answer::Yes);
    assert_eq!(block::exists(757, 28).answer, Answer::Yes);
}

#[test]
fn designs_too_large_to_hold_are_not_built() {
    assert!(matches!(block::build(1000, 2), Err(Error::UnbuiltDesign { .. })));
    assert!(block::complete(363).is_err());
    assert!(block::complete(362).unwrap().blocks().len() <= MAX_MPDS);
    assert!(matches!(block::affine(2, 256), Err(Error::OutOfRange { .. })));
    assert!(matches!(block::affine(usize::MAX, 2), Err(Error::OutOfRange { .. })));
    assert!(matches!(block::projective(1, 2), Err(Error::OutOfRange { .. })));
    assert!(matches!(block::projective(2, 6), Err(Error::NotAPrimePower { value: 6 })));
    assert!(matches!(block::hermitian_unital(6), Err(Error::NotAPrimePower { .. })));
    assert!(matches!(block::hermitian_unital(9), Err(Error::OutOfRange { .. })));
    for (n, m) in [(0, 0), (1, 1), (3, 3), (8, 2), (3, 0)] {
        assert!(matches!(block::maximal_arc(n, m), Err(Error::OutOfRange { .. })), "{n} {m}");
    }
    assert!(matches!(block::steiner_triples(1), Err(Error::OutOfRange { .. })));
    assert!(matches!(block::kirkman_triples(33), Err(Error::UnbuiltDesign { .. })));
    assert!(matches!(block::kirkman_triples(0), Err(Error::OutOfRange { .. })));
}

#[test]
fn families_of_constructions_are_designs() {
    for q in [2, 3, 4, 5, 7, 8, 9] {
        assert_sound(&block::affine(2, q).unwrap());
        assert_sound(&block::projective(2, q).unwrap());
    }
    for (d, q) in [(3, 2), (4, 2), (3, 3), (4, 3), (3, 4), (3, 5)] {
        assert_sound(&block::affine(d, q).unwrap());
        assert_sound(&block::projective(d, q).unwrap());
    }
    for q in [2, 3, 4, 5] {
        let unital = block::hermitian_unital(q).unwrap();
        assert_eq!((unital.points(), unital.block_size()), (q * q * q + 1, q + 1));
        assert!(unital.parallel_classes().is_some());
        assert_sound(&unital);
    }
    for (n, m) in [(2, 1), (3, 1), (3, 2), (4, 2), (4, 3)] {
        let arc = block::maximal_arc(n, m).unwrap();
        assert!(arc.parallel_classes().is_some());
        assert_sound(&arc);
    }
    for v in (3..80).filter(|v| matches!(v % 6, 1 | 3)) {
        assert_sound(&block::steiner_triples(v).unwrap());
    }
    for v in [15, 21, 27, 39, 51, 57, 63, 75, 93, 99] {
        let walks = block::kirkman_triples(v).unwrap();
        assert!(walks.parallel_classes().is_some());
        assert_sound(&walks);
    }
}

#[test]
fn designs_with_classes_are_preferred() {
    for (v, k) in [(16, 4), (28, 4), (64, 4), (25, 5), (65, 5), (15, 3), (21, 3), (8, 2), (126, 6)]
    {
        assert!(block::build(v, k).unwrap().parallel_classes().is_some(), "({v},{k})");
    }
}

#[test]
fn wrong_blocks_are_told_apart() {
    let fano = block::projective(2, 2).unwrap().blocks().to_vec();
    let said = |points, blocks: Vec<Vec<usize>>| {
        BlockDesign::new(points, 3, blocks, "test").unwrap_err().to_string()
    };
    assert!(BlockDesign::new(7, 3, fano.clone(), "test").is_ok());
    assert!(said(7, fano[1..].to_vec()).contains("are in no block"));
    assert!(said(8, fano.clone()).contains("points 0 and 7 are in no block"));
    assert!(said(7, [&fano[..], &fano[..1]].concat()).contains("are in two blocks"));
    let changed = |at: usize, block: Vec<usize>| {
        let mut blocks = fano.clone();
        blocks[at] = block;
        blocks
    };
    assert!(said(7, changed(0, vec![0, 1])).contains("has 2 points, not 3"));
    assert!(said(7, changed(0, vec![0, 1, 7])).contains("names point 7 of 7"));
    assert!(said(7, changed(0, vec![0, 1, 1])).contains("names point 1 twice"));
    for (points, block_size) in [(1, 2), (7, 1), (7, 8), (usize::MAX, 2)] {
        let wrong = BlockDesign::new(points, block_size, fano.clone(), "test");
        assert!(matches!(wrong, Err(Error::OutOfRange { .. })));
    }
}

#[test]
fn wrong_classes_are_told_apart() {
    let plane = block::affine(2, 3).unwrap();
    let classes: Vec<Vec<Vec<usize>>> = plane
        .parallel_classes()
        .unwrap()
        .iter()
        .map(|class| class.iter().map(|&b| plane.blocks()[b].clone()).collect())
        .collect();
    let said = |classes: Vec<Vec<Vec<usize>>>| match plane.clone().with_parallel_classes(classes) {
        Ok(_) => "accepted".to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(said(classes.clone()), "accepted");
    assert!(said(classes[1..].to_vec()).contains("is in no class"));
    let mut short = classes.clone();
    short[0].pop();
    assert!(said(short).contains("does not cover point"));
    let mut mixed = classes.clone();
    let stray = mixed[1].remove(0);
    mixed[0].push(stray);
    assert!(said(mixed).contains("twice"));
    let mut doubled = classes.clone();
    doubled.push(classes[0].clone());
    assert!(said(doubled).contains("is in classes 0 and 4"));
    let mut foreign = classes;
    foreign[0][0] = vec![0, 1, 99];
    assert!(said(foreign).contains("which is not a block"));
}

#[test]
fn cyclic_systems_exist_where_theory_says() {
    let cyclic = |v: usize, k| {
        let symmetry = Symmetry::translations(&AbelianGroup::new(&[v]).unwrap(), 1, 0).unwrap();
        match block::search(&symmetry, k, 0, 1_000_000) {
            Ok(base) => {
                assert!(is_design(v, k, &symmetry.develop(&base)), "({v},{k})");
                true
            }
            Err(Error::Exhausted { .. }) => false,
            Err(other) => panic!("({v},{k}): {other}"),
        }
    };
    // Peltesohn 1939: a cyclic triple system for every admissible v but 9.
    for v in (7..=45).filter(|v| matches!(v % 6, 1 | 3)) {
        assert_eq!(cyclic(v, 3), v != 9, "{v}");
    }
    // Colbourn and Mathon 1980: none of k = 4 on 16, 25 or 28 points.
    for v in [13, 16, 25, 28, 37, 40, 49, 52, 61] {
        assert_eq!(cyclic(v, 4), ![16, 25, 28].contains(&v), "{v}");
    }
}

#[test]
fn searches_are_reproducible_and_bounded() {
    let group = AbelianGroup::new(&[3, 3, 3]).unwrap();
    let symmetry = Symmetry::translations(&group, 1, 1).unwrap();
    let found: Vec<_> =
        (0..4).map(|seed| block::search(&symmetry, 4, seed, 10_000).unwrap()).collect();
    for (seed, base) in (0..4).zip(&found) {
        assert_eq!(&block::search(&symmetry, 4, seed, 10_000).unwrap(), base);
        assert!(is_design(28, 4, &symmetry.develop(base)));
    }
    assert!(found.iter().any(|base| base != &found[0]), "the seed has no effect");
    let short = block::search(&symmetry, 4, 0, 3);
    assert!(matches!(short, Err(Error::NotFound { budget: 3, seed: 0, .. })));
    assert!(matches!(block::search(&symmetry, 29, 0, 3), Err(Error::OutOfRange { .. })));
}

#[test]
fn search_without_symmetry_is_plain_backtracking() {
    let none = |points| Symmetry::generated(points, &[]).unwrap();
    assert!(is_design(7, 3, &block::search(&none(7), 3, 1, 100_000).unwrap()));
    assert!(is_design(9, 3, &block::search(&none(9), 3, 1, 100_000).unwrap()));
    assert!(matches!(block::search(&none(8), 3, 1, 100_000), Err(Error::Exhausted { .. })));
}

#[test]
fn groups_that_are_none_are_refused() {
    let group = AbelianGroup::new(&[6]).unwrap();
    let not_unit = Symmetry::with_multiplier(&group, 1, 0, &[2], &[0]);
    assert!(matches!(not_unit, Err(Error::NotAPermutation { .. })));
    let onto = Symmetry::with_multiplier(&group, 2, 0, &[5], &[0, 0]);
    assert!(matches!(onto, Err(Error::NotAPermutation { .. })));
    assert!(matches!(Symmetry::generated(0, &[]), Err(Error::OutOfRange { .. })));
    assert!(matches!(Symmetry::translations(&group, usize::MAX, 0), Err(Error::OutOfRange { .. })));
    let swap = |n: usize| {
        let mut images: Vec<usize> = (0..8).collect();
        images.swap(n, n + 1);
        images
    };
    let all: Vec<_> = (0..7).map(swap).collect(); // 8! permutations
    assert!(matches!(
        Symmetry::generated(8, &all),
        Err(Error::OutOfRange { field: "symmetries", .. })
    ));
}

proptest! {
    #[test]
    fn whatever_is_built_covers_each_pair_once(v in 2_usize..130, k in 2_usize..14) {
        let existence = block::exists(v, k);
        match block::build(v, k) {
            Ok(design) => {
                prop_assert!(existence.constructed);
                assert_sound(&design);
            }
            Err(_) => prop_assert!(!existence.constructed),
        }
    }

    #[test]
    fn random_admissible_sizes_agree_with_their_existence(k in 2_usize..10, pick in 0_usize..40) {
        if let Some((v, existence)) = block::sizes(k, 24).nth(pick) {
            prop_assert_eq!(block::build(v, k).is_ok(), existence.constructed);
            if let Ok(design) = block::build(v, k) {
                assert_sound(&design);
            }
        }
    }

    #[test]
    fn groups_are_groups(
        factors in prop::collection::vec(1_usize..6, 1..4),
        picks in prop::array::uniform3(0_usize..1000),
    ) {
        let group = AbelianGroup::new(&factors).unwrap();
        let [a, b, c] = picks.map(|pick| pick % group.order());
        prop_assert_eq!(group.element(&group.coordinates(a)), a);
        prop_assert_eq!(group.add(a, 0), a);
        prop_assert_eq!(group.add(a, b), group.add(b, a));
        prop_assert_eq!(group.add(group.add(a, b), c), group.add(a, group.add(b, c)));
        prop_assert_eq!(group.scale(a, &vec![2; factors.len()]), group.add(a, a));
        let symmetry = Symmetry::translations(&group, 1, 0).unwrap();
        prop_assert_eq!(symmetry.order(), group.order());
    }

    #[test]
    fn altered_designs_are_refused(at in 0_usize..20, from in 0_usize..4, to in 0_usize..16) {
        let mut blocks = block::build(16, 4).unwrap().blocks().to_vec();
        let kept = blocks[at][from] == to;
        blocks[at][from] = to;
        prop_assert_eq!(is_design(16, 4, &blocks), kept);
        prop_assert_eq!(BlockDesign::new(16, 4, blocks, "altered").is_ok(), kept);
    }
}
