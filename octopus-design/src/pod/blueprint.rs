//! What a search for a pod with much expansion starts from: the islands of
//! each external MPD, and a symmetry that the wiring shall have.
//!
//! A symmetry makes the search small, since one choice of a server decides its
//! images, and makes the proof of `e_k` short, since one set of servers stands
//! for its images.

use std::collections::BTreeSet;

use crate::block::{self, BlockDesign, Symmetry};
use crate::{Error, Result};

/// The search keeps a server's external MPDs in a word of this many bits.
const MAX_EXTERNAL: usize = 128;

/// The frame of a pod of equal islands, without its external wiring.
///
/// Server p of island i has number i·v + p, where v is the island's size.
///
/// # Examples
///
/// ```
/// let blueprint = octopus_design::pod::octopus_96_blueprint()?;
/// assert_eq!((blueprint.servers(), blueprint.patterns().len()), (96, 72));
/// assert_eq!(blueprint.symmetry().order(), 6);
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Blueprint {
    name: String,
    island: BlockDesign,
    islands: usize,
    rounds: usize,
    patterns: Vec<Vec<usize>>,
    symmetry: Symmetry,
}

impl Blueprint {
    /// `patterns` are the islands of each external MPD, round after round, in
    /// `rounds` rounds of equal length; `symmetry` moves the servers and, after
    /// them, the external MPDs.
    ///
    /// # Errors
    ///
    /// [`Error::Impossible`] where an island does not have a seat for each of
    /// its servers in every round, where the symmetry does not keep the islands,
    /// their wiring, the rounds and the patterns, or where it keeps a seat whose
    /// servers it moves; and for more than 128 external MPDs.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{block::{Symmetry, affine}, pod::Blueprint};
    ///
    /// // three islands of four servers, three-port MPDs would not fit them
    /// let island = affine(2, 2)?;
    /// let patterns = vec![vec![0, 1]; 8];
    /// let identity = Symmetry::generated(8 + 8, &[])?;
    /// let wrong = Blueprint::new("x", island, 3, 2, patterns, identity);
    /// assert!(wrong.is_err());
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn new(
        name: &str,
        island: BlockDesign,
        islands: usize,
        rounds: usize,
        patterns: Vec<Vec<usize>>,
        symmetry: Symmetry,
    ) -> Result<Self> {
        let blueprint = Self { name: name.to_owned(), island, islands, rounds, patterns, symmetry };
        match blueprint.fault() {
            Some(reason) => Err(Error::Impossible { reason }),
            None => Ok(blueprint),
        }
    }

    fn fault(&self) -> Option<String> {
        let (servers, external) = (self.servers(), self.patterns.len());
        if self.symmetry.points() != servers + external {
            let moved = self.symmetry.points();
            return Some(format!(
                "a symmetry of {moved} things, not {servers} servers and {external} MPDs"
            ));
        }
        if external > MAX_EXTERNAL || self.rounds == 0 || !external.is_multiple_of(self.rounds) {
            return Some(format!(
                "{external} external MPDs in {} rounds, not a multiple up to {MAX_EXTERNAL}",
                self.rounds
            ));
        }
        self.pattern_fault().or_else(|| {
            self.symmetry.elements().iter().find_map(|element| {
                let (servers, mpds) = element.split_at(servers);
                self.island_fault(servers).or_else(|| self.seat_fault(servers, mpds))
            })
        })
    }

    /// Islands that are not in every round with all their servers.
    fn pattern_fault(&self) -> Option<String> {
        let size = self.island.points();
        let ascending = |pattern: &Vec<usize>| {
            pattern.is_sorted_by(|a, b| a < b) && pattern.last().is_none_or(|&i| i < self.islands)
        };
        if let Some(mpd) = self.patterns.iter().position(|pattern| !ascending(pattern)) {
            return Some(format!("the islands of external MPD {mpd} do not ascend"));
        }
        let rounds = self.patterns.chunks(self.patterns.len() / self.rounds);
        rounds.zip(0..).find_map(|(round, number)| {
            (0..self.islands).find_map(|island| {
                let seats = round.iter().flatten().filter(|&&i| i == island).count();
                (seats != size).then(|| {
                    format!("island {island} has {seats} seats in round {number}, not {size}")
                })
            })
        })
    }

    /// An island that the images of the servers tear up or wire otherwise.
    fn island_fault(&self, images: &[usize]) -> Option<String> {
        let size = self.island.points();
        let blocks: BTreeSet<&Vec<usize>> = self.island.blocks().iter().collect();
        let kept = |island: usize| {
            let images = &images[island * size..(island + 1) * size];
            let together = images.iter().all(|image| image / size == images[0] / size);
            together
                && self.island.blocks().iter().all(|block| {
                    let mut moved: Vec<usize> = block.iter().map(|&p| images[p] % size).collect();
                    moved.sort_unstable();
                    blocks.contains(&moved)
                })
        };
        let torn = (0..self.islands).find(|&island| !kept(island))?;
        Some(format!("the symmetry does not keep island {torn}"))
    }

    /// An MPD whose image is in the wrong round or on the wrong islands, or a
    /// seat that stays while its servers move.
    fn seat_fault(&self, servers: &[usize], mpds: &[usize]) -> Option<String> {
        let size = self.island.points();
        let a_round = self.patterns.len() / self.rounds;
        let image_of = |island: usize| servers[island * size] / size;
        let stays = |island: usize| (island * size..(island + 1) * size).all(|s| servers[s] == s);
        let fits = |mpd: usize| {
            let Some(image) = mpds[mpd].checked_sub(servers.len()) else { return false };
            let first = mpds[mpd / a_round * a_round].checked_sub(servers.len());
            let mut moved: Vec<usize> = self.patterns[mpd].iter().map(|&i| image_of(i)).collect();
            moved.sort_unstable();
            let one_round = first.is_some_and(|first| first / a_round == image / a_round);
            let seats_move =
                image != mpd || self.patterns[mpd].iter().all(|&i| image_of(i) != i || stays(i));
            one_round && seats_move && self.patterns[image] == moved
        };
        let wrong = (0..self.patterns.len()).find(|&mpd| !fits(mpd))?;
        Some(format!("the symmetry does not keep external MPD {wrong}"))
    }

    /// The number of servers.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!(frame.servers(), 96);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn servers(&self) -> usize {
        self.islands * self.island.points()
    }

    /// The number of islands.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!(frame.islands(), 6);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn islands(&self) -> usize {
        self.islands
    }

    /// The wiring of each island.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!((frame.island().points(), frame.island().blocks().len()), (16, 20));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn island(&self) -> &BlockDesign {
        &self.island
    }

    /// The number of rounds, in each of which every server is used once.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!(frame.rounds(), 3);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// The islands of each external MPD, ascending, round after round.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// // the first leaves out the islands 0 and 1
    /// assert_eq!(frame.patterns()[0], [2, 3, 4, 5]);
    /// assert_eq!(frame.patterns().len(), 72);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn patterns(&self) -> &[Vec<usize>] {
        &self.patterns
    }

    /// The symmetry the wiring shall have: images of the servers, then of the
    /// external MPDs.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!((frame.symmetry().order(), frame.symmetry().points()), (6, 96 + 72));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }

    /// The name the pod will have.
    ///
    /// # Examples
    ///
    /// ```
    /// # let frame = octopus_design::pod::octopus_96_blueprint()?;
    /// assert_eq!(frame.name(), "octopus-96");
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The frame of the shipped 96-server pod.
///
/// Each external MPD leaves out two of the six islands, so a round of 24 is 24
/// pairs of islands. Every pair is left out twice in a round, but for six that
/// are left out once and form a hexagon; the three rounds' hexagons cover
/// three opposite pairs (28 shared MPDs) twice and every other pair (29) once.
/// The symmetry of order six turns the islands; its square turns the rounds.
///
/// # Errors
///
/// None in practice: a test makes it.
///
/// # Examples
///
/// ```
/// let blueprint = octopus_design::pod::octopus_96_blueprint()?;
/// assert!(blueprint.patterns().iter().all(|islands| islands.len() == 4));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn octopus_96_blueprint() -> Result<Blueprint> {
    const ISLANDS: usize = 6;
    const ROUNDS: usize = 3;
    // the hexagon of the first round; turning the islands by two and by four
    // gives the others
    const HEXAGON: [(usize, usize); 6] = [(0, 3), (3, 5), (4, 5), (1, 4), (1, 2), (0, 2)];
    let mut left_out = Vec::new();
    for a in 0..ISLANDS {
        for b in a + 1..ISLANDS {
            let copies = if HEXAGON.contains(&(a, b)) { 1 } else { 2 };
            left_out.extend((0..copies).map(|copy| (a, b, copy)));
        }
    }
    let a_round = left_out.len();
    let turned = |island: usize, by: usize| (island + by) % ISLANDS;
    let pattern = |round: usize, (a, b, _): (usize, usize, usize)| -> Vec<usize> {
        let out = [turned(a, 2 * round), turned(b, 2 * round)];
        (0..ISLANDS).filter(|island| !out.contains(island)).collect()
    };
    let patterns: Vec<Vec<usize>> = (0..ROUNDS)
        .flat_map(|round| left_out.iter().map(move |&out| pattern(round, out)))
        .collect();
    // half a turn keeps the round; of two MPDs that leave out the same
    // opposite islands it makes one the image of the other
    let half_turn = |(a, b, copy): (usize, usize, usize)| {
        let (c, d) = (turned(a, 3), turned(b, 3));
        let pair = (c.min(d), c.max(d));
        let copy = if pair == (a, b) && !HEXAGON.contains(&pair) { 1 - copy } else { copy };
        left_out.iter().position(|&out| out == (pair.0, pair.1, copy)).unwrap_or(usize::MAX)
    };
    // a turn by one is half a turn and then back by two, hence back by a round
    let island = block::affine(2, 4)?;
    let size = island.points();
    let servers = ISLANDS * size;
    let mut turn: Vec<usize> =
        (0..servers).map(|s| turned(s / size, 1) * size + s % size).collect();
    for round in 0..ROUNDS {
        let image = (round + ROUNDS - 1) % ROUNDS;
        turn.extend(left_out.iter().map(|&out| servers + image * a_round + half_turn(out)));
    }
    let symmetry = Symmetry::generated(turn.len(), &[turn])?;
    Blueprint::new("octopus-96", island, ISLANDS, ROUNDS, patterns, symmetry)
}

/// The frame of the shipped 64-server pod.
///
/// Every external MPD joins all four islands, so every island pair shares 48.
/// The symmetry is a group of four translations of all islands at once.
///
/// # Errors
///
/// None in practice: a test makes it.
///
/// # Examples
///
/// ```
/// let blueprint = octopus_design::pod::octopus_64_blueprint()?;
/// assert_eq!((blueprint.servers(), blueprint.patterns().len()), (64, 48));
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub fn octopus_64_blueprint() -> Result<Blueprint> {
    const ISLANDS: usize = 4;
    const ROUNDS: usize = 3;
    let island = block::affine(2, 4)?;
    let size = island.points();
    let servers = ISLANDS * size;
    // the coordinates are elements of GF(4), which are added bit by bit
    let translation = |by: usize| -> Vec<usize> {
        (0..servers + ROUNDS * size)
            .map(|thing| thing / size * size + ((thing % size) ^ by))
            .collect()
    };
    let symmetry = Symmetry::generated(servers + ROUNDS * size, &[1, 6].map(translation))?;
    let patterns = vec![(0..ISLANDS).collect(); ROUNDS * size];
    Blueprint::new("octopus-64", island, ISLANDS, ROUNDS, patterns, symmetry)
}
