//! Shelves that were set up before: an agent sends the same tools with every request.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use foldhash::fast::RandomState;
use serde_json::Value;
use toolmend::Settings;
use toolmend::schema::{Cache, Flatten};

use super::shelf::Shelf;

/// All that are known to this process.
pub(super) static SHELVES: LazyLock<Shelves> = LazyLock::new(Shelves::default);

/// So many bytes of tools are remembered.
const BYTES_MAX: usize = 16 << 20;

/// Shelves by the text of their tools.
#[derive(Debug, Default)]
pub(super) struct Shelves {
    /// Lists of tools change by a tool or two, so most of them are known even in a new list.
    compiled: Cache,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_text: HashMap<Box<str>, Vec<Entry>, RandomState>,
    bytes: usize,
}

/// One way in which a list of tools is set up.
#[derive(Debug)]
struct Entry {
    flatten: Flatten,
    synonyms: BTreeMap<String, String>,
    shelf: Arc<Shelf>,
}

impl Shelves {
    /// The shelf for these tools, set up now or before.
    pub(super) fn find(&self, tools: &str, flatten: Flatten, settings: &Settings) -> Arc<Shelf> {
        let is_same =
            |entry: &&Entry| entry.flatten == flatten && entry.synonyms == settings.synonyms;
        let known =
            self.lock().by_text.get(tools).and_then(|entries| {
                entries.iter().find(is_same).map(|entry| Arc::clone(&entry.shelf))
            });
        if let Some(shelf) = known {
            return shelf;
        }
        let read: Vec<Value> = serde_json::from_str(tools).unwrap_or_default();
        let made = Shelf::read(&read, flatten, &self.compiled).with_synonyms(settings);
        let made = Arc::new(made);
        let synonyms = settings.synonyms.clone();
        self.lock().insert(tools, Entry { flatten, synonyms, shelf: Arc::clone(&made) });
        made
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn insert(&mut self, tools: &str, entry: Entry) {
        self.bytes += tools.len();
        if self.bytes > BYTES_MAX {
            // Whoever is still here is set up again.
            self.by_text.clear();
            self.bytes = tools.len();
        }
        self.by_text.entry(tools.into()).or_default().push(entry);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolmend::Settings;
    use toolmend::schema::Flatten;

    use super::{BYTES_MAX, Shelves};

    #[test]
    fn the_same_tools_are_set_up_once_and_memory_is_bounded() {
        let (shelves, settings) = (Shelves::default(), Settings::default());
        let find = |text: &str, flatten| shelves.find(text, flatten, &settings);
        let tools = r#"[{"name": "find_berth", "parameters": {"type": "object"}}]"#;
        let first = find(tools, Flatten::Off);
        assert_eq!(first.tools().iter().count(), 1);
        assert!(Arc::ptr_eq(&first, &find(tools, Flatten::Off)));
        assert!(!Arc::ptr_eq(&first, &find(tools, Flatten::Always)));
        let mut other = Settings::default();
        other.synonyms.insert("berth".to_owned(), "find_berth".to_owned());
        let second = shelves.find(tools, Flatten::Off, &other);
        assert!(second.tools().resolve("berth").is_some());
        for number in 0..40 {
            find(&format!("[{}{number}]", " ".repeat(BYTES_MAX / 16)), Flatten::Off);
            assert!(shelves.lock().bytes <= BYTES_MAX);
        }
    }
}
