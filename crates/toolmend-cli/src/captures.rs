//! `toolmend captures`: what the proxy kept.

mod page;

use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolmend::Settings;
use toolmend_store::{
    CallDetail, CallRow, CaseFile, Fate, Filter, Store, StoreError, Values, case,
};

use crate::args::{CapturesArgs, CapturesCommand, WhichArgs};
use crate::config;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::jsonl::mend_line;
use crate::store;

/// So many turns are read at a time.
const PORTION: usize = 500;

pub(crate) fn run(args: &CapturesArgs, console: &mut Console) -> Result<Exit, Failure> {
    let mut settings = config::settings(args.config.as_deref())?;
    if let Some(place) = &args.store {
        settings.store.place = Some(place.clone());
    }
    // To look is no reason to remove.
    settings.store.days_max = u32::MAX;
    let store = store::open_existing(&settings.store)?;
    match &args.command {
        CapturesCommand::List { which, count, json } => {
            let page = ask(&store, |reader| reader.calls(&filter(which), None, *count))?;
            list(&page.rows, *json, console)
        }
        CapturesCommand::Show { ids, json } => {
            for id in ids {
                let detail = find(&store, *id)?;
                match json {
                    true => console.put_line(&detail_value(&detail).to_string())?,
                    false => console.put_styled(&page::detail(&detail))?,
                }
            }
            Ok(Exit::Done)
        }
        CapturesCommand::Export { as_case: Some(id), real_values, to, .. } => {
            let values = if *real_values { Values::Real } else { Values::Masked };
            let case = make_case(&find(&store, *id)?, values)?;
            put_case(&case, to.as_deref(), console)?;
            if has_settings_of_turns(&settings) {
                console.tell("The case was made with the default settings.\n");
            }
            Ok(Exit::Done)
        }
        CapturesCommand::Export { which, .. } => export(&store, which, console),
        CapturesCommand::Rm { ids, which } => remove(&store, ids, which, console),
    }
}

pub(crate) fn ask<T>(
    store: &Store,
    question: impl FnOnce(&mut toolmend_store::Reader<'_>) -> Result<T, StoreError>,
) -> Result<T, Failure> {
    store.read(question).map_err(|error| store::failure(store.place(), &error))
}

fn find(store: &Store, id: i64) -> Result<CallDetail, Failure> {
    let found = ask(store, |reader| reader.call(id))?;
    found.ok_or_else(|| Failure::Usage(format!("there is no call {id}")))
}

fn filter(which: &WhichArgs) -> Filter {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let before = |age: Duration| i64::try_from(now.saturating_sub(age).as_millis()).ok();
    Filter {
        since_ms: which.since.and_then(before),
        until_ms: which.until.and_then(before),
        model: which.model.clone(),
        tool: which.tool.clone(),
        fate: which.outcome.as_deref().and_then(Fate::read),
        dialect: which.dialect.clone(),
        rule: which.rule.clone(),
        reason: which.reason.clone(),
        ..Filter::default()
    }
}

fn list(rows: &[CallRow], is_json: bool, console: &mut Console) -> Result<Exit, Failure> {
    if is_json {
        rows.iter().try_for_each(|row| console.put_line(&row_value(row).to_string()))?;
    } else if rows.is_empty() {
        console.tell("No calls fit.\n");
    } else {
        console.put_styled(&page::table(rows))?;
    }
    Ok(Exit::Done)
}

/// Goes through the texts that were kept.
pub(crate) fn each_text(
    store: &Store,
    filter: &Filter,
    mut take: impl FnMut(i64, &Value) -> Result<(), Failure>,
) -> Result<usize, Failure> {
    let (mut after, mut count) = (0, 0);
    loop {
        let texts = ask(store, |reader| reader.texts(filter, after, PORTION))?;
        let Some((last, _)) = texts.last() else { return Ok(count) };
        after = *last;
        count += texts.len();
        for (turn, texts) in &texts {
            take(*turn, texts)?;
        }
    }
}

fn export(store: &Store, which: &WhichArgs, console: &mut Console) -> Result<Exit, Failure> {
    let count = each_text(store, &filter(which), |_, texts| {
        console.put_line(&texts.get("in").unwrap_or(&Value::Null).to_string())
    })?;
    if count == 0 {
        console.tell("No texts were kept that fit: `toolmend proxy --keep failures` keeps them.\n");
    }
    Ok(Exit::Done)
}

fn make_case(detail: &CallDetail, values: Values) -> Result<CaseFile, Failure> {
    // A case runs with the settings that hold where nothing is said.
    let defaults = Settings::default();
    let mend = |line: &str| mend_line(line, &defaults);
    case(detail, values, &mend).map_err(|reason| {
        let more = if values == Values::Masked { "; try --real-values" } else { "" };
        Failure::Usage(format!("{reason}{more}"))
    })
}

/// Writes a case to standard output, or to a file of its own. A file that is there stays.
fn put_case(case: &CaseFile, to: Option<&Path>, console: &mut Console) -> Result<(), Failure> {
    let Some(folder) = to else { return console.put_apart(case.text.as_bytes()) };
    let path = folder.join(&case.file_name);
    let failed = |error| Failure::Io(path.display().to_string(), error);
    std::fs::create_dir_all(folder).map_err(failed)?;
    let file = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    file.and_then(|mut file| file.write_all(case.text.as_bytes())).map_err(failed)?;
    console.put_line(&path.display().to_string())
}

/// Whether something is set that a case does not know of.
fn has_settings_of_turns(settings: &Settings) -> bool {
    let Settings { store, .. } = Settings::default();
    Settings { store, ..settings.clone() } != Settings::default()
}

fn remove(
    store: &Store,
    ids: &[i64],
    which: &WhichArgs,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let filter = filter(which);
    let gone = if ids.is_empty() {
        if filter == Filter::default() {
            let message = "which ones? Name ids, or what they have in common (`--until 0s` is all)";
            return Err(Failure::Usage(message.to_owned()));
        }
        ask(store, |reader| reader.remove(&filter))?
    } else {
        let mut gone = 0;
        for id in ids {
            let turn = find(store, *id)?.call.turn;
            gone += u64::from(ask(store, |reader| reader.remove_turn(turn))?);
        }
        gone
    };
    console.tell(&format!("{gone} turns were removed.\n"));
    Ok(Exit::Done)
}

fn row_value(row: &CallRow) -> Value {
    json!({
        "id": row.id, "turn": row.turn, "at_ms": row.at_ms, "model": row.model, "api": row.api,
        "tool": row.tool, "outcome": row.outcome, "reason": row.reason, "channel": row.channel,
        "dialect": row.dialect, "lossy": row.is_lossy, "rules": row.rules, "texts": row.has_text,
    })
}

fn detail_value(detail: &CallDetail) -> Value {
    let mut value = row_value(&detail.call);
    let repairs = detail.repairs.iter();
    let repairs = repairs.map(|r| json!({"rule": r.rule, "path": r.path, "trust": r.trust}));
    let faults = detail.faults.iter();
    let faults = faults.map(|f| json!({"code": f.code, "start": f.start, "end": f.end}));
    if let Some(members) = value.as_object_mut() {
        members.insert("repairs".to_owned(), repairs.collect());
        members.insert("faults".to_owned(), faults.collect());
        members.insert("finish_reason".to_owned(), json!(detail.finish));
        members.insert("took_ms".to_owned(), json!(detail.took_ms));
        members.insert("spent_us".to_owned(), json!(detail.spent_us));
        members.insert("texts".to_owned(), json!(detail.texts));
    }
    value
}
