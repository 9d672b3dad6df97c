//! Small pods of every kind as plain lists, and their expansion by looking at
//! every subset. Speaks of no type of the crate, which shares no code with it.

use proptest::collection::vec;
use proptest::prelude::*;

/// The servers of each MPD.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    pub(crate) servers: usize,
    pub(crate) mpds: Vec<Vec<usize>>,
}

/// One bit an MPD.
type Mask = [u128; 2];

fn union(a: Mask, b: Mask) -> Mask {
    [a[0] | b[0], a[1] | b[1]]
}

fn count(mask: Mask) -> usize {
    mask.iter().map(|half| half.count_ones() as usize).sum()
}

impl Wiring {
    fn new(servers: usize, mpds: impl IntoIterator<Item = Vec<usize>>) -> Self {
        let mut mpds: Vec<Vec<usize>> = mpds.into_iter().collect();
        for servers in &mut mpds {
            servers.sort_unstable();
            servers.dedup();
        }
        Self { servers, mpds }
    }

    /// For each server, its MPDs as bits.
    fn masks(&self) -> Vec<Mask> {
        assert!(self.mpds.len() <= 256, "as many as a mask has bits");
        let mut masks = vec![[0; 2]; self.servers];
        for (mpd, servers) in self.mpds.iter().enumerate() {
            for &server in servers {
                masks[server][mpd / 128] |= 1 << (mpd % 128);
            }
        }
        masks
    }

    /// `e_0` to `e_S`, from all 2^S subsets.
    pub(crate) fn every_subset(&self) -> Vec<usize> {
        let masks = self.masks();
        let mut reached = vec![[0; 2]; 1 << self.servers];
        let mut least = vec![usize::MAX; self.servers + 1];
        least[0] = 0;
        for subset in 1..reached.len() {
            let lowest = subset.trailing_zeros() as usize;
            reached[subset] = union(reached[subset & (subset - 1)], masks[lowest]);
            let size = subset.count_ones() as usize;
            least[size] = least[size].min(count(reached[subset]));
        }
        least
    }

    /// `e_k`, from all subsets of k servers.
    pub(crate) fn least_of_size(&self, k: usize) -> usize {
        fn descend(masks: &[Mask], k: usize, reached: Mask) -> usize {
            if k == 0 {
                return count(reached);
            }
            let starts = 0..=masks.len() - k;
            let least = starts.map(|s| descend(&masks[s + 1..], k - 1, union(reached, masks[s])));
            least.min().expect("no more servers are asked for than there are")
        }
        descend(&self.masks(), k, [0; 2])
    }

    /// This wiring beside itself, so often.
    fn copies(&self, copies: usize) -> Self {
        let shifted = |c: usize| {
            let shift = c * self.servers;
            self.mpds.iter().map(move |m| m.iter().map(|s| s + shift).collect())
        };
        Self::new(copies * self.servers, (0..copies).flat_map(shifted))
    }
}

/// Any links at all: unlinked servers and MPDs, disconnected parts.
pub(crate) fn any_links(most_servers: usize) -> impl Strategy<Value = Wiring> {
    (1..=most_servers, 1..14_usize, 0.05..0.6).prop_flat_map(|(servers, mpds, density)| {
        vec(vec(prop::bool::weighted(density), servers), mpds).prop_map(move |rows| {
            let linked = |row: &Vec<bool>| (0..servers).filter(|&s| row[s]).collect();
            Wiring::new(servers, rows.iter().map(linked))
        })
    })
}

/// Equal server degrees, with MPDs as they come; some pairs share up to four
/// MPDs or all of them.
pub(crate) fn equal_degrees(most_servers: usize) -> impl Strategy<Value = Wiring> {
    (2..=most_servers, 3..=16_usize).prop_flat_map(|(servers, mpds)| {
        let degree = 1..=mpds.min(6);
        let ports = degree.prop_flat_map(move |x| {
            vec(prop::sample::subsequence((0..mpds).collect::<Vec<_>>(), x), servers)
        });
        ports.prop_map(move |ports| {
            let linked = |mpd| (0..servers).filter(|&s| ports[s].contains(&mpd)).collect();
            Wiring::new(servers, (0..mpds).map(linked))
        })
    })
}

/// Every server doubled or trebled: twins on the same MPDs.
pub(crate) fn twins(most_servers: usize) -> impl Strategy<Value = Wiring> {
    let base = prop_oneof![any_links(most_servers / 2), equal_degrees(most_servers / 2)];
    (base, 2..=3_usize).prop_map(move |(base, times)| {
        let times = if base.servers * times > most_servers { 2 } else { times };
        let twins = |mpd: &Vec<usize>| {
            let servers = mpd.iter().flat_map(|&s| (0..times).map(move |t| s * times + t));
            servers.collect()
        };
        Wiring::new(base.servers * times, base.mpds.iter().map(twins))
    })
}

/// Blocks moved round a circle: cycles, circulant graphs, cyclic designs.
pub(crate) fn circulant(most_servers: usize) -> impl Strategy<Value = Wiring> {
    (3..=most_servers, vec(vec(0..64_usize, 1..=4), 1..=3)).prop_map(|(servers, bases)| {
        let moved = |base: Vec<usize>| {
            (0..servers).map(move |by| base.iter().map(|s| (s + by) % servers).collect())
        };
        Wiring::new(servers, bases.into_iter().flat_map(moved))
    })
}

/// The net of a cyclic Latin square: cells as servers; rows, columns and
/// symbols of some of its squares as MPDs.
pub(crate) fn net(order: usize, classes: usize) -> Wiring {
    let cells = order * order;
    let line = move |class: usize, line: usize| {
        let on_line = move |&cell: &usize| {
            let (row, column) = (cell / order, cell % order);
            let at = if class == 0 { row } else { column + (class - 1) * row };
            at % order == line
        };
        (0..cells).filter(on_line).collect()
    };
    let lines = (0..classes).flat_map(move |class| (0..order).map(move |l| line(class, l)));
    Wiring::new(cells, lines)
}

/// The complete graph: every two servers with an MPD of their own.
pub(crate) fn complete(servers: usize) -> Wiring {
    let pairs = (0..servers).flat_map(|a| (0..a).map(move |b| vec![a, b]));
    Wiring::new(servers, pairs)
}

/// All of these, with some unlinked servers and MPDs among them, numbered by
/// chance.
pub(crate) fn wirings(most_servers: usize) -> impl Strategy<Value = Wiring> {
    let least = most_servers.min(9);
    let copied = prop_oneof![circulant(4), any_links(4), equal_degrees(4)];
    let kinds = prop_oneof![
        any_links(most_servers),
        equal_degrees(most_servers),
        twins(most_servers),
        circulant(most_servers),
        (copied, 2..=3_usize).prop_map(move |(base, times)| {
            base.copies(times.min((most_servers / base.servers).max(1)))
        }),
        (2..=4_usize).prop_map(|classes| net(3, classes)),
        (2..=least).prop_map(complete),
    ];
    let extra = prop::sample::select(vec![0, 0, 0, 1, 2]);
    (kinds, extra.clone(), extra).prop_flat_map(move |(wiring, servers, mpds)| {
        let all = (wiring.servers + servers).min(most_servers.max(wiring.servers));
        Just((0..all).collect::<Vec<_>>()).prop_shuffle().prop_map(move |name| {
            let named = wiring.mpds.iter().map(|m| m.iter().map(|&s| name[s]).collect());
            Wiring::new(all, named.chain(std::iter::repeat_n(Vec::new(), mpds)))
        })
    })
}
