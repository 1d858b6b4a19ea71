//! Who else is asked, where they come from, and what they are told.

use std::path::PathBuf;

use super::contender::{Contender, Given, Reads};
use super::suites::Kind;
#[cfg(feature = "parsers")]
use crate::dialects::formats::{FORMATS, Format};
use crate::driver::Start;
use crate::install::{Package, REPAIRERS, Registry};
use crate::provenance::crate_version;

/// A rival that has not been started.
pub(super) struct Rival {
    pub(super) name: &'static str,
    from: Source,
    kinds: &'static [Kind],
    reads: fn() -> Reads,
    can_stream: bool,
}

/// Where a rival comes from.
enum Source {
    /// A crate in this program, which answers turns.
    Crate(&'static str),
    /// A crate in this program, which mends JSON.
    Repairer(&'static str),
    /// A package that answers turns.
    Package(Package),
    /// A package that mends JSON.
    JsonPackage(Package),
    /// A crate that is only built when asked for.
    #[cfg(not(feature = "parsers"))]
    Feature,
}

const TEXT: &[Kind] = &[Kind::Text];
const ARGUMENTS: &[Kind] = &[Kind::Arguments];
const BOTH: &[Kind] = &[Kind::Text, Kind::Arguments];

/// These build types from schemas, or take out what no schema names.
const NEED_SCHEMAS: &[&str] = &["baml-py", "toolguard-core"];

/// What the parser of the AI SDK's middleware calls a dialect.
const AI_SDK_TOOL: &[(&str, &str)] =
    &[("hermes_json", "hermes"), ("qwen_xml", "qwen3_coder"), ("cline_xml", "morph_xml")];

/// Everybody.
pub(super) fn all() -> Vec<Rival> {
    let mut rivals = parsers();
    rivals.extend([
        Rival {
            name: "@ai-sdk-tool/parser",
            from: Source::Package(Package {
                name: "@ai-sdk-tool/parser",
                folder: "ai_sdk_tool",
                registry: Registry::Node,
                wanted: &["@ai-sdk-tool/parser@4.1.26"],
                script: "turns/ai_sdk_tool.mjs",
            }),
            kinds: TEXT,
            reads: || Reads::Told(AI_SDK_TOOL.to_vec()),
            can_stream: true,
        },
        Rival {
            name: "forge-guardrails",
            from: Source::Package(Package {
                name: "forge-guardrails",
                folder: "forge",
                registry: Registry::Python(12),
                wanted: &["forge-guardrails==0.10.0"],
                script: "turns/forge.py",
            }),
            kinds: TEXT,
            reads: || Reads::Finds,
            can_stream: false,
        },
        Rival {
            name: "baml-py",
            from: Source::Package(Package {
                name: "baml-py",
                folder: "baml",
                registry: Registry::Python(9),
                wanted: &["baml-py==0.226.3", "pydantic==2.12.5"],
                script: "turns/baml.py",
            }),
            kinds: BOTH,
            reads: || Reads::Finds,
            can_stream: false,
        },
        Rival {
            name: "toolrails",
            from: Source::Package(Package {
                name: "toolrails",
                folder: "toolrails",
                registry: Registry::Python(10),
                wanted: &["toolrails==0.1.1"],
                script: "turns/toolrails.py",
            }),
            kinds: ARGUMENTS,
            reads: || Reads::Finds,
            can_stream: false,
        },
        repairs("toolguard-core", Source::Crate("toolguard-core")),
        repairs("suture-repair-core", Source::Repairer("suture-repair-core")),
        repairs("jsonrepair (crate)", Source::Repairer("jsonrepair (crate)")),
        repairs("jsonrepair-rs", Source::Repairer("jsonrepair-rs")),
        repairs("jsonfix", Source::Repairer("jsonfix")),
        repairs("llm_json", Source::Repairer("llm_json")),
    ]);
    let packages = REPAIRERS.iter();
    rivals.extend(packages.map(|package| repairs(package.name, Source::JsonPackage(*package))));
    rivals
}

fn repairs(name: &'static str, from: Source) -> Rival {
    Rival { name, from, kinds: ARGUMENTS, reads: || Reads::Finds, can_stream: false }
}

#[cfg(feature = "parsers")]
fn parsers() -> Vec<Rival> {
    fn told(name: fn(&Format) -> Option<&'static str>) -> Reads {
        let formats = FORMATS.iter();
        Reads::Told(formats.filter_map(|format| Some((format.dialect, name(format)?))).collect())
    }
    let parser = |name, reads| Rival {
        name,
        from: Source::Crate(name),
        kinds: TEXT,
        reads,
        can_stream: true,
    };
    vec![
        parser("tool-parser", || told(|format| format.smg)),
        // Its tokens of Harmony come from a file that is loaded on first use; without, it reads none.
        parser("dynamo-parsers", || told(|format| format.dynamo)),
        parser("dynamo-parsers-v2", || told(|format| format.dynamo_v2)),
    ]
}

#[cfg(not(feature = "parsers"))]
fn parsers() -> Vec<Rival> {
    let names = ["tool-parser", "dynamo-parsers", "dynamo-parsers-v2"].into_iter();
    let rival = |name| Rival {
        name,
        from: Source::Feature,
        kinds: TEXT,
        reads: || Reads::Finds,
        can_stream: true,
    };
    names.map(rival).collect()
}

impl Rival {
    /// Installs and starts it.
    ///
    /// # Errors
    /// Says why it cannot be had.
    pub(super) fn start(&self) -> Result<Contender, String> {
        let (start, version, given) = match &self.from {
            Source::Crate(name) => {
                (child("--serve-turns", name)?, crate_version(name), Given::Turns)
            }
            Source::Repairer(name) => {
                let package = name.split(' ').next().unwrap_or(name);
                (child("--serve", name)?, crate_version(package), Given::Arguments)
            }
            Source::Package(package) => (package.install()?, package.version(), Given::Turns),
            Source::JsonPackage(package) => {
                (package.install()?, package.version(), Given::Arguments)
            }
            #[cfg(not(feature = "parsers"))]
            Source::Feature => return Err("built only with `--features parsers`".to_owned()),
        };
        let mut contender = Contender::new(self.name, version, self.kinds, start);
        contender.given = given;
        contender.can_stream = self.can_stream;
        contender.needs_schemas = NEED_SCHEMAS.contains(&self.name);
        contender.learn((self.reads)());
        Ok(contender)
    }
}

/// This program, answering for one of its crates.
fn child(flag: &str, name: &str) -> Result<Start, String> {
    let program: PathBuf = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Start { name: name.into(), program, arguments: vec![flag.into(), name.into()] })
}
