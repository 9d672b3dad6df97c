//! The few shapes the wiring diagrams are made of.

use maud::{Markup, PreEscaped, html};

use super::palette::{Colour, INK, PAPER};

/// A point, in the drawing's units, y downwards.
pub(crate) type Point = (f64, f64);

/// A number with one decimal: finer than any screen shows, and the same
/// bytes everywhere.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A whole drawing of the given size, with a title for readers who cannot see.
pub(crate) fn drawing(width: f64, height: f64, title: &str, body: &Markup) -> String {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(n(width)) height=(n(height))
            viewBox=(format!("0 0 {} {}", n(width), n(height))) role="img" aria-label=(title)
            font-family="system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif" fill=(INK.light) {
            rect width=(n(width)) height=(n(height)) fill=(PAPER.light) {}
            (body)
        }
    }
    .into_string()
}

/// A straight cable.
pub(crate) fn cable(from: Point, to: Point, colour: Colour, width: f64) -> Markup {
    html! {
        line x1=(n(from.0)) y1=(n(from.1)) x2=(n(to.0)) y2=(n(to.1))
            stroke=(colour.light) stroke-width=(n(width)) stroke-linecap="round" {}
    }
}

/// A server: a circle.
pub(crate) fn server(at: Point, radius: f64, paint: (Colour, Colour), edge: f64) -> Markup {
    html! {
        circle cx=(n(at.0)) cy=(n(at.1)) r=(n(radius)) fill=(paint.0.light)
            stroke=(paint.1.light) stroke-width=(n(edge)) {}
    }
}

/// A device: a square around `at`.
pub(crate) fn device(at: Point, half: f64, paint: (Colour, Colour), edge: f64) -> Markup {
    html! {
        rect x=(n(at.0 - half)) y=(n(at.1 - half)) width=(n(2.0 * half)) height=(n(2.0 * half))
            rx="1.5" fill=(paint.0.light) stroke=(paint.1.light) stroke-width=(n(edge)) {}
    }
}

/// A panel from its top left corner.
pub(crate) fn panel(at: Point, width: f64, height: f64, paint: (Colour, Colour)) -> Markup {
    html! {
        rect x=(n(at.0)) y=(n(at.1)) width=(n(width)) height=(n(height)) rx="8"
            fill=(paint.0.light) stroke=(paint.1.light) stroke-width="1.2" {}
    }
}

/// Text centred on `at`, which is its middle.
pub(crate) fn label(at: Point, size: f64, colour: Colour, text: &str) -> Markup {
    html! {
        // 0.35 em below the middle is where the baseline of capitals and digits lies.
        text x=(n(at.0)) y=(n(at.1 + 0.35 * size)) font-size=(n(size)) text-anchor="middle"
            fill=(colour.light) { (text) }
    }
}

/// As [`label`], with a rim of paper that keeps cables from crossing it.
pub(crate) fn rimmed(at: Point, size: f64, colour: Colour, text: &str) -> Markup {
    html! {
        g stroke=(PAPER.light) stroke-width="6" stroke-linejoin="round" {
            (label(at, size, PAPER, text))
        }
        (label(at, size, colour, text))
    }
}

/// Shapes one after the other: later ones lie on top.
pub(crate) fn all(shapes: impl IntoIterator<Item = Markup>) -> Markup {
    PreEscaped(shapes.into_iter().map(PreEscaped::into_string).collect())
}
