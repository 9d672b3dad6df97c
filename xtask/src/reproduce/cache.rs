//! Results kept from run to run, never a stale one.

use std::cell::RefCell;
use std::collections::BTreeMap;
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
///
/// Items share results, so a run also remembers its own.
pub(crate) struct Cache {
    folder: Option<PathBuf>,
    program: blake3::Hash,
    /// What this run has read or computed, by key.
    seen: RefCell<BTreeMap<[u8; 32], Seen>>,
}

/// A result of this run, as JSON text.
struct Seen {
    value: String,
    read: bool,
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
    /// A cache in `folder`, or one that forgets everything with the run.
    ///
    /// # Errors
    ///
    /// If the running program cannot be read.
    pub(crate) fn open(folder: Option<PathBuf>) -> Result<Self> {
        let program = std::env::current_exe().and_then(fs::read);
        let program =
            program.context("cannot read the running program, whose hash the cache needs")?;
        Ok(Self { folder, program: blake3::hash(&program), seen: RefCell::default() })
    }

    /// How many results were read rather than computed.
    pub(crate) fn hits(&self) -> usize {
        self.seen.borrow().values().filter(|seen| seen.read).count()
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
        let key = self.key(what, inputs)?;
        if let Some(seen) = self.seen.borrow().get(key.as_bytes()) {
            return serde_json::from_str(&seen.value).map(Some).context("reading back a result");
        }
        let found = self.path(what, &key).and_then(|path| read(&fs::read(path).ok()?));
        Ok(found.map(|(text, value)| {
            let seen = Seen { value: text, read: true };
            self.seen.borrow_mut().insert(*key.as_bytes(), seen);
            value
        }))
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
        let key = self.key(what, inputs)?;
        if let Some(path) = self.path(what, &key) {
            let check = blake3::hash(value.as_bytes()).to_hex().to_string();
            let entry = Entry { check, value: value.clone() };
            output::write_file(&path, &serde_json::to_vec(&entry).context("keeping a result")?)?;
        }
        let seen = Seen { value: value.clone(), read: false };
        self.seen.borrow_mut().insert(*key.as_bytes(), seen);
        Ok(value)
    }

    fn path(&self, what: &str, key: &blake3::Hash) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(format!("{what}-{}.json", key.to_hex())))
    }

    fn key(&self, what: &str, inputs: &impl Serialize) -> Result<blake3::Hash> {
        let inputs = serde_json::to_vec(inputs).context("hashing the inputs")?;
        let mut hasher = blake3::Hasher::new();
        for part in [self.program.as_bytes().as_slice(), what.as_bytes(), &inputs] {
            // The length in front keeps one part from running into the next.
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Ok(hasher.finalize())
    }
}

/// The value of an entry that is whole and of the right shape, and its text.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<(String, T)> {
    let entry: Entry = serde_json::from_slice(bytes).ok()?;
    let check = blake3::hash(entry.value.as_bytes()).to_hex();
    let value = serde_json::from_str(&entry.value).ok()?;
    (check.as_str() == entry.check).then_some((entry.value, value))
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
        let run = || Cache::open(Some(folder.clone())).unwrap();
        let get = |cache: &Cache, inputs: &(u32, u32), value| {
            cache.get("x", inputs, || Ok(value)).unwrap()
        };
        let first = run();
        assert_eq!(get(&first, &(1, 2), 10), 10);
        assert_eq!(get(&first, &(1, 2), 11), 10, "of this run");
        assert_eq!(first.hits(), 0);
        let second = run();
        assert_eq!(get(&second, &(1, 2), 11), 10, "read");
        assert_eq!(get(&second, &(1, 2), 11), 10, "read once");
        assert_eq!(get(&second, &(1, 3), 12), 12, "another input");
        assert_eq!(second.get("y", &(1, 2), || Ok(13)).unwrap(), 13, "another computation");
        assert_eq!(second.hits(), 1);
        let forgetful = Cache::open(None).unwrap();
        assert_eq!(get(&forgetful, &(1, 2), 14), 14);
        assert_eq!(get(&forgetful, &(1, 2), 15), 14, "of this run");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_program_finds_nothing() {
        let folder = folder("program");
        let mut cache = Cache::open(Some(folder.clone())).unwrap();
        assert_eq!(cache.get("x", &1, || Ok(10)).unwrap(), 10);
        cache = Cache::open(Some(folder.clone())).unwrap();
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
            let cache = Cache::open(Some(folder.clone())).unwrap();
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
