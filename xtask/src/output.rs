//! Where results go: stdout, one line of complaint, files written whole.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Writes a result to stdout.
///
/// A reader that has seen enough closes the pipe; that is its good right, so
/// the run goes on to its own exit status without a word.
///
/// # Errors
///
/// Whatever else keeps stdout from being written, such as a full disk.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("writing to standard output")
        }
        _ => Ok(()),
    }
}

/// Writes one line to stderr, whatever line breaks the message holds.
pub(crate) fn complain(message: &str) {
    note(&format!("error: {message}"));
}

/// Writes one line to stderr as it is: a warning, or where files went.
pub(crate) fn note(message: &str) {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    // Nobody is left to be told when stderr itself is closed.
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Writes a file whole or not at all: to a neighbour first, then by rename.
///
/// # Errors
///
/// The file's name and why it, or its folder, could not be written.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(cannot)?;
    }
    let part = part_name(path).with_context(cannot)?;
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The half-written neighbour is of no use to anyone.
        let _ = fs::remove_file(&part);
    }
    written.with_context(cannot)
}

/// A name beside `path`, of this process alone, that no listing shows first.
fn part_name(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().context("it names no file")?;
    let mut part = std::ffi::OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", std::process::id()));
    Ok(path.with_file_name(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_leaves_no_neighbour() {
        let folder = std::env::temp_dir().join(format!("octopus-output-{}", std::process::id()));
        let path = folder.join("deep").join("a.json");
        write_file(&path, b"one").unwrap();
        write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        // A folder stands where the file should go: refused, and nothing is left.
        assert!(write_file(&folder.join("deep"), b"x").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
