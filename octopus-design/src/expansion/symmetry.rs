//! Symmetries of a pod: permutations of its servers that keep the wiring.
//!
//! Two sets of servers that a symmetry maps onto each other reach equally many
//! MPDs, so the proof has to look at one of them only. Symmetries are found by
//! colour refinement with backtracking (McKay, "Practical graph isomorphism",
//! 1981), and each is checked against the wiring before it is used: missing one
//! costs time, never truth.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;

/// Larger groups cost more a set than they save; a subgroup does as well.
const MAX_ELEMENTS: usize = 256;
/// Refinements before the search settles for the symmetries it has.
const MAX_REFINEMENTS: usize = 4_000;
/// Links recoloured and images made before it does: dense pods have few
/// symmetries worth the wait.
const MAX_WORK: usize = 1 << 25;
/// Larger pods are not searched for symmetries.
const MAX_SERVERS: usize = 1_024;

/// A group of server permutations, the identity first.
#[derive(Clone, Debug)]
pub(super) struct Group {
    elements: Vec<Vec<usize>>,
    generators: Vec<Vec<usize>>,
}

impl Group {
    /// The group of the identity alone.
    pub(super) fn trivial(servers: usize) -> Self {
        Self { elements: vec![(0..servers).collect()], generators: Vec::new() }
    }

    /// Symmetries of the wiring; a subgroup of all of them where there are
    /// more than are useful.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut group = Self::trivial(graph.servers());
        if graph.servers() > MAX_SERVERS {
            return group;
        }
        let mut search = Search::new(graph);
        let mut base: Vec<usize> = Vec::new();
        while let Some(cell) = search.first_cell(&base) {
            let point = cell[0];
            for &image in &cell[1..] {
                let fixes_base = |g: &Vec<usize>| base.iter().all(|&b| g[b] == b);
                let reached = group.elements.iter().any(|g| fixes_base(g) && g[point] == image);
                if reached {
                    continue;
                }
                let pairs: Vec<_> = base.iter().map(|&b| (b, b)).chain([(point, image)]).collect();
                if let Some(found) = search.extend(&pairs) {
                    let before = group.elements.len();
                    group = group.closure_with(found);
                    if group.elements.len() == before {
                        // made in vain, up to the limit
                        search.work += MAX_ELEMENTS * graph.servers();
                    }
                }
                if search.is_spent() {
                    return group;
                }
            }
            base.push(point);
        }
        group
    }

    pub(super) fn elements(&self) -> &[Vec<usize>] {
        &self.elements
    }

    pub(super) fn is_trivial(&self) -> bool {
        self.elements.len() == 1
    }

    /// The group with one more generator; unchanged if that is too large.
    fn closure_with(self, generator: Vec<usize>) -> Self {
        let mut generators = self.generators.clone();
        generators.push(generator);
        let mut seen: BTreeSet<Vec<usize>> = self.elements.iter().cloned().collect();
        let mut open = self.elements.clone();
        while let Some(element) = open.pop() {
            for generator in &generators {
                let product: Vec<usize> = element.iter().map(|&s| generator[s]).collect();
                if seen.insert(product.clone()) {
                    open.push(product);
                }
            }
            if seen.len() > MAX_ELEMENTS {
                return self;
            }
        }
        // ascending, so the identity comes first
        Self { elements: seen.into_iter().collect(), generators }
    }
}

/// Colours of the servers and MPDs of a pod.
#[derive(Clone)]
struct Colors {
    servers: Vec<usize>,
    mpds: Vec<usize>,
}

struct Search<'g> {
    graph: &'g Graph,
    /// The MPDs' server lists, sorted, to check a candidate against.
    wiring: Vec<Vec<usize>>,
    refinements: usize,
    work: usize,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph) -> Self {
        let mut wiring = graph.servers_of.clone();
        wiring.sort_unstable();
        Self { graph, wiring, refinements: 0, work: 0 }
    }

    fn is_spent(&self) -> bool {
        self.refinements >= MAX_REFINEMENTS || self.work >= MAX_WORK
    }

    /// Servers that cannot be told apart once `base` is fixed: the first such
    /// cell of two or more.
    fn first_cell(&mut self, base: &[usize]) -> Option<Vec<usize>> {
        let pairs: Vec<_> = base.iter().map(|&b| (b, b)).collect();
        let (left, _) = self.refined(&pairs)?;
        smallest_open_cell(&left.servers)
    }

    /// A symmetry that sends each pair's first server to its second.
    fn extend(&mut self, pairs: &[(usize, usize)]) -> Option<Vec<usize>> {
        let (left, right) = self.refined(pairs)?;
        let Some(cell) = smallest_open_cell(&left.servers) else {
            let by_color: BTreeMap<usize, usize> =
                right.servers.iter().enumerate().map(|(s, &c)| (c, s)).collect();
            let image: Option<Vec<usize>> =
                left.servers.iter().map(|c| by_color.get(c).copied()).collect();
            return image.filter(|g| self.keeps_wiring(g));
        };
        let point = cell[0];
        let color = left.servers[point];
        let images = (0..right.servers.len()).filter(|&s| right.servers[s] == color);
        for image in images {
            let mut longer = pairs.to_vec();
            longer.push((point, image));
            if let Some(found) = self.extend(&longer) {
                return Some(found);
            }
        }
        None
    }

    fn keeps_wiring(&self, g: &[usize]) -> bool {
        let mut image: Vec<Vec<usize>> = self
            .graph
            .servers_of
            .iter()
            .map(|servers| {
                let mut image: Vec<usize> = servers.iter().map(|&s| g[s]).collect();
                image.sort_unstable();
                image
            })
            .collect();
        image.sort_unstable();
        image == self.wiring
    }

    /// Both sides coloured as finely as refinement can, or none where the
    /// sides come out different or the budget is spent.
    fn refined(&mut self, pairs: &[(usize, usize)]) -> Option<(Colors, Colors)> {
        let blank = Colors {
            servers: vec![0; self.graph.servers()],
            mpds: vec![0; self.graph.servers_of.len()],
        };
        let nodes = blank.servers.len() + blank.mpds.len();
        let links = self.wiring.iter().map(Vec::len).sum::<usize>();
        let (mut left, mut right) = (blank.clone(), blank);
        for (index, &(a, b)) in pairs.iter().enumerate() {
            left.servers[a] = index + 1;
            right.servers[b] = index + 1;
        }
        let mut classes = 0;
        loop {
            if self.is_spent() {
                return None;
            }
            self.refinements += 1;
            self.work += nodes + 2 * links;
            let mpds = recolor(
                &self.graph.servers_of,
                [&left.mpds, &right.mpds],
                [&left.servers, &right.servers],
            )?;
            [left.mpds, right.mpds] = mpds.colors;
            let servers = recolor(
                &self.graph.mpds_of,
                [&left.servers, &right.servers],
                [&left.mpds, &right.mpds],
            )?;
            [left.servers, right.servers] = servers.colors;
            let now = mpds.classes + servers.classes;
            if now == classes {
                return Some((left, right));
            }
            classes = now;
        }
    }
}

struct Recolored {
    colors: [Vec<usize>; 2],
    classes: usize,
}

/// One refinement step of one kind of node on both sides at once: nodes stay
/// together if they were and their neighbours' colours agree.
fn recolor(
    neighbors: &[Vec<usize>],
    own: [&[usize]; 2],
    other: [&[usize]; 2],
) -> Option<Recolored> {
    let keys = [0, 1].map(|side: usize| -> Vec<(usize, Vec<usize>)> {
        neighbors
            .iter()
            .zip(own[side])
            .map(|(list, &color)| {
                let mut seen: Vec<usize> = list.iter().map(|&n| other[side][n]).collect();
                seen.sort_unstable();
                (color, seen)
            })
            .collect()
    });
    let mut sorted =
        [0, 1].map(|side: usize| -> Vec<&(usize, Vec<usize>)> { keys[side].iter().collect() });
    for s in &mut sorted {
        s.sort_unstable();
    }
    if sorted[0] != sorted[1] {
        return None;
    }
    let [mut names, _] = sorted;
    names.dedup();
    let colors = [0, 1].map(|side: usize| -> Vec<usize> {
        // every key stands in `names`, since both sides have the same keys
        keys[side].iter().map(|key| names.partition_point(|&name| name < key)).collect()
    });
    Some(Recolored { colors, classes: names.len() })
}

fn smallest_open_cell(colors: &[usize]) -> Option<Vec<usize>> {
    let mut cells: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (server, &color) in colors.iter().enumerate() {
        cells.entry(color).or_default().push(server);
    }
    cells.into_values().filter(|cell| cell.len() > 1).min_by_key(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;

    fn order(servers: usize, mpds: &[&[usize]]) -> usize {
        let mpds = mpds.iter().map(|m| m.iter().copied());
        let pod = Topology::new("t", 8, 8, servers, mpds).unwrap();
        Group::of(&Graph::new(&pod)).elements().len()
    }

    #[test]
    fn known_groups() {
        // a cycle of six, a path of four, the Fano plane (PSL(3,2), order 168)
        assert_eq!(order(6, &[&[0, 1], &[1, 2], &[2, 3], &[3, 4], &[4, 5], &[5, 0]]), 12);
        assert_eq!(order(4, &[&[0, 1], &[1, 2], &[2, 3]]), 2);
        let fano: &[&[usize]] =
            &[&[0, 1, 3], &[1, 2, 4], &[2, 3, 5], &[3, 4, 6], &[4, 5, 0], &[5, 6, 1], &[6, 0, 2]];
        assert_eq!(order(7, fano), 168);
        // MPDs with the same servers: all of S4
        assert_eq!(order(4, &[&[0, 1, 2, 3], &[0, 1, 2, 3]]), 24);
    }
}
