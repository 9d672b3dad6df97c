//! The report as one HTML file: no scripts, nothing loaded from elsewhere.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::item::{Drawing, Item, Table};
use super::row::{Row, Value, Verdict};
use super::setting::Setting;
use crate::draw::palette;

const CSS: &str = include_str!("report.css");

/// Dark values of the page's own colours; the drawings' come from the palette.
const DARK: &str = ":root{--paper:#171c22;--ink:#e6ebf1;--muted:#a3afbd;--grid:#343d48;\
                    --panel:#1f262e;--accent:#5db7f0;--good:#5fc796;--bad:#ff9a7d}";

/// The whole file.
pub(crate) fn page(items: &[Item], setting: &Setting) -> String {
    // Ink on white costs less toner: print is always light.
    let css =
        format!("{CSS}@media screen and (prefers-color-scheme:dark){{{DARK}\n{}}}", palette::css());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Octopus pods, reproduced" }
                style { (PreEscaped(css)) }
            }
            body {
                main {
                    h1 { "Octopus pods, reproduced" }
                    p.lead { (setting.lead()) }
                    (summary(items))
                    nav aria-label="Contents" {
                        ol { @for item in items { li { a href={ "#" (item.id) } { (item.title) } } } }
                    }
                    @for item in items { (section(item)) }
                    footer { (footer(setting)) }
                }
            }
        }
    }
    .into_string()
}

fn summary(items: &[Item]) -> Markup {
    let rows: Vec<&Row> = items.iter().flat_map(|item| &item.rows).collect();
    let count = |verdict| rows.iter().filter(|row| row.verdict == verdict).count();
    let differing: Vec<_> = rows
        .iter()
        .filter(|row| matches!(row.verdict, Verdict::Differs | Verdict::NotReproduced))
        .collect();
    html! {
        div.summary {
            h2 { "In short" }
            ul {
                @for headline in items.iter().filter_map(|item| item.headline.as_ref()) {
                    li { (headline) }
                }
                li {
                    "Of " (rows.len()) " values set beside the paper, "
                    (count(Verdict::Matches)) " match, "
                    (count(Verdict::Differs)) " differ, "
                    (count(Verdict::NotReproduced)) " are not reproduced, "
                    (count(Verdict::NotComparable)) " cannot be compared."
                }
            }
            @if !differing.is_empty() {
                h3 { "Where we differ" }
                ul {
                    @for row in differing {
                        li {
                            a href={ "#" (row.id) } { (row.item) }
                            ": paper " (shown(row.paper.as_ref(), row.unit)) ", here "
                            (shown(Some(&row.ours), row.unit)) ". " (row.note)
                        }
                    }
                }
            }
        }
    }
}

fn section(item: &Item) -> Markup {
    html! {
        section id=(item.id) {
            h2 { (item.title) }
            p.caption { (prose(&item.caption)) }
            @for drawing in &item.drawings { (figure(drawing)) }
            @if item.table_first { (table(&item.table)) }
            p.how { (prose(&item.provenance)) }
            @if !item.rows.is_empty() {
                h3 { "Beside the paper" }
                (comparison(&item.rows))
            }
            @if !item.table_first && !item.table.rows.is_empty() {
                details {
                    summary { "The data (" (item.table.rows.len()) " rows, also in " (item.id) ".csv)" }
                    (table(&item.table))
                }
            }
        }
    }
}

/// Text in which what stands between backticks is code, as in Markdown.
fn prose(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn figure(drawing: &Drawing) -> Markup {
    html! {
        figure {
            @match &drawing.narrow {
                Some(narrow) => {
                    div.wide.paired { (PreEscaped(&drawing.wide)) }
                    div.narrow { (PreEscaped(narrow)) }
                }
                None => { div.wide { (PreEscaped(&drawing.wide)) } }
            }
            figcaption { (prose(&drawing.caption)) }
        }
    }
}

fn table(table: &Table) -> Markup {
    html! {
        // A wide table is scrolled, by keyboard too.
        div.scroll tabindex="0" {
            table {
                thead { tr { @for head in &table.head { th scope="col" { (head) } } } }
                tbody { @for row in &table.rows { tr { @for cell in row { td { (cell) } } } } }
            }
        }
    }
}

fn comparison(rows: &[Row]) -> Markup {
    html! {
        table.stack {
            thead { tr { @for head in ["Value", "Paper", "Here", "How", "Verdict", "Note"] { th scope="col" { (head) } } } }
            tbody {
                @for row in rows {
                    tr {
                        td data-head="Value" { (row.item) }
                        td data-head="Paper" { (shown(row.paper.as_ref(), row.unit)) }
                        td data-head="Here" { (shown(Some(&row.ours), row.unit)) }
                        td data-head="How" { (row.kind.name()) }
                        td data-head="Verdict" { span class={ "verdict " (row.verdict.name()) } { (row.verdict.name()) } }
                        td.note data-head="Note" { (row.note) }
                    }
                }
            }
        }
    }
}

/// A value with its unit, or a dash where there is none.
pub(crate) fn shown(value: Option<&Value>, unit: &str) -> String {
    match value {
        None => "–".to_owned(),
        // a word such as “similar” has no unit, bounds such as “63–72” have
        Some(Value::Text(text)) if !text.starts_with(|c: char| c.is_ascii_digit()) => text.clone(),
        Some(value) if unit.is_empty() => value.shown(),
        Some(value) if unit == "%" => format!("{}%", value.shown()),
        Some(value) => format!("{} {unit}", value.shown()),
    }
}

fn footer(setting: &Setting) -> Markup {
    html! {
        p {
            "Made by " code { "cargo xtask reproduce" } ", version " (env!("CARGO_PKG_VERSION"))
            ", seed " (setting.seed) ". The same inputs give the same bytes on any number of jobs. "
            "The paper is “Octopus: Enhancing CXL Memory Pods via Sparse Topology”; its values are cited from its text."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::Value;
    use super::*;

    #[test]
    fn what_is_shown_has_its_unit() {
        assert_eq!(shown(Some(&Value::Number(16.0)), "%"), "16%");
        assert_eq!(shown(Some(&Value::Number(1.256)), "x"), "1.26 x");
        assert_eq!(shown(Some(&Value::from("Low (16)")), ""), "Low (16)");
        assert_eq!(shown(Some(&Value::from("similar")), "points"), "similar");
        assert_eq!(shown(Some(&Value::from("63–72")), "MPDs"), "63–72 MPDs");
        assert_eq!(shown(None, "%"), "–");
    }

    #[test]
    fn style_holds_nothing_that_ends_it() {
        assert!(!CSS.contains('<') && !palette::css().contains('<'));
    }
}
