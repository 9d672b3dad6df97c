//! The loss budget of a cable.

use octopus_layout::LossBudget;

#[test]
fn losses_that_make_no_sense_are_refused_by_field() {
    let paper = LossBudget::default();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, 1e9] {
        for (field, budget) in [
            ("total_db", LossBudget { total_db: bad, ..paper }),
            ("spent_db", LossBudget { spent_db: bad, ..paper }),
            ("connectors_db", LossBudget { connectors_db: bad, ..paper }),
            ("per_m_db", LossBudget { per_m_db: bad, ..paper }),
        ] {
            let error = budget.reach_m().unwrap_err().to_string();
            assert!(error.starts_with(&format!("{field} is ")), "{error}");
        }
    }
    assert!(LossBudget { per_m_db: 0.0, ..paper }.reach_m().is_err());
}

#[test]
fn a_spent_budget_reaches_nowhere() {
    let paper = LossBudget::default();
    assert!(LossBudget { total_db: 26.0, ..paper }.reach_m().is_err());
    assert!(LossBudget { connectors_db: 10.0, ..paper }.reach_m().is_err());
    assert!(LossBudget { connectors_db: 9.0, ..paper }.reach_m().is_ok());
}

#[test]
fn the_default_reaches_the_longest_cable_of_the_price_list() {
    let reach_m = LossBudget::default().reach_m().unwrap();
    let skus = octopus_layout::PriceList::default().skus().to_vec();
    assert!((reach_m - skus.last().unwrap().length_m).abs() < 1e-12);
}
