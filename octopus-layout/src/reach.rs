//! How far a copper cable reaches.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// What a signal may lose on its way, and what takes it, in dB at 16 GHz
/// (section 2).
///
/// # Examples
///
/// The default is the paper's budget.
///
/// ```
/// use octopus_layout::LossBudget;
///
/// let budget = LossBudget::default();
/// assert!((budget.reach_m()? - 1.5).abs() < 1e-12);
/// let two_connectors = LossBudget { connectors_db: 2.0, ..budget };
/// assert!((two_connectors.reach_m()? - 1.2).abs() < 1e-12);
/// # Ok::<(), octopus_layout::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LossBudget {
    /// The whole budget: 36 dB in section 2.
    pub total_db: f64,
    /// What package, motherboard and MPD board take: about 26 dB in section 2.
    pub spent_db: f64,
    /// What both connectors take, where `per_m_db` does not count them; 0 by
    /// default, since the paper gives one figure for cable and connectors.
    pub connectors_db: f64,
    /// What a metre of cable takes. Inferred, not cited: the paper prints no
    /// loss a metre, but its 10 dB for cable and connectors and its 1.5 m imply
    /// 6.67 dB, connectors counted in.
    pub per_m_db: f64,
}

impl Default for LossBudget {
    fn default() -> Self {
        Self { total_db: 36.0, spent_db: 26.0, connectors_db: 0.0, per_m_db: 10.0 / 1.5 }
    }
}

impl LossBudget {
    /// The longest cable that leaves enough of the signal, metres.
    ///
    /// # Errors
    ///
    /// [`Error::Number`] for a loss that is not a number, negative or above
    /// 1000 dB, for a cable that loses less than 0.001 dB a metre, and where
    /// nothing is left for the cable.
    ///
    /// # Examples
    ///
    /// ```
    /// use octopus_layout::LossBudget;
    ///
    /// let spent = LossBudget { spent_db: 36.0, ..LossBudget::default() };
    /// assert_eq!(
    ///     spent.reach_m().unwrap_err().to_string(),
    ///     "total_db is 36, expected more than spent_db and connectors_db together",
    /// );
    /// ```
    pub fn reach_m(&self) -> Result<f64> {
        for (field, value) in [
            ("total_db", self.total_db),
            ("spent_db", self.spent_db),
            ("connectors_db", self.connectors_db),
        ] {
            if !(0.0..=1000.0).contains(&value) {
                return Err(Error::Number { field, value, expected: "0 to 1000 dB" });
            }
        }
        if !(0.001..=1000.0).contains(&self.per_m_db) {
            let (field, value) = ("per_m_db", self.per_m_db);
            return Err(Error::Number { field, value, expected: "0.001 to 1000 dB" });
        }
        let left_db = self.total_db - self.spent_db - self.connectors_db;
        if left_db <= 0.0 {
            let (field, value) = ("total_db", self.total_db);
            let expected = "more than spent_db and connectors_db together";
            return Err(Error::Number { field, value, expected });
        }
        Ok(left_db / self.per_m_db)
    }
}
