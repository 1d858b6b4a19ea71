//! Keeps what was done to tool calls, and where settings allow it their texts: in an SQLite file, or
//! in PostgreSQL where several proxies share one store.
//!
//! ```
//! use toolmend::StoreSettings;
//! use toolmend_store::{Filter, Place, Store, TurnRecord};
//!
//! let settings = StoreSettings::default();
//! let folder = std::env::temp_dir().join(format!("toolmend-doc-{}", std::process::id()));
//! let store = Store::open(&Place::File(folder.join("calls.db")), &settings).unwrap();
//! store.put(TurnRecord { model: "qwen3".into(), ..TurnRecord::default() });
//! store.flush();
//! assert_eq!(store.stats().written, 1);
//! assert!(store.read(|reader| reader.calls(&Filter::default(), None, 10)).unwrap().rows.is_empty());
//! # drop(store);
//! # std::fs::remove_dir_all(folder).unwrap();
//! ```

mod batch;
mod case;
mod counts;
mod engine;
mod error;
mod kind;
mod place;
mod prune;
mod read;
mod record;
mod redact;
mod request;
mod store;
mod tables;
mod times;
mod writer;

pub use case::{CaseFile, MendLine, Values, case};
pub use error::StoreError;
pub use place::Place;
pub use read::{CallDetail, CallRow, Filter, Overview, Page, Reader, Share, Slice, Tallied};
pub use record::{CallRecord, Fate, FaultRecord, Name, RepairRecord, Request, Texts, TurnRecord};
pub use redact::Redactor;
pub use store::{Committed, Stats, Store};
