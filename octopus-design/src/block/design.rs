//! The block design itself, checked when it is made.

use bitvec::prelude::{BitVec, Lsb0};

use crate::error::in_range;
use crate::{Error, MAX_MPDS, MAX_SERVERS, Result};

/// A 2-(v, k, 1) design, or balanced incomplete block design with λ = 1: v
/// points and blocks of k points each, every pair of points in exactly one
/// block.
///
/// In a pod the points are servers and the blocks MPDs, so v = S, k = N, the
/// replication r = (v − 1)/(k − 1) is X, and any two servers share exactly one
/// MPD (section 5.1.1). A value of this type *is* a design: whatever built it,
/// its pairs were counted.
///
/// # Examples
///
/// ```
/// use octopus_design::block;
///
/// let island = block::build(16, 4)?;
/// assert_eq!((island.points(), island.replication(), island.blocks().len()), (16, 5, 20));
/// assert_eq!(island.parallel_classes().map(<[_]>::len), Some(5));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockDesign {
    points: usize,
    block_size: usize,
    blocks: Vec<Vec<usize>>,
    parallel_classes: Option<Vec<Vec<usize>>>,
    origin: String,
}

impl BlockDesign {
    /// The design with these blocks, in any order; `origin` says which
    /// construction they are from and who found it.
    ///
    /// Points within blocks and blocks within the list are kept ascending.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] if `points` is not 2 to [`MAX_SERVERS`],
    /// `block_size` not 2 to `points`, or such a design has more than
    /// [`MAX_MPDS`] blocks; [`Error::NotADesign`] if a block has another size, names a
    /// point that is not there or twice, or if a pair of points is in no block
    /// or in several.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{Error, block::BlockDesign};
    ///
    /// let triangle = BlockDesign::new(3, 2, [[2, 1], [0, 1], [2, 0]], "by hand")?;
    /// assert_eq!(triangle.blocks(), [[0, 1], [0, 2], [1, 2]]);
    /// let path = BlockDesign::new(3, 2, [[2, 1], [0, 1]], "by hand");
    /// assert_eq!(path.unwrap_err().to_string(), "not a design: points 0 and 2 are in no block");
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<B>(
        points: usize,
        block_size: usize,
        blocks: impl IntoIterator<Item = B>,
        origin: impl Into<String>,
    ) -> Result<Self>
    where
        B: IntoIterator<Item = usize>,
    {
        check_size(points, block_size)?;
        let mut kept: Vec<Vec<usize>> = Vec::new();
        for block in blocks {
            in_range("blocks", kept.len() + 1, 1..=MAX_MPDS)?;
            let mut block: Vec<usize> = block.into_iter().collect();
            block.sort_unstable();
            kept.push(block);
        }
        kept.sort_unstable();
        check_pairs(points, block_size, &kept)?;
        let origin = origin.into();
        Ok(Self { points, block_size, blocks: kept, parallel_classes: None, origin })
    }

    /// The same design with its blocks arranged in parallel classes, given as
    /// lists of blocks.
    ///
    /// A parallel class covers every point exactly once: a round in which
    /// every server uses one of its ports. A design with such an arrangement
    /// is *resolvable*.
    ///
    /// # Errors
    ///
    /// [`Error::NotADesign`] if a block named is not one of the design's or is
    /// in two classes, if a block is in none, or if a class does not cover
    /// every point exactly once.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::block::BlockDesign;
    ///
    /// let pairs = [[0, 1], [2, 3], [0, 2], [1, 3], [0, 3], [1, 2]];
    /// let k4 = BlockDesign::new(4, 2, pairs, "by hand")?
    ///     .with_parallel_classes(pairs.chunks(2).map(<[_]>::to_vec))?;
    /// // Blocks are sorted, so {0,1} and {2,3} are the first and the last.
    /// assert_eq!(k4.parallel_classes().unwrap()[0], [0, 5]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn with_parallel_classes<C, B>(
        mut self,
        classes: impl IntoIterator<Item = C>,
    ) -> Result<Self>
    where
        C: IntoIterator<Item = B>,
        B: IntoIterator<Item = usize>,
    {
        let fail = |reason: String| Err(Error::NotADesign { reason });
        let mut class_of = vec![None; self.blocks.len()];
        let mut kept = Vec::new();
        for (number, class) in classes.into_iter().enumerate() {
            let mut members = Vec::new();
            let mut covered = vec![false; self.points];
            for block in class {
                let mut block: Vec<usize> = block.into_iter().collect();
                block.sort_unstable();
                let Ok(index) = self.blocks.binary_search(&block) else {
                    return fail(format!("class {number} has {block:?}, which is not a block"));
                };
                if let Some(first) = class_of[index].replace(number) {
                    return fail(format!("block {index} is in classes {first} and {number}"));
                }
                for &point in &block {
                    if std::mem::replace(&mut covered[point], true) {
                        return fail(format!("class {number} covers point {point} twice"));
                    }
                }
                members.push(index);
            }
            if let Some(point) = covered.iter().position(|c| !c) {
                return fail(format!("class {number} does not cover point {point}"));
            }
            members.sort_unstable();
            kept.push(members);
        }
        if let Some(index) = class_of.iter().position(Option::is_none) {
            return fail(format!("block {index} is in no class"));
        }
        self.parallel_classes = Some(kept);
        Ok(self)
    }

    /// v, the number of points.
    ///
    /// ```
    /// assert_eq!(octopus_design::block::build(13, 4)?.points(), 13);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// k, the points of a block.
    ///
    /// ```
    /// assert_eq!(octopus_design::block::build(13, 4)?.block_size(), 4);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn block_size(&self) -> usize {
        self.block_size
    }

    /// The v(v − 1)/(k(k − 1)) blocks, ascending, each ascending.
    ///
    /// ```
    /// let fano = octopus_design::block::build(7, 3)?;
    /// assert_eq!(fano.blocks().len(), 7);
    /// assert!(fano.blocks().is_sorted());
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn blocks(&self) -> &[Vec<usize>] {
        &self.blocks
    }

    /// r = (v − 1)/(k − 1), the blocks a point is in.
    ///
    /// ```
    /// assert_eq!(octopus_design::block::build(25, 4)?.replication(), 8);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn replication(&self) -> usize {
        (self.points - 1) / (self.block_size - 1)
    }

    /// The parallel classes, as positions in [`Self::blocks`], where an
    /// arrangement into them is known.
    ///
    /// ```
    /// use octopus_design::block;
    ///
    /// // Kirkman's schoolgirls: fifteen walk in threes on seven days.
    /// let walks = block::build(15, 3)?;
    /// assert_eq!(walks.parallel_classes().map(<[_]>::len), Some(7));
    /// assert_eq!(block::build(13, 4)?.parallel_classes(), None);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn parallel_classes(&self) -> Option<&[Vec<usize>]> {
        self.parallel_classes.as_deref()
    }

    /// Which construction this is, and where it is from.
    ///
    /// ```
    /// let plane = octopus_design::block::build(13, 4)?;
    /// assert!(plane.origin().starts_with("projective plane PG(2,3)"));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }
}

/// Refuses what a [`BlockDesign`] cannot hold before any of it is made.
///
/// # Errors
///
/// [`Error::OutOfRange`] for the points, the size or the number of blocks.
pub(super) fn check_size(points: usize, block_size: usize) -> Result<()> {
    in_range("points", points, 2..=MAX_SERVERS)?;
    in_range("block_size", block_size, 2..=points)?;
    let blocks = points * (points - 1) / (block_size * (block_size - 1));
    in_range("blocks", blocks, 0..=MAX_MPDS)
}

fn check_pairs(points: usize, block_size: usize, blocks: &[Vec<usize>]) -> Result<()> {
    let fail = |reason: String| Err(Error::NotADesign { reason });
    let mut met: BitVec<u64, Lsb0> = BitVec::repeat(false, points * points);
    for (index, block) in blocks.iter().enumerate() {
        if block.len() != block_size {
            return fail(format!("block {index} has {} points, not {block_size}", block.len()));
        }
        if let Some(&point) = block.iter().find(|&&point| point >= points) {
            return fail(format!("block {index} names point {point} of {points}"));
        }
        if let Some([point, _]) = block.array_windows().find(|[a, b]| a == b) {
            return fail(format!("block {index} names point {point} twice"));
        }
        for (at, &a) in block.iter().enumerate() {
            for &b in &block[at + 1..] {
                if met.replace(a * points + b, true) {
                    return fail(format!("points {a} and {b} are in two blocks"));
                }
            }
        }
    }
    for a in 0..points {
        if let Some(b) = (a + 1..points).find(|b| !met[a * points + b]) {
            return fail(format!("points {a} and {b} are in no block"));
        }
    }
    Ok(())
}
