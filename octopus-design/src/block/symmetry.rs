//! Finite abelian groups, and the permutation groups that develop designs.

use std::collections::BTreeSet;

use crate::error::in_range;
use crate::{Error, MAX_SERVERS, Result};

/// The most permutations a [`Symmetry`] may have.
///
/// # Examples
///
/// ```
/// use octopus_design::block::{MAX_SYMMETRIES, Symmetry};
///
/// // 7! = 5040 permutations of seven points are too many
/// let all = Symmetry::generated(7, &[vec![1, 2, 3, 4, 5, 6, 0], vec![1, 0, 2, 3, 4, 5, 6]]);
/// assert!(all.is_err_and(|error| error.to_string().ends_with("expected 1 to 4096")));
/// assert_eq!(MAX_SYMMETRIES, 4096);
/// ```
pub const MAX_SYMMETRIES: usize = 4096;

/// The most points a [`Symmetry`] may permute.
///
/// With [`MAX_SYMMETRIES`] this bounds its memory, and that of a search.
///
/// # Examples
///
/// ```
/// use octopus_design::block::{MAX_SYMMETRIC_POINTS, Symmetry};
///
/// assert_eq!(Symmetry::generated(MAX_SYMMETRIC_POINTS, &[])?.points(), 1024);
/// let wrong = Symmetry::generated(MAX_SYMMETRIC_POINTS + 1, &[]).unwrap_err();
/// assert_eq!(wrong.to_string(), "points is 1025, expected 1 to 1024");
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub const MAX_SYMMETRIC_POINTS: usize = 1024;

/// A finite abelian group, a product of cyclic ones, its elements numbered from 0.
///
/// The number of an element is its coordinates read as digits, the first
/// coordinate the least significant; 0 is the neutral element.
///
/// # Examples
///
/// ```
/// use octopus_design::block::AbelianGroup;
///
/// let group = AbelianGroup::new(&[3, 3, 5])?;
/// assert_eq!(group.order(), 45);
/// let element = group.element(&[2, 0, 4]);
/// assert_eq!(group.add(element, element), group.element(&[1, 0, 3]));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbelianGroup {
    factors: Vec<usize>,
}

impl AbelianGroup {
    /// The product of the cyclic groups of these orders.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] if a factor is zero or the order is above
    /// [`MAX_SERVERS`].
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[61])?.order(), 61);
    /// assert!(AbelianGroup::new(&[1 << 20, 1 << 20]).is_err());
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn new(factors: &[usize]) -> Result<Self> {
        let mut order: usize = 1;
        for &factor in factors {
            order = order.saturating_mul(factor);
            in_range("group order", order, 1..=MAX_SERVERS)?;
        }
        Ok(Self { factors: factors.to_vec() })
    }

    /// The number of elements.
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[5, 5])?.order(), 25);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> usize {
        self.factors.iter().product()
    }

    /// The element with these coordinates; missing ones are zero, and each is
    /// taken modulo its factor.
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[5, 5])?.element(&[2, 1]), 7);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn element(&self, coordinates: &[usize]) -> usize {
        let digits = self.factors.iter().zip(coordinates);
        digits.rev().fold(0, |number, (factor, c)| number * factor + c % factor)
    }

    /// The coordinates of an element.
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[5, 5])?.coordinates(7), [2, 1]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn coordinates(&self, mut element: usize) -> Vec<usize> {
        let mut coordinates = Vec::with_capacity(self.factors.len());
        for factor in &self.factors {
            coordinates.push(element % factor);
            element /= factor;
        }
        coordinates
    }

    /// The sum of two elements.
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[61])?.add(40, 40), 19);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn add(&self, a: usize, b: usize) -> usize {
        let pairs = self.coordinates(a).into_iter().zip(self.coordinates(b));
        self.element(&pairs.map(|(x, y)| x + y).collect::<Vec<_>>())
    }

    /// The element multiplied, coordinate by coordinate, with `units`: an
    /// automorphism, a *multiplier*, if each is coprime to its factor.
    ///
    /// ```
    /// # use octopus_design::block::AbelianGroup;
    /// assert_eq!(AbelianGroup::new(&[61])?.scale(2, &[47]), 33);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn scale(&self, element: usize, units: &[usize]) -> usize {
        let pairs = self.coordinates(element).into_iter().zip(units);
        self.element(&pairs.map(|(x, unit)| x * unit).collect::<Vec<_>>())
    }
}

/// A group of permutations of the points `0..points`, listed in full.
///
/// # Examples
///
/// The rotations of Z₇, under which one triple develops into the Fano plane:
///
/// ```
/// use octopus_design::block::{AbelianGroup, Symmetry};
///
/// let rotations = Symmetry::translations(&AbelianGroup::new(&[7])?, 1, 0)?;
/// assert_eq!(rotations.order(), 7);
/// let blocks = rotations.develop(&[vec![0, 1, 3]]);
/// assert_eq!((blocks.len(), &blocks[1]), (7, &vec![0, 2, 6]));
/// # Ok::<(), octopus_design::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    points: usize,
    /// The identity first; every other in the order of its discovery.
    elements: Vec<Vec<usize>>,
}

impl Symmetry {
    /// The group that `generators` generate, each the list of the points'
    /// images.
    ///
    /// # Errors
    ///
    /// [`Error::NotAPermutation`] for a generator that is none;
    /// [`Error::OutOfRange`] if `points` is not 1 to
    /// [`MAX_SYMMETRIC_POINTS`] or the group has more than [`MAX_SYMMETRIES`] elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{Error, block::Symmetry};
    ///
    /// let square = Symmetry::generated(4, &[vec![1, 2, 3, 0], vec![0, 3, 2, 1]])?;
    /// assert_eq!(square.order(), 8);
    /// let wrong = Symmetry::generated(2, &[vec![0, 0]]);
    /// assert!(matches!(wrong, Err(Error::NotAPermutation { index: 0, points: 2 })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn generated(points: usize, generators: &[Vec<usize>]) -> Result<Self> {
        in_range("points", points, 1..=MAX_SYMMETRIC_POINTS)?;
        for (index, generator) in generators.iter().enumerate() {
            let images: BTreeSet<usize> = generator.iter().copied().collect();
            if generator.len() != points || !images.into_iter().eq(0..points) {
                return Err(Error::NotAPermutation { index, points });
            }
        }
        let identity: Vec<usize> = (0..points).collect();
        let mut known = BTreeSet::from([identity.clone()]);
        let mut elements = vec![identity];
        let mut next = 0;
        while next < elements.len() {
            for generator in generators {
                let product: Vec<usize> = elements[next].iter().map(|&p| generator[p]).collect();
                if known.insert(product.clone()) {
                    elements.push(product);
                }
            }
            in_range("symmetries", elements.len(), 1..=MAX_SYMMETRIES)?;
            next += 1;
        }
        Ok(Self { points, elements })
    }

    /// The translations of `copies` copies of an abelian group and of `fixed`
    /// further points that stay where they are ("at infinity").
    ///
    /// Element e of copy c is the point c·|G| + e; the fixed points are last.
    ///
    /// # Errors
    ///
    /// As [`Self::generated`].
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::block::{AbelianGroup, Symmetry};
    ///
    /// let group = AbelianGroup::new(&[3, 3])?;
    /// let translations = Symmetry::translations(&group, 3, 1)?;
    /// assert_eq!((translations.points(), translations.order()), (28, 9));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn translations(group: &AbelianGroup, copies: usize, fixed: usize) -> Result<Self> {
        Self::affine(group, copies, fixed, None)
    }

    /// The translations, and a multiplier: the map that takes element e of
    /// copy c to `units`·e of copy `onto[c]`.
    ///
    /// # Errors
    ///
    /// As [`Self::generated`]; a unit that is not coprime to its factor or a
    /// map of copies that is no permutation is [`Error::NotAPermutation`].
    ///
    /// # Panics
    ///
    /// If `onto` has fewer than `copies` entries.
    ///
    /// # Examples
    ///
    /// 47 is a cube root of 1 modulo 61:
    ///
    /// ```
    /// use octopus_design::block::{AbelianGroup, Symmetry};
    ///
    /// let group = AbelianGroup::new(&[61])?;
    /// assert_eq!(Symmetry::with_multiplier(&group, 1, 0, &[47], &[0])?.order(), 183);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    pub fn with_multiplier(
        group: &AbelianGroup,
        copies: usize,
        fixed: usize,
        units: &[usize],
        onto: &[usize],
    ) -> Result<Self> {
        Self::affine(group, copies, fixed, Some((units, onto)))
    }

    fn affine(
        group: &AbelianGroup,
        copies: usize,
        fixed: usize,
        multiplier: Option<(&[usize], &[usize])>,
    ) -> Result<Self> {
        let order = group.order();
        let points = order.saturating_mul(copies).saturating_add(fixed);
        in_range("points", points, 1..=MAX_SYMMETRIC_POINTS)?;
        let map = |image: &dyn Fn(usize, usize) -> usize| -> Vec<usize> {
            let moved = (0..copies * order).map(|point| image(point / order, point % order));
            moved.chain(copies * order..points).collect()
        };
        let mut generators = Vec::new();
        let mut unit = 1;
        for factor in &group.factors {
            generators.push(map(&|copy, element| copy * order + group.add(element, unit % order)));
            unit *= factor;
        }
        if let Some((units, onto)) = multiplier {
            generators.push(map(&|copy, element| onto[copy] * order + group.scale(element, units)));
        }
        Self::generated(points, &generators)
    }

    /// The number of points permuted.
    ///
    /// ```
    /// # use octopus_design::block::Symmetry;
    /// assert_eq!(Symmetry::generated(3, &[])?.points(), 3);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// The number of permutations.
    ///
    /// ```
    /// # use octopus_design::block::Symmetry;
    /// assert_eq!(Symmetry::generated(3, &[vec![1, 2, 0]])?.order(), 3);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> usize {
        self.elements.len()
    }

    /// The permutations as lists of images, the identity first.
    ///
    /// ```
    /// # use octopus_design::block::Symmetry;
    /// let flip = Symmetry::generated(2, &[vec![1, 0]])?;
    /// assert_eq!(flip.elements(), [[0, 1], [1, 0]]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn elements(&self) -> &[Vec<usize>] {
        &self.elements
    }

    /// Every image of every base block, each once, ascending.
    ///
    /// # Panics
    ///
    /// If a base block names a point that is not there.
    ///
    /// # Examples
    ///
    /// Short orbits count once: {0, 5, 10} has five translates in Z₁₅.
    ///
    /// ```
    /// use octopus_design::block::{AbelianGroup, Symmetry};
    ///
    /// let rotations = Symmetry::translations(&AbelianGroup::new(&[15])?, 1, 0)?;
    /// assert_eq!(rotations.develop(&[vec![0, 5, 10]]).len(), 5);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn develop(&self, base_blocks: &[Vec<usize>]) -> Vec<Vec<usize>> {
        let images = base_blocks.iter().flat_map(|base| self.orbit(base));
        images.collect::<BTreeSet<_>>().into_iter().collect()
    }

    pub(super) fn orbit<'a>(&'a self, base: &'a [usize]) -> impl Iterator<Item = Vec<usize>> + 'a {
        self.elements.iter().map(|element| {
            let mut image: Vec<usize> = base.iter().map(|&point| element[point]).collect();
            image.sort_unstable();
            image
        })
    }
}
