//! Which cables to buy, where each one goes, and placements that need cheaper ones.

mod anneal;
mod plan;
mod prices;

pub use anneal::cheaper;
pub use plan::{Cable, Plan, plan};
pub use prices::{MAX_SKUS, PriceList, Sku};
