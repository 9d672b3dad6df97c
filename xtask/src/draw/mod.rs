//! Drawings as SVG text: plots by kuva, wiring by hand.
//!
//! Every drawing comes in the light colours of [`palette`] and is complete in
//! itself; the report recolours them for dark readers by [`palette::css`].

pub(crate) mod island;
pub(crate) mod palette;
pub(crate) mod plot;
pub(crate) mod pods;
#[cfg_attr(not(test), expect(dead_code, reason = "the verb place lands next"))]
pub(crate) mod racks;
mod shape;
