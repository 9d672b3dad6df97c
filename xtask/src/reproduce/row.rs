//! A value of the paper beside ours, and what the two have to do with each other.

use serde::{Serialize, Serializer};

/// A value as the paper prints it or as we find it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A number, in the row's unit.
    Number(f64),
    /// A word, where the paper prints one.
    Text(String),
}

impl Value {
    /// A count.
    pub(crate) fn count(count: usize) -> Self {
        Self::Number(count as f64)
    }

    /// As a reader wants it: whole numbers whole, others with two decimals.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Number(number) if number.fract() == 0.0 => format!("{number:.0}"),
            Self::Number(number) => format!("{number:.2}"),
            Self::Text(text) => text.clone(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            // Six decimals are beyond every figure's precision, and keep the file readable.
            Self::Number(number) => match whole(*number) {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64((number * 1e6).round() / 1e6),
            },
        }
    }
}

/// The number as an integer, if it is one of a size that f64 holds exactly.
fn whole(number: f64) -> Option<i64> {
    let fits = number.fract() == 0.0 && number.abs() < 9e15;
    fits.then(|| format!("{number:.0}").parse().ok()).flatten()
}

/// How our value came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Counted or proved on the topology.
    Computed,
    /// The outcome of a simulation or of arithmetic on assumptions.
    Modelled,
}

impl Kind {
    /// Its name in the contract.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Modelled => "modelled",
        }
    }
}

/// How our value stands to the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// Rounds to the paper's printed digits, or the paper's value lies in our
    /// stated interval.
    Matches,
    /// It does not; the note says why, or that we do not know.
    Differs,
    /// What the paper reports is not what happens here.
    NotReproduced,
    /// The paper prints no value, or one of another thing.
    NotComparable,
}

impl Verdict {
    /// Its name in the contract.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Matches => "matches",
            Self::Differs => "differs",
            Self::NotReproduced => "not-reproduced",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// One line of `summary.json`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    /// The table or figure.
    pub(crate) id: &'static str,
    /// What of it.
    pub(crate) item: String,
    /// The unit of both values; empty for a class or a bare number.
    pub(crate) unit: &'static str,
    /// The paper's value, where it prints one.
    pub(crate) paper: Option<Value>,
    /// Our value.
    pub(crate) ours: Value,
    /// How ours came to be.
    pub(crate) kind: Kind,
    /// How the two stand to each other.
    pub(crate) verdict: Verdict,
    /// Why.
    pub(crate) note: String,
}

/// Whether `ours` rounds to the paper's printed digits.
pub(crate) fn rounds_to(paper: f64, decimals: i32, ours: f64) -> bool {
    let unit = 10f64.powi(decimals);
    // Two whole numbers: they are the same or differ by one at least.
    ((ours * unit).round() - (paper * unit).round()).abs() < 0.5
}

/// Judges a number: by the paper's printed digits, then by our interval.
pub(crate) fn judge(paper: f64, decimals: i32, ours: f64, interval: Option<(f64, f64)>) -> Verdict {
    let inside = interval.is_some_and(|(low, high)| (low..=high).contains(&paper));
    if rounds_to(paper, decimals, ours) || inside { Verdict::Matches } else { Verdict::Differs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_follows_the_contract() {
        assert_eq!(judge(16.0, 0, 16.4, None), Verdict::Matches);
        assert_eq!(judge(16.0, 0, 16.6, None), Verdict::Differs);
        assert_eq!(judge(16.0, 0, 16.6, Some((15.9, 17.3))), Verdict::Matches);
        assert_eq!(judge(1.5, 1, 1.41, Some((1.38, 1.44))), Verdict::Differs);
        assert_eq!(judge(96.0, 0, 95.0, None), Verdict::Differs);
    }

    #[test]
    fn a_row_is_written_as_the_contract_has_it() {
        let row = Row {
            id: "table3",
            item: "octopus-96 servers".into(),
            unit: "servers",
            paper: Some(Value::count(96)),
            ours: Value::Number(95.5),
            kind: Kind::Computed,
            verdict: Verdict::NotComparable,
            note: "n".into(),
        };
        assert_eq!(
            serde_json::to_string(&row).unwrap(),
            r#"{"id":"table3","item":"octopus-96 servers","unit":"servers","paper":96,"ours":95.5,"kind":"computed","verdict":"not-comparable","note":"n"}"#
        );
    }

    #[test]
    fn names_are_those_that_serde_writes() {
        for verdict in
            [Verdict::Matches, Verdict::Differs, Verdict::NotReproduced, Verdict::NotComparable]
        {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.name());
        }
        for kind in [Kind::Computed, Kind::Modelled] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
