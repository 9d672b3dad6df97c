//! Plots of numbers, drawn by kuva in a fixed order.

use kuva::prelude::{
    BarPlot, Layout, LegendEntry, LegendPosition, LegendShape, LinePlot, MarkerShape, Plot,
    ReferenceLine, ScatterPlot, SvgBackend, Theme, TickFormat, render_multiple,
};

use super::palette::{Colour, GRID, INK, MUTED, PAPER, SERIES};

/// How much room a plot has. The text is of one size in both, so that it can
/// be read on a telephone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// A desk or a sheet of paper.
    Wide,
    /// 400 pixels less the page's margins.
    Narrow,
}

impl Room {
    const fn size(self) -> (f64, f64) {
        match self {
            Self::Wide => (760.0, 460.0),
            Self::Narrow => (350.0, 430.0),
        }
    }

    /// A part of the ids inside a drawing: two drawings on one page must share none.
    const fn mark(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// One value of a series, with the interval it is known to lie in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// Where on the x axis.
    pub(crate) x: f64,
    /// The value drawn.
    pub(crate) y: f64,
    /// The interval around `y`, where there is one wider than a point.
    pub(crate) interval: Option<(f64, f64)>,
    /// Filled if true; hollow where `y` is only a bound.
    pub(crate) exact: bool,
}

/// A named series, in the order of its x values.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// As in the legend.
    pub(crate) name: String,
    /// Its values.
    pub(crate) values: Vec<Value>,
}

/// What the axes say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axes {
    /// The figure's id, for ids inside the drawing.
    pub(crate) id: &'static str,
    /// Under the x axis.
    pub(crate) x: &'static str,
    /// Beside the y axis.
    pub(crate) y: &'static str,
    /// The step of the x ticks.
    pub(crate) x_step: f64,
    /// A value the paper prints, as a dashed level with its label.
    pub(crate) level: Option<(f64, &'static str)>,
    /// What a hollow point means, where there can be one.
    pub(crate) hollow: Option<&'static str>,
}

/// Half a marker's width.
const SIZE: f64 = 4.0;

const MARKERS: [MarkerShape; 5] = [
    MarkerShape::Circle,
    MarkerShape::Square,
    MarkerShape::Triangle,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
];

/// Lines through points; exact values filled, bounds hollow with their interval.
pub(crate) fn lines(series: &[Series], axes: &Axes, room: Room) -> String {
    let mut plots = Vec::new();
    let mut legend = Vec::new();
    for (number, Series { name, values }) in series.iter().enumerate() {
        let (colour, marker) = (SERIES[number % SERIES.len()], MARKERS[number % MARKERS.len()]);
        let line = LinePlot::new()
            .with_data(values.iter().map(|value| (value.x, value.y)))
            .with_color(colour.light)
            .with_stroke_width(1.4);
        plots.push(Plot::Line(line));
        for exact in [true, false] {
            let points: Vec<_> = values.iter().filter(|value| value.exact == exact).collect();
            if !points.is_empty() {
                plots.push(Plot::Scatter(dots(&points, colour, marker)));
                if !exact {
                    plots.push(Plot::Scatter(holes(&points, marker)));
                }
            }
        }
        legend.push(entry(name, colour, LegendShape::Marker(marker)));
    }
    if let Some(text) = axes.hollow {
        legend.push(entry(text, MUTED, LegendShape::Line));
    }
    let mut layout = Layout::auto_from_plots(&plots)
        .with_x_label(axes.x)
        .with_y_label(axes.y)
        .with_x_tick_step(axes.x_step)
        .with_legend_entries(legend);
    if let Some((level, text)) = axes.level {
        let line = ReferenceLine::horizontal(level).with_color(MUTED.light);
        // a narrow plot has no room for it beside the lines; the caption says it
        let line = if room == Room::Wide { line.with_label(text) } else { line };
        layout = layout.with_reference_line(line);
    }
    finish(plots, layout, axes.id, room)
}

fn dots(values: &[&Value], colour: Colour, marker: MarkerShape) -> ScatterPlot {
    let reach = values.iter().map(|value| {
        value.interval.map_or((0.0, 0.0), |(low, high)| (value.y - low, high - value.y))
    });
    let dots = ScatterPlot::new()
        .with_data(values.iter().map(|value| (value.x, value.y)))
        .with_color(colour.light)
        .with_marker(marker)
        .with_size(SIZE);
    if values.iter().any(|value| value.interval.is_some()) {
        dots.with_y_err_asymmetric(reach)
    } else {
        dots
    }
}

/// What makes a marker hollow. kuva has an opacity for circles alone, so a
/// smaller marker of the paper's colour lies on the first.
fn holes(values: &[&Value], marker: MarkerShape) -> ScatterPlot {
    ScatterPlot::new()
        .with_data(values.iter().map(|value| (value.x, value.y)))
        .with_color(PAPER.light)
        .with_marker(marker)
        .with_size(0.55 * SIZE)
}

/// One bar, with its interval and the paper's value where it prints one.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// Under the bar.
    pub(crate) name: String,
    /// Its length.
    pub(crate) value: f64,
    /// Below and above `value`.
    pub(crate) reach: (f64, f64),
    /// The paper's value.
    pub(crate) paper: Option<f64>,
}

/// Lying bars with intervals, and diamonds for the paper's values.
pub(crate) fn bars(id: &str, bars: &[Bar], axis: &str, room: Room) -> String {
    let mut drawn = BarPlot::new().with_horizontal(true).with_width(0.6);
    // The first bar belongs on top, where reading starts.
    for bar in bars.iter().rev() {
        drawn = drawn.with_colored_bar(bar.name.as_str(), bar.value, SERIES[0].light);
    }
    drawn = drawn
        .with_asymmetric_error(bars.iter().rev().map(|bar| bar.reach))
        .with_error_color(INK.light);
    let paper = bars
        .iter()
        .rev()
        .enumerate()
        .filter_map(|(place, bar)| bar.paper.map(|value| (value, place as f64 + 1.0)));
    let diamonds = ScatterPlot::new()
        .with_data(paper)
        .with_color(SERIES[1].light)
        .with_marker(MarkerShape::Diamond)
        .with_size(6.0);
    let plots = vec![Plot::Bar(drawn), Plot::Scatter(diamonds)];
    let layout = Layout::auto_from_plots(&plots).with_x_label(axis).with_legend_entries(vec![
        entry("mean, 95% interval", SERIES[0], LegendShape::Rect),
        entry("paper", SERIES[1], LegendShape::Marker(MarkerShape::Diamond)),
    ]);
    finish(plots, layout, id, room)
}

fn entry(label: &str, colour: Colour, shape: LegendShape) -> LegendEntry {
    LegendEntry { label: label.to_owned(), color: colour.light.to_owned(), shape, dasharray: None }
}

fn finish(plots: Vec<Plot>, layout: Layout, id: &str, room: Room) -> String {
    let (width, height) = room.size();
    let theme = Theme {
        background: PAPER.light.into(),
        axis_color: INK.light.into(),
        grid_color: GRID.light.into(),
        tick_color: INK.light.into(),
        text_color: INK.light.into(),
        legend_bg: PAPER.light.into(),
        legend_border: PAPER.light.into(),
        font_family: Some("system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif".into()),
        ..Theme::light()
    };
    let layout = layout
        .with_theme(theme)
        .with_width(width)
        .with_height(height)
        .with_legend_position(LegendPosition::OutsideBottomColumns)
        .with_legend_box(false)
        .with_x_tick_format(TickFormat::Auto);
    let drawn = SvgBackend::new().render_scene(&render_multiple(plots, layout));
    scalable(&with_own_ids(&drawn, &format!("{id}-{}", room.mark())))
}

/// Renames the clip paths after the figure.
///
/// kuva numbers them by a counter of the whole process, so that a drawing's
/// bytes would depend on what was drawn before it.
fn with_own_ids(svg: &str, id: &str) -> String {
    const PREFIX: &str = "kuva-clip-";
    let mut parts = svg.split(PREFIX);
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(digits);
        let place = seen.iter().position(|&known| known == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        renamed.extend([id, "-clip-", &place.to_string()]);
        renamed.push_str(rest);
    }
    renamed
}

/// Gives kuva's drawing a view box, so that it can shrink with the page.
fn scalable(svg: &str) -> String {
    let size = |attribute: &str| {
        let from = svg.split_once(&format!("{attribute}=\""))?.1;
        from.split_once('"').map(|(value, _)| value.to_owned())
    };
    match (size("width"), size("height")) {
        (Some(width), Some(height)) => svg.replacen(
            "<svg ",
            &format!("<svg viewBox=\"0 0 {width} {height}\" role=\"img\" "),
            1,
        ),
        _ => svg.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AXES: Axes = Axes {
        id: "f",
        x: "k",
        y: "MPDs",
        x_step: 5.0,
        level: Some((1.5, "paper")),
        hollow: Some("bound"),
    };

    fn series() -> Vec<Series> {
        let value = |x: f64, exact: bool| Value {
            x,
            y: 2.0 * x,
            interval: (!exact).then_some((2.0 * x - 1.0, 2.0 * x)),
            exact,
        };
        vec![Series { name: "pod".into(), values: vec![value(1.0, true), value(2.0, false)] }]
    }

    #[test]
    fn drawing_twice_gives_the_same_bytes() {
        for room in [Room::Wide, Room::Narrow] {
            let once = lines(&series(), &AXES, room);
            assert_eq!(once, lines(&series(), &AXES, room));
            assert!(once.starts_with("<svg viewBox=\"0 0 "));
            assert!(once.contains("MPDs") && once.contains("pod"));
            assert_eq!(once.contains("paper"), room == Room::Wide);
        }
    }

    #[test]
    fn a_bound_is_hollow_and_an_exact_value_is_not_whatever_the_marker() {
        let papers = |exact: bool| {
            let value = Value { x: 1.0, y: 2.0, interval: None, exact };
            let series = |number| Series { name: format!("pod {number}"), values: vec![value] };
            let series: Vec<Series> = (0..MARKERS.len()).map(series).collect();
            lines(&series, &AXES, Room::Wide).matches("fill=\"#ffffff\"").count()
        };
        assert_eq!(papers(false), papers(true) + MARKERS.len());
    }
}
