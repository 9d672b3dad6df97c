//! Finite fields GF(p^k), the arithmetic under the geometric designs.

use std::ops::Range;

use crate::error::in_range;
use crate::{Error, Result};

/// The largest order a [`Field`] may have.
///
/// # Examples
///
/// ```
/// use octopus_design::field::{Field, MAX_ORDER};
///
/// // the primes next to it
/// assert_eq!(Field::new(MAX_ORDER - 15)?.order(), 65_521);
/// let wrong = Field::new(MAX_ORDER + 1).unwrap_err();
/// assert_eq!(wrong.to_string(), "field order is 65537, expected 2 to 65536");
/// # Ok::<(), octopus_design::Error>(())
/// ```
pub const MAX_ORDER: usize = 1 << 16;

/// The finite field GF(q), q = p^k at most [`MAX_ORDER`].
///
/// An element is a number in `0..q` whose base-p digits, least significant
/// first, are its coefficients in the polynomial basis `1, x, x², …`; so `0`
/// and `1` are the zero and the one, and for prime q arithmetic is that of the
/// integers modulo q. The modulus is the first *primitive* polynomial of
/// degree k in ascending order of its coefficients read as a number, found by
/// search; its root generates the multiplicative group, which is kept as
/// tables of logarithms and powers.
///
/// # Examples
///
/// ```
/// use octopus_design::field::Field;
///
/// let gf9 = Field::new(9)?;
/// assert_eq!(gf9.modulus(), [2, 1, 1]); // x² + x + 2
/// let x = gf9.primitive();
/// assert_eq!(gf9.mul(x, x), gf9.add(gf9.mul(2, x), 1)); // x² = −x − 2
/// # Ok::<(), octopus_design::Error>(())
/// ```
///
/// # References
///
/// Lidl and Niederreiter, *Finite Fields*, 2nd ed. (1997), chapters 2 and 3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    characteristic: usize,
    degree: u32,
    modulus: Vec<usize>,
    /// `exp[i]` is the i-th power of the primitive element, for i < q − 1.
    exp: Vec<usize>,
    /// The inverse of `exp`; the entry of zero is not used.
    log: Vec<usize>,
}

impl Field {
    /// The field of order `q`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] if `q` is below 2 or above [`MAX_ORDER`],
    /// [`Error::NotAPrimePower`] if there is no field of that order.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_design::{Error, field::Field};
    ///
    /// assert_eq!(Field::new(49)?.degree(), 2);
    /// assert!(matches!(Field::new(6), Err(Error::NotAPrimePower { value: 6 })));
    /// # Ok::<(), Error>(())
    /// ```
    #[expect(clippy::missing_panics_doc, reason = "every finite field has a primitive element")]
    pub fn new(q: usize) -> Result<Self> {
        in_range("field order", q, 2..=MAX_ORDER)?;
        let (p, degree) = prime_power(q).ok_or(Error::NotAPrimePower { value: q as u64 })?;
        let (tail, exp) =
            (1..q).find_map(|tail| powers_of_root(q, p, tail).map(|exp| (tail, exp))).expect(
                "every finite field has a primitive element, the root of a primitive polynomial",
            );
        let mut log = vec![0; q];
        for (i, &value) in exp.iter().enumerate() {
            log[value] = i;
        }
        let mut modulus = digits(tail, p, degree);
        modulus.push(1);
        Ok(Self { characteristic: p, degree, modulus, exp, log })
    }

    /// q, the number of elements.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(16)?.order(), 16);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn order(&self) -> usize {
        self.log.len()
    }

    /// p, the prime that 1 has to be added to itself to make 0.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(16)?.characteristic(), 2);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn characteristic(&self) -> usize {
        self.characteristic
    }

    /// k, the degree over the prime field.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(16)?.degree(), 4);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The k + 1 coefficients of the primitive modulus, constant term first.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(16)?.modulus(), [1, 1, 0, 0, 1]); // 1 + x + x⁴
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn modulus(&self) -> &[usize] {
        &self.modulus
    }

    /// Every element, zero first.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert!(Field::new(5)?.elements().eq(0..5));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn elements(&self) -> Range<usize> {
        0..self.order()
    }

    /// A generator of the multiplicative group: the root of the modulus.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// let gf7 = Field::new(7)?;
    /// assert_eq!((1..6).find(|&i| gf7.pow(gf7.primitive(), i) == 1), None);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn primitive(&self) -> usize {
        // GF(2) has the one nonzero element only.
        self.exp.get(1).copied().unwrap_or(1)
    }

    /// The sum of two elements.
    ///
    /// # Panics
    ///
    /// Like all arithmetic here, may panic or answer nonsense if an argument
    /// is not below [`Self::order`].
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(8)?.add(5, 3), 6);
    /// assert_eq!(Field::new(9)?.add(5, 8), 1); // (2 + x) + (2 + 2x)
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn add(&self, a: usize, b: usize) -> usize {
        if self.characteristic == 2 { a ^ b } else { add_multiple(a, 1, b, self.characteristic) }
    }

    /// The element that adds with `a` to zero.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(11)?.neg(4), 7);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn neg(&self, a: usize) -> usize {
        // p − 1 is −1.
        self.mul(a, self.characteristic - 1)
    }

    /// The difference `a − b`.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(11)?.sub(4, 7), 8);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn sub(&self, a: usize, b: usize) -> usize {
        self.add(a, self.neg(b))
    }

    /// The product of two elements.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(11)?.mul(4, 7), 6);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn mul(&self, a: usize, b: usize) -> usize {
        if a == 0 || b == 0 { 0 } else { self.exp(self.log[a] + self.log[b]) }
    }

    /// The element that multiplies with `a` to one; none for zero.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(11)?.inv(4), Some(3));
    /// assert_eq!(Field::new(11)?.inv(0), None);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn inv(&self, a: usize) -> Option<usize> {
        Some(self.exp(self.exp.len() - self.log(a)?))
    }

    /// The power `a^e`; `a^0` is 1, also for zero.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// assert_eq!(Field::new(11)?.pow(2, 5), 10);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn pow(&self, a: usize, e: usize) -> usize {
        match self.log(a) {
            None => usize::from(e == 0),
            // Both factors are below 2^16.
            Some(log) => self.exp(log * (e % self.exp.len())),
        }
    }

    /// The `e`-th power of the primitive element.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// let gf8 = Field::new(8)?;
    /// assert_eq!([gf8.exp(0), gf8.exp(1), gf8.exp(7)], [1, gf8.primitive(), 1]);
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn exp(&self, e: usize) -> usize {
        self.exp[e % self.exp.len()]
    }

    /// The exponent below q − 1 whose power is `a`; none for zero.
    ///
    /// ```
    /// # use octopus_design::field::Field;
    /// let gf8 = Field::new(8)?;
    /// assert_eq!((gf8.log(gf8.exp(5)), gf8.log(0)), (Some(5), None));
    /// # Ok::<(), octopus_design::Error>(())
    /// ```
    #[must_use]
    pub fn log(&self, a: usize) -> Option<usize> {
        (a != 0).then(|| self.log[a])
    }
}

/// The prime p and the exponent k with q = p^k, if there are such.
///
/// # Examples
///
/// ```
/// use octopus_design::field::prime_power;
///
/// assert_eq!(prime_power(27), Some((3, 3)));
/// assert_eq!(prime_power(12), None);
/// ```
#[must_use]
pub fn prime_power(q: usize) -> Option<(usize, u32)> {
    if q < 2 {
        return None;
    }
    let p = (2..=q.isqrt()).find(|d| q.is_multiple_of(*d)).unwrap_or(q);
    let (mut rest, mut degree) = (q, 0);
    while rest.is_multiple_of(p) {
        rest /= p;
        degree += 1;
    }
    (rest == 1).then_some((p, degree))
}

/// The q − 1 powers of the root x of `x^k + tail`, if they are all different.
fn powers_of_root(q: usize, p: usize, tail: usize) -> Option<Vec<usize>> {
    // x^k = −tail, and multiplying by x shifts the digits up by one.
    let mut powers = Vec::with_capacity(q - 1);
    let mut power = 1;
    while powers.len() < q - 1 {
        powers.push(power);
        let top = power / (q / p);
        let shifted = power % (q / p) * p;
        power = add_multiple(shifted, p - top, tail, p);
        if power == 1 || power == 0 {
            break;
        }
    }
    (powers.len() == q - 1 && power == 1).then_some(powers)
}

/// a + t·b, digit by digit modulo p.
fn add_multiple(mut a: usize, t: usize, mut b: usize, p: usize) -> usize {
    let (mut sum, mut place) = (0, 1);
    while a > 0 || b > 0 {
        sum += (a % p + t * (b % p)) % p * place;
        (a, b, place) = (a / p, b / p, place * p);
    }
    sum
}

fn digits(mut number: usize, p: usize, count: u32) -> Vec<usize> {
    let mut digits = Vec::new();
    for _ in 0..count {
        digits.push(number % p);
        number /= p;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axioms_hold_in_every_small_field() {
        for q in (2..=64).filter(|&q| prime_power(q).is_some()) {
            let f = Field::new(q).unwrap();
            for a in f.elements() {
                assert_eq!(f.add(a, 0), a);
                assert_eq!(f.mul(a, 1), a);
                assert_eq!(f.add(a, f.neg(a)), 0);
                assert_eq!(f.inv(a).map(|i| f.mul(a, i)), (a != 0).then_some(1));
                for b in f.elements() {
                    assert!(f.add(a, b) < q && f.mul(a, b) < q);
                    assert_eq!(f.add(a, b), f.add(b, a));
                    assert_eq!(f.mul(a, b), f.mul(b, a));
                    assert_eq!(f.sub(f.add(a, b), b), a);
                    for c in f.elements() {
                        assert_eq!(f.add(f.add(a, b), c), f.add(a, f.add(b, c)));
                        assert_eq!(f.mul(f.mul(a, b), c), f.mul(a, f.mul(b, c)));
                        assert_eq!(f.mul(a, f.add(b, c)), f.add(f.mul(a, b), f.mul(a, c)));
                    }
                }
            }
        }
    }

    #[test]
    fn powers_agree_with_repeated_products() {
        for q in [2, 3, 8, 9, 25, 49] {
            let f = Field::new(q).unwrap();
            for a in f.elements() {
                let mut product = 1;
                for e in 0..2 * q {
                    assert_eq!(f.pow(a, e), product, "{a}^{e} in GF({q})");
                    product = f.mul(product, a);
                }
            }
        }
    }

    /// Primitive polynomials of another source, constant term first.
    #[test]
    fn known_primitive_polynomials_pass_and_others_do_not() {
        let known: [(usize, &[usize]); 9] = [
            (4, &[1, 1, 1]),
            (8, &[1, 1, 0, 1]),
            (16, &[1, 1, 0, 0, 1]),
            (32, &[1, 0, 1, 0, 0, 1]),
            (64, &[1, 1, 0, 0, 0, 0, 1]),
            (9, &[2, 1, 1]),
            (27, &[1, 2, 0, 1]),
            (25, &[2, 1, 1]),
            (49, &[3, 1, 1]),
        ];
        for (q, polynomial) in known {
            let (p, degree) = prime_power(q).unwrap();
            assert_eq!(polynomial.len(), degree as usize + 1);
            let tail = polynomial[..polynomial.len() - 1].iter().rev().fold(0, |n, d| n * p + d);
            assert!(powers_of_root(q, p, tail).is_some(), "GF({q})");
            let first = Field::new(q).unwrap();
            let found =
                first.modulus()[..polynomial.len() - 1].iter().rev().fold(0, |n, d| n * p + d);
            assert!(found <= tail, "GF({q})");
        }
        // Irreducible but not primitive: x⁴+x³+x²+x+1, x²+1. Reducible: x²+x, x²+1.
        assert!(powers_of_root(16, 2, 0b1111).is_none());
        assert!(powers_of_root(9, 3, 1).is_none());
        assert!(powers_of_root(4, 2, 0b10).is_none());
        assert!(powers_of_root(4, 2, 0b01).is_none());
    }

    #[test]
    fn the_largest_fields_are_made() {
        let f = Field::new(1 << 16).unwrap();
        assert_eq!(f.pow(f.primitive(), (1 << 16) - 1), 1);
        assert!(Field::new(65_521).is_ok());
        assert!(matches!(Field::new(1 << 17), Err(Error::OutOfRange { .. })));
        assert!(matches!(Field::new(1), Err(Error::OutOfRange { .. })));
    }
}
