//! `docs/history.md`: what can be wrong with a history, and how it is healed.

use std::fmt::Write as _;

use toolmend_history::{Code, Rule};

/// The document.
pub(super) fn write() -> String {
    let mut out = String::from(
        "<!-- Written by `cargo xtask gen` from crates/toolmend-history/src/finding.rs. -->\n\n\
         # Histories\n\n\
         The messages of a request tell which calls were made and what came of them. A history that is\n\
         right goes up byte for byte; one that is not is healed on its way, and only where it is wrong.\n\
         What the client keeps is never changed. `toolmend check` lists what is wrong, `--fix` heals it.\n\n\
         ## What can be wrong\n\n| code | what it means |\n|---|---|\n",
    );
    // Writing to a string cannot fail.
    for code in Code::ALL {
        let _ = writeln!(out, "| `{}` | {} |", code.id(), code.what());
    }
    out.push_str("\n## How it is healed\n\n| rule | what is done |\n|---|---|\n");
    for rule in Rule::ALL {
        let _ = writeln!(out, "| `{}` | {} |", rule.id(), rule.what());
    }
    out
}
