//! `docs/settings.md`: every setting, from the table that the command shows as well.

use std::fmt::Write as _;

use toolmend::Setting;

const HEAD: &str = "\
<!-- Written by `cargo xtask gen` from crates/toolmend/src/settings/table.rs. -->

# Settings

Defaults, then `toolmend.toml` in the current folder (or `--config FILE`, or the file that `TOOLMEND_CONFIG` names), then
variables of the environment, then flags: what comes later goes over what comes before. A word that no setting has stops
the start. `toolmend config` shows what is in force and where it comes from, `toolmend config show KEY` what is said here.

A key with dots is a table in the file: `storm.repeat.window = 8` is `[storm.repeat]` with `window = 8` below it. In a
variable two underscores stand for a dot, and its value is TOML where it can be: `TOOLMEND_STORM__REPEAT__WINDOW=8`,
`TOOLMEND_TEXT__DENY='[\"delete_file\"]'`. `NAME` stands for a name that you say: that of a tool, or of models, in which `*` stands
for anything and case says nothing. A variable has all of such a table:
`TOOLMEND_MODELS='{ \"deepseek-*\" = { flatten = \"always\" } }'`.
";

/// The document.
pub(super) fn write() -> String {
    let mut out = HEAD.to_owned();
    let mut subject = None;
    for setting in Setting::ALL {
        let own = setting.key.split_once('.').map_or("Everything", |(table, _)| table);
        if subject != Some(own) {
            subject = Some(own);
            let title =
                if setting.key.contains('.') { format!("`[{own}]`") } else { own.to_owned() };
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "\n## {title}\n\n| key | values | default | variable | |\n|---|---|---|---|---|\n"
            );
        }
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | `{}` | {} |",
            setting.key,
            values(setting.values),
            default(setting),
            setting.variable(),
            setting.what
        );
    }
    out
}

/// Words as code, kinds of values as they are.
fn values(values: &str) -> String {
    match values.contains(" | ") {
        true => format!("`{}`", values.replace(" | ", "`, `")),
        false => values.to_owned(),
    }
}

fn default(setting: &Setting) -> String {
    let Some(value) = setting.default() else { return "nothing".to_owned() };
    match value.parse::<u64>() {
        Ok(bytes) if setting.values == "bytes" => format!("`{value}` ({})", size(bytes)),
        _ => format!("`{value}`"),
    }
}

/// A size as people say it.
fn size(bytes: u64) -> String {
    match bytes {
        ..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}
