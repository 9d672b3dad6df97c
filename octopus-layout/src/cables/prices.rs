//! The cables that are sold.

use serde::Deserialize;

use crate::geometry::EPSILON_M;
use crate::{Error, Result};

/// The most kinds of cable a [`PriceList`] may have.
///
/// ```
/// use octopus_layout::{MAX_SKUS, PriceList, Sku};
/// let sku = |n| Sku { length_m: 0.5 + n as f64, awg: 30, price_usd: 23.0 };
/// let skus = (0..=MAX_SKUS).map(sku).collect();
/// let wrong = PriceList::new(skus, 0.0).unwrap_err();
/// assert_eq!(wrong.to_string(), "cable is 65, expected 1 to 64");
/// ```
pub const MAX_SKUS: usize = 64;

const MOST_M: f64 = 100.0;

/// A cable as it is sold.
///
/// ```
/// use octopus_layout::PriceList;
/// let shortest = PriceList::default().skus()[0];
/// assert_eq!((shortest.length_m, shortest.awg, shortest.price_usd), (0.5, 30, 23.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sku {
    /// Metres.
    pub length_m: f64,
    /// The wires' American wire gauge; thicker wires have a lower one.
    pub awg: u8,
    /// Dollars; a price list keeps whole cents.
    pub price_usd: f64,
}

impl Sku {
    /// The price in cents, so that a sum of many is exact.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a checked price is far below 2^64, and a float cast saturates"
    )]
    pub(crate) fn cents(&self) -> u64 {
        (self.price_usd * 100.0).round() as u64
    }
}

/// Every cable that is sold, shorter ones first, and the slack each needs.
///
/// # Examples
///
/// The default is the paper's list (Figure 3), without slack.
///
/// ```
/// use octopus_layout::PriceList;
///
/// let prices = PriceList::default();
/// assert_eq!(prices.sku(0.75).map(|sku| sku.price_usd), Some(29.0));
/// assert_eq!(prices.sku(0.775).map(|sku| sku.price_usd), Some(36.0));
/// assert_eq!(prices.sku(1.525), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PriceList {
    skus: Vec<Sku>,
    service_loop_m: f64,
}

impl Default for PriceList {
    fn default() -> Self {
        let skus = [(0.50, 30, 23.0), (0.75, 28, 29.0), (1.00, 28, 36.0), (1.25, 26, 55.0)];
        let skus = skus.into_iter().chain([(1.50, 26, 75.0)]);
        let sku = |(length_m, awg, price_usd)| Sku { length_m, awg, price_usd };
        Self { skus: skus.map(sku).collect(), service_loop_m: 0.0 }
    }
}

/// A price list's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    service_loop_m: f64,
    cable: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    length_m: f64,
    awg: u8,
    price_usd: f64,
}

impl PriceList {
    /// A list of cables in any order; `service_loop_m` is the slack a cable
    /// needs beyond the way between its ports, metres.
    ///
    /// Prices are rounded to whole cents.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] for no cables or more than [`MAX_SKUS`], [`Error::Entry`]
    /// for a length above 100 m or a price above $100,000, for either below a
    /// millimetre or a cent, and for a second cable of one length;
    /// [`Error::Number`] for a service loop that is negative or above 100 m.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::{PriceList, Sku};
    ///
    /// let free = vec![Sku { length_m: 1.0, awg: 28, price_usd: 0.0 }];
    /// let wrong = PriceList::new(free, 0.0).unwrap_err();
    /// assert_eq!(wrong.to_string(), "cable[0].price_usd is 0, expected 0.01 to 100000 dollars");
    /// ```
    pub fn new(mut skus: Vec<Sku>, service_loop_m: f64) -> Result<Self> {
        if !(1..=MAX_SKUS).contains(&skus.len()) {
            let value = skus.len();
            return Err(Error::Count { field: "cable", value, least: 1, most: MAX_SKUS });
        }
        if !(0.0..=MOST_M).contains(&service_loop_m) {
            let (field, value) = ("service_loop_m", service_loop_m);
            return Err(Error::Number { field, value, expected: "0 to 100 metres" });
        }
        for (index, sku) in skus.iter_mut().enumerate() {
            let wrong = |field, value, expected| {
                Err(Error::Entry { list: "cable", index, field, value, expected })
            };
            if !(0.001..=MOST_M).contains(&sku.length_m) {
                return wrong("length_m", sku.length_m, "0.001 to 100 metres");
            }
            if !(0.01..=100_000.0).contains(&sku.price_usd) {
                return wrong("price_usd", sku.price_usd, "0.01 to 100000 dollars");
            }
            sku.price_usd = sku.cents() as f64 / 100.0;
        }
        for (index, sku) in skus.iter().enumerate() {
            let same = |other: &Sku| (other.length_m - sku.length_m).abs() < EPSILON_M;
            if skus[..index].iter().any(same) {
                let (field, value) = ("length_m", sku.length_m);
                let expected = "a length no other cable has";
                return Err(Error::Entry { list: "cable", index, field, value, expected });
            }
        }
        skus.sort_by(|a, b| a.length_m.total_cmp(&b.length_m));
        Ok(Self { skus, service_loop_m })
    }

    /// From TOML: a `[[cable]]` table each with `length_m`, `awg` and
    /// `price_usd`, and `service_loop_m` (0 where left out) before them.
    ///
    /// # Errors
    ///
    /// [`Error::Toml`] with the line, for a key that is unknown too, and what
    /// [`PriceList::new`] refuses.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::PriceList;
    ///
    /// let prices = PriceList::from_toml(
    ///     "service_loop_m = 0.1
    ///      [[cable]]
    ///      length_m = 1.0
    ///      awg = 28
    ///      price_usd = 36",
    /// )?;
    /// assert_eq!(prices.sku(0.9).map(|sku| sku.awg), Some(28));
    /// assert_eq!(prices.sku(0.95), None);
    /// let wrong = PriceList::from_toml("service_lop_m = 0.1").unwrap_err();
    /// assert!(wrong.to_string().starts_with("line 1: unknown field `service_lop_m`"));
    /// # Ok::<(), octopus_layout::Error>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self> {
        let File { service_loop_m, cable } =
            toml::from_str(text).map_err(|error| toml_error(text, &error))?;
        let sku = |Row { length_m, awg, price_usd }| Sku { length_m, awg, price_usd };
        Self::new(cable.into_iter().map(sku).collect(), service_loop_m)
    }

    /// The cables, shorter ones first.
    ///
    /// ```
    /// # use octopus_layout::PriceList;
    /// assert_eq!(PriceList::default().skus().len(), 5);
    /// ```
    #[must_use]
    pub fn skus(&self) -> &[Sku] {
        &self.skus
    }

    /// The slack each cable needs beyond the way between its ports, metres.
    ///
    /// ```
    /// # use octopus_layout::PriceList;
    /// assert!(PriceList::default().service_loop_m().abs() < 1e-12);
    /// ```
    #[must_use]
    pub fn service_loop_m(&self) -> f64 {
        self.service_loop_m
    }

    /// The cheapest cable that reaches `length_m` and the service loop; of two
    /// of one price the shorter.
    ///
    /// ```
    /// # use octopus_layout::PriceList;
    /// // within a nanometre is rounding
    /// assert_eq!(PriceList::default().sku(0.5 + 1e-10).map(|sku| sku.awg), Some(30));
    /// ```
    #[must_use]
    pub fn sku(&self, length_m: f64) -> Option<&Sku> {
        let reaches = |sku: &&Sku| length_m + self.service_loop_m <= sku.length_m + EPSILON_M;
        self.skus.iter().filter(reaches).min_by_key(|sku| sku.cents())
    }

    /// The longest cable, metres.
    pub(crate) fn longest_m(&self) -> f64 {
        self.skus.last().map_or(0.0, |sku| sku.length_m)
    }
}

fn toml_error(text: &str, error: &toml::de::Error) -> Error {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    Error::Toml {
        line: 1 + before.matches('\n').count(),
        message: error.message().lines().next().unwrap_or_default().to_owned(),
    }
}
