//! Results kept from run to run, never a stale one.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::output;

/// A folder of results.
///
/// An entry's name is the hash of everything its value follows from: what is
/// computed, every input, and the bytes of the running program. Any change to
/// one of them, a rebuilt program included, is another name. What is found
/// under a name is checked against a hash of its own before it is believed.
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    program: blake3::Hash,
    hits: Cell<usize>,
}

/// What an entry holds.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// blake3 of `value`.
    check: String,
    /// The result, as JSON text.
    value: String,
}

impl Cache {
    /// A cache in `folder`, or one that keeps nothing.
    ///
    /// # Errors
    ///
    /// If the running program cannot be read.
    pub(crate) fn open(folder: Option<PathBuf>) -> Result<Self> {
        let program = std::env::current_exe().and_then(fs::read);
        let program =
            program.context("cannot read the running program, whose hash the cache needs")?;
        Ok(Self { folder, program: blake3::hash(&program), hits: Cell::new(0) })
    }

    /// How many results were read rather than computed.
    pub(crate) fn hits(&self) -> usize {
        self.hits.get()
    }

    /// The result for these inputs, read or computed.
    ///
    /// A value always takes the way through JSON, so that it is the same
    /// whether it was read or computed.
    ///
    /// # Errors
    ///
    /// What `compute` fails with, or a cache folder that cannot be written.
    pub(crate) fn get<T: Serialize + DeserializeOwned>(
        &self,
        what: &str,
        inputs: &impl Serialize,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some(value) = self.find(what, inputs)? {
            return Ok(value);
        }
        let value = self.keep(what, inputs, &compute()?)?;
        serde_json::from_str(&value).context("reading back a result")
    }

    /// The result kept for these inputs.
    ///
    /// # Errors
    ///
    /// If the inputs cannot be written as JSON.
    pub(crate) fn find<T: DeserializeOwned>(
        &self,
        what: &str,
        inputs: &impl Serialize,
    ) -> Result<Option<T>> {
        let path = self.path(what, inputs)?;
        let value = path.and_then(|path| read(&fs::read(path).ok()?));
        self.hits.set(self.hits.get() + usize::from(value.is_some()));
        Ok(value)
    }

    /// Keeps a result, and gives it as JSON text.
    ///
    /// # Errors
    ///
    /// If the cache folder cannot be written.
    pub(crate) fn keep(
        &self,
        what: &str,
        inputs: &impl Serialize,
        value: &impl Serialize,
    ) -> Result<String> {
        let value = serde_json::to_string(value).context("keeping a result")?;
        if let Some(path) = self.path(what, inputs)? {
            let check = blake3::hash(value.as_bytes()).to_hex().to_string();
            let entry = Entry { check, value: value.clone() };
            output::write_file(&path, &serde_json::to_vec(&entry).context("keeping a result")?)?;
        }
        Ok(value)
    }

    fn path(&self, what: &str, inputs: &impl Serialize) -> Result<Option<PathBuf>> {
        let inputs = serde_json::to_vec(inputs).context("hashing the inputs")?;
        let name = format!("{what}-{}.json", self.key(what, &inputs).to_hex());
        Ok(self.folder.as_ref().map(|folder| folder.join(name)))
    }

    fn key(&self, what: &str, inputs: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for part in [self.program.as_bytes().as_slice(), what.as_bytes(), inputs] {
            // The length in front keeps one part from running into the next.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.finalize()
    }
}

/// The value of an entry that is whole and of the right shape.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let entry: Entry = serde_json::from_slice(bytes).ok()?;
    let check = blake3::hash(entry.value.as_bytes()).to_hex();
    (check.as_str() == entry.check).then(|| serde_json::from_str(&entry.value).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = format!("octopus-cache-{name}-{}", std::process::id());
        std::env::temp_dir().join(folder)
    }

    #[test]
    fn the_same_inputs_are_read_and_others_are_computed() {
        let folder = folder("same");
        let cache = Cache::open(Some(folder.clone())).unwrap();
        let get = |inputs: &(u32, u32), value| cache.get("x", inputs, || Ok(value)).unwrap();
        assert_eq!(get(&(1, 2), 10), 10);
        assert_eq!(get(&(1, 2), 11), 10, "read");
        assert_eq!(get(&(1, 3), 12), 12, "another input");
        assert_eq!(cache.get("y", &(1, 2), || Ok(13)).unwrap(), 13, "another computation");
        assert_eq!(cache.hits(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_program_finds_nothing() {
        let folder = folder("program");
        let mut cache = Cache::open(Some(folder.clone())).unwrap();
        assert_eq!(cache.get("x", &1, || Ok(10)).unwrap(), 10);
        cache.program = blake3::hash(b"another program");
        assert_eq!(cache.get("x", &1, || Ok(11)).unwrap(), 11);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_corrupted_entry_is_computed_anew() {
        let folder = folder("corrupt");
        let cache = Cache::open(Some(folder.clone())).unwrap();
        assert_eq!(cache.get("x", &1, || Ok(10)).unwrap(), 10);
        let entry = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let whole = fs::read_to_string(&entry).unwrap();
        for broken in [whole.replace("\"10\"", "\"20\""), whole[..whole.len() / 2].to_owned()] {
            assert_ne!(broken, whole);
            fs::write(&entry, broken).unwrap();
            assert_eq!(cache.get("x", &1, || Ok(11)).unwrap(), 11);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_failure_is_not_kept() {
        let folder = folder("failure");
        let cache = Cache::open(Some(folder.clone())).unwrap();
        assert!(cache.get::<u32>("x", &1, || anyhow::bail!("no")).is_err());
        assert_eq!(cache.get("x", &1, || Ok(1)).unwrap(), 1);
        assert_eq!(cache.hits(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
