//! Conversions the standard library has no checked form of.

/// The nearest whole number, saturating at the ends of `u32`; NaN gives 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, which is what is wanted here"
)]
pub(crate) fn round_u32(x: f64) -> u32 {
    x.round() as u32
}

/// The nearest whole number, saturating at the ends of `i64`; NaN gives 0.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float cast saturates, which is what is wanted here"
)]
pub(crate) fn round_i64(x: f64) -> i64 {
    x.round() as i64
}

/// A count that must fit the 32-bit indices of the flat arrays.
///
/// Rows and servers are bounded far below `u32::MAX` where they enter
/// ([`crate::MAX_ROWS`], [`crate::MAX_FLEET`]), so saturation is never met.
pub(crate) fn index_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// `Ok(value)` if it lies in the closed unit interval.
pub(crate) fn fraction(field: &'static str, value: f64) -> crate::Result<f64> {
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(crate::Error::BadNumber { field, value, expected: "0 to 1" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_saturates() {
        assert_eq!(round_u32(2.5), 3);
        assert_eq!(round_u32(-1.0), 0);
        assert_eq!(round_u32(1e12), u32::MAX);
        assert_eq!(round_u32(f64::NAN), 0);
        assert_eq!(round_i64(-2.4), -2);
    }

    #[test]
    fn only_fractions_pass() {
        assert!(fraction("p", 1.0).is_ok());
        assert!(fraction("p", f64::NAN).is_err());
        assert!(fraction("p", 1.01).is_err());
    }
}
