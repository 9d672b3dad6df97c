//! A table or figure of the report, before it is written in any format.

use super::row::Row;

/// A table of text, the data behind an item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Column heads.
    pub(crate) head: Vec<String>,
    /// Rows, as long as the head.
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these heads.
    pub(crate) fn new<const N: usize>(head: [&str; N]) -> Self {
        Self { head: head.map(str::to_owned).to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// As CSV (RFC 4180, with bare line feeds).
    pub(crate) fn to_csv(&self) -> String {
        let quoted = |cell: &String| {
            if cell.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        let lines = std::iter::once(&self.head).chain(&self.rows);
        lines.map(|row| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n").collect()
    }

    /// As a Markdown table.
    pub(crate) fn to_markdown(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<_> =
                row.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        line(&self.head) + &rule + &self.rows.iter().map(line).collect::<String>()
    }
}

/// One drawing.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    /// What is written under it.
    pub(crate) caption: String,
    /// The drawing; this one goes to the SVG file.
    pub(crate) wide: String,
    /// The same for a narrow screen, where scaling it down would make its text
    /// too small to read.
    pub(crate) narrow: Option<String>,
}

/// One item of the report.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// As `--only` knows it.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// What it shows.
    pub(crate) caption: String,
    /// How it came to be: computed here, modelled, with what inputs.
    pub(crate) provenance: String,
    /// Its drawings, if it is a figure.
    pub(crate) drawings: Vec<Drawing>,
    /// The data.
    pub(crate) table: Table,
    /// Whether the table is what the reader came for, rather than the data
    /// behind a drawing.
    pub(crate) table_first: bool,
    /// Ours beside the paper's.
    pub(crate) rows: Vec<Row>,
    /// What a reader in a hurry should know, for the head of the report.
    pub(crate) headline: Option<String>,
}

impl Item {
    /// The drawings as one SVG file, below each other where there are several.
    pub(crate) fn svg(&self) -> Option<String> {
        match self.drawings.as_slice() {
            [] => None,
            [only] => Some(only.wide.clone()),
            several => Some(stacked(several)),
        }
    }
}

/// Drawings below each other in one SVG.
fn stacked(drawings: &[Drawing]) -> String {
    let size = |svg: &str, name: &str| -> f64 {
        let value =
            svg.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
        value.and_then(|(value, _)| value.parse().ok()).unwrap_or(0.0)
    };
    let (mut width, mut height, mut body) = (0.0f64, 0.0f64, String::new());
    for drawing in drawings {
        body += &drawing.wide.replacen("<svg ", &format!("<svg y=\"{height}\" "), 1);
        width = width.max(size(&drawing.wide, "width"));
        height += size(&drawing.wide, "height");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">{body}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_what_must_be_quoted() {
        let mut table = Table::new(["a", "b"]);
        table.push(["1,5".into(), "say \"x\"".into()]);
        assert_eq!(table.to_csv(), "a,b\n\"1,5\",\"say \"\"x\"\"\"\n");
        assert_eq!(table.to_markdown(), "| a | b |\n|---|---|\n| 1,5 | say \"x\" |\n");
    }

    #[test]
    fn panels_are_stacked() {
        let panel = |height: u32| Drawing {
            caption: String::new(),
            wide: format!("<svg width=\"10\" height=\"{height}\"></svg>"),
            narrow: None,
        };
        let svg = stacked(&[panel(5), panel(7)]);
        assert!(svg.contains("viewBox=\"0 0 10 12\"") && svg.contains("<svg y=\"5\" "));
    }
}
