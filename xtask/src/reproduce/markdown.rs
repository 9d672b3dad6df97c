//! The report as Markdown, for terminals and version control.

use std::fmt::Write;

use super::html::shown;
use super::item::{Item, Table};
use super::setting::Setting;

/// The whole file. Figures stand beside it as `ID.svg`, data as `ID.csv`.
pub(crate) fn page(items: &[Item], setting: &Setting) -> String {
    let mut page = format!("# Octopus pods, reproduced\n\n{}\n", setting.lead());
    let mut say = |text: &str| {
        // Writing to a String does not fail.
        let _ = writeln!(page, "\n{text}");
    };
    let headlines: Vec<_> = items
        .iter()
        .filter_map(|item| item.headline.as_ref())
        .map(|line| format!("- {line}"))
        .collect();
    if !headlines.is_empty() {
        say(&format!("## In short\n\n{}", headlines.join("\n")));
    }
    for item in items {
        say(&format!("## {}", item.title));
        say(&item.caption);
        for drawing in item.drawings.iter().take(1) {
            let captions: Vec<_> =
                item.drawings.iter().map(|panel| panel.caption.as_str()).collect();
            say(&format!("![{}]({}.svg)", drawing.caption, item.id));
            say(&captions.join("\n\n"));
        }
        if item.table_first {
            say(item.table.to_markdown().trim_end());
        }
        say(&format!("> {}", item.provenance));
        if !item.rows.is_empty() {
            say(compared(item).to_markdown().trim_end());
        }
        if !item.table_first && !item.table.rows.is_empty() {
            say(&format!("The data: [{id}.csv]({id}.csv).", id = item.id));
        }
    }
    page
}

fn compared(item: &Item) -> Table {
    let mut table = Table::new(["value", "paper", "here", "how", "verdict", "note"]);
    for row in &item.rows {
        table.push([
            row.item.clone(),
            shown(row.paper.as_ref(), row.unit),
            shown(Some(&row.ours), row.unit),
            row.kind.name().to_owned(),
            row.verdict.name().to_owned(),
            row.note.clone(),
        ]);
    }
    table
}
