//! Who is measured: our reader, the floors, and the rivals.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A library that runs in this process.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The name that tables show.
    pub name: &'static str,
    /// What it is for.
    pub role: Role,
    /// Reads a text and writes JSON, or refuses. This is what speed is measured on.
    pub mend: fn(&str) -> Option<String>,
}

/// What a library is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads valid JSON only.
    Strict,
    /// Reads a superset of JSON into a tree.
    Lenient,
    /// Mends broken JSON.
    Repairer,
}

/// The rivals that are Rust crates, and the floors.
pub const LIBRARIES: &[Library] = &[
    Library { name: "jsonfix", role: Role::Repairer, mend: |text| jsonfix::repair(text).ok() },
    Library {
        name: "jsonfix extracting",
        role: Role::Repairer,
        mend: |text| jsonfix::repair_extract(text).ok(),
    },
    Library { name: "jsonfixer", role: Role::Repairer, mend: jsonfixer_mend },
    Library {
        name: "jsonrepair-rs",
        role: Role::Repairer,
        mend: |text| jsonrepair_rs::jsonrepair(text).ok(),
    },
    Library { name: "llm_json", role: Role::Repairer, mend: llm_json_mend },
    Library { name: "jsonrepair (crate)", role: Role::Repairer, mend: jsonrepair_mend },
    Library { name: "serde_json_lenient", role: Role::Lenient, mend: lenient_mend },
    Library { name: "sonic-rs", role: Role::Strict, mend: sonic_mend },
    Library { name: "serde_json", role: Role::Strict, mend: serde_mend },
];

/// It only closes what was cut, and is asked only where whole turns are judged.
pub const CLOSERS: &[Library] =
    &[Library { name: "suture-repair-core", role: Role::Repairer, mend: suture_core::repair_str }];

/// The library of this name.
pub fn library(name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().chain(CLOSERS).find(|library| library.name == name)
}

/// Runs something that may panic; a panic counts as refused.
pub fn guarded<T>(run: impl FnOnce() -> Option<T>) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok().flatten()
}

fn jsonfixer_mend(text: &str) -> Option<String> {
    jsonfixer::repair_json(text, jsonfixer::JsonRepairOptions::default()).ok()
}

fn llm_json_mend(text: &str) -> Option<String> {
    llm_json::repair_json(text, &llm_json::RepairOptions::default()).ok()
}

fn jsonrepair_mend(text: &str) -> Option<String> {
    jsonrepair::repair_json(text, &jsonrepair::Options::default()).ok()
}

fn lenient_mend(text: &str) -> Option<String> {
    let value: serde_json_lenient::Value = serde_json_lenient::from_str_lenient(text).ok()?;
    Some(value.to_string())
}

fn sonic_mend(text: &str) -> Option<String> {
    let value: sonic_rs::Value = sonic_rs::from_str(text).ok()?;
    sonic_rs::to_string(&value).ok()
}

fn serde_mend(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    Some(value.to_string())
}
