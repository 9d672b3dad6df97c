//! One colour a role, in light and in dark.

use std::fmt::Write;

/// A colour on white paper, and what stands for it on a dark page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colour {
    /// On white; the drawings carry this one.
    pub(crate) light: &'static str,
    /// On a dark page.
    dark: &'static str,
}

const fn colour(light: &'static str, dark: &'static str) -> Colour {
    Colour { light, dark }
}

/// The paper itself.
pub(crate) const PAPER: Colour = colour("#ffffff", "#171c22");
/// Text and axes.
pub(crate) const INK: Colour = colour("#1b242f", "#e6ebf1");
/// Side remarks.
pub(crate) const MUTED: Colour = colour("#5a6675", "#a3afbd");
/// Grid lines and panels' edges.
pub(crate) const GRID: Colour = colour("#d8dee6", "#343d48");
/// A panel's ground.
pub(crate) const PANEL: Colour = colour("#f5f7fa", "#1f262e");
/// A cable nobody is asked to follow.
pub(crate) const CABLE: Colour = colour("#c3ccd8", "#465362");
/// A server's ground and edge.
pub(crate) const SERVER: (Colour, Colour) =
    (colour("#dce9fb", "#1d3557"), colour("#2a62b0", "#7fb2f5"));
/// An island MPD's ground and edge.
pub(crate) const MPD: (Colour, Colour) =
    (colour("#fdebd2", "#4d3313"), colour("#a9610a", "#eaa954"));
/// An external MPD's, a switch's, or a switch's device's ground and edge.
pub(crate) const EXTERNAL: (Colour, Colour) =
    (colour("#dcf2e6", "#163f2c"), colour("#197348", "#69cf9d"));
/// What the reader is asked to follow.
pub(crate) const HIGHLIGHT: Colour = colour("#c4203f", "#ff7d92");

/// Series of a plot, told apart by most colour-blind readers (Okabe and Ito,
/// darkened where they were too pale for white).
pub(crate) const SERIES: [Colour; 6] = [
    colour("#0068a8", "#5db7f0"),
    colour("#c85200", "#ff9a52"),
    colour("#007f5f", "#45cfa5"),
    colour("#9b4f96", "#dc95d6"),
    colour("#6b6b00", "#cfcf50"),
    colour("#444f5c", "#b5c1cf"),
];

fn every() -> impl Iterator<Item = Colour> {
    let pairs = [SERVER, MPD, EXTERNAL].into_iter().flat_map(|(ground, edge)| [ground, edge]);
    [PAPER, INK, MUTED, GRID, PANEL, CABLE, HIGHLIGHT].into_iter().chain(pairs).chain(SERIES)
}

/// Style rules that turn the drawings' light colours into the dark ones.
///
/// A style rule outranks an attribute, so the drawings need no second version.
pub(crate) fn css() -> String {
    let mut css = String::new();
    for Colour { light, dark } in every() {
        for attribute in ["fill", "stroke"] {
            // Writing to a String does not fail.
            let _ = writeln!(
                css,
                "svg[{attribute}=\"{light}\"],svg [{attribute}=\"{light}\"]{{{attribute}:{dark}}}"
            );
        }
    }
    css
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(hex: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn what_must_be_read_can_be_read_in_light_and_dark() {
        let read = [INK, MUTED, HIGHLIGHT, SERVER.1, MPD.1, EXTERNAL.1].into_iter().chain(SERIES);
        for Colour { light, dark } in read {
            assert!(contrast(light, PAPER.light) >= 4.5, "{light} on white");
            assert!(contrast(dark, PAPER.dark) >= 4.5, "{dark} on dark");
        }
    }

    #[test]
    fn no_light_colour_has_two_dark_ones() {
        let lights: Vec<_> = every().map(|colour| colour.light).collect();
        let distinct: BTreeSet<_> = lights.iter().collect();
        assert_eq!(distinct.len(), lights.len());
    }
}
