//! Outside text inside one-line messages.

/// The most characters of outside text a message repeats.
const MOST: usize = 100;

/// `text` on one line, shortened to about [`MOST`] characters.
///
/// A message is printed on a user's terminal, so control characters (line
/// breaks and escape sequences among them) are escaped.
pub(crate) fn clip(text: &str) -> String {
    let mut kept: String = text.chars().take(MOST).flat_map(printable).collect();
    if text.chars().nth(MOST).is_some() {
        kept.push_str("...");
    }
    kept
}

fn printable(c: char) -> impl Iterator<Item = char> {
    let escape = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let (escaped, kept) = if escape { (Some(c.escape_default()), None) } else { (None, Some(c)) };
    escaped.into_iter().flatten().chain(kept)
}

#[cfg(test)]
mod tests {
    use super::{MOST, clip};

    #[test]
    fn stays_on_one_line_and_short() {
        assert_eq!(clip("a\nb\u{1b}[2J"), r"a\nb\u{1b}[2J");
        assert_eq!(clip(&"x".repeat(MOST)), "x".repeat(MOST));
        assert_eq!(clip(&"x".repeat(1 << 20)), "x".repeat(MOST) + "...");
    }
}
