//! The table of settings: what each is for, and what it can be. The document and `toolmend config` are
//! written from it; a test holds it against the settings themselves.

use super::Layers;
use super::layers::PREFIX;

/// What a key has where the user says a name: that of a tool, or a pattern of models.
const NAME: &str = "NAME";

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key in the settings file; `NAME` stands for a name that the user says.
    pub key: &'static str,
    /// What it can be: words that are allowed, with ` | ` between them, or a kind of value.
    pub values: &'static str,
    /// What it is for, in a sentence.
    pub what: &'static str,
}

const fn row(key: &'static str, values: &'static str, what: &'static str) -> Setting {
    Setting { key, values, what }
}

const TRUST: &str = "exact | likely | guess";
const TRUNCATION: &str = "continue | close | refuse";
const FLATTEN: &str = "auto | always | off";
const SWITCH: &str = "true | false";
const NUMBER: &str = "a whole number";
const SECONDS: &str = "seconds";
const BYTES: &str = "bytes";
const TEXT: &str = "a text";
const ADDRESS: &str = "an address and a port";
const URL: &str = "a URL";
const VARIABLE: &str = "the name of a variable";
const LIST: &str = "a list of texts";

impl Setting {
    /// All of them, those of one subject together.
    pub const ALL: &'static [Self] = &[
        row("trust", TRUST, "How sure a repair must be to be made."),
        row(
            "truncation",
            TRUNCATION,
            "What becomes of a call that was cut: the model is asked for the rest, what is open is closed, or it is refused.",
        ),
        row("show_values", SWITCH, "Whether reports may show the values of arguments."),
        row(
            "text.allow",
            LIST,
            "Only these tools may be called from text, where the list is not empty.",
        ),
        row("text.deny", LIST, "These tools are never called from text."),
        row("synonyms.NAME", TEXT, "The tool that is meant where a model calls one by this name."),
        row("tools.NAME.trust", TRUST, "How sure a repair of this tool's arguments must be."),
        row(
            "tools.NAME.truncation",
            TRUNCATION,
            "What becomes of a call of this tool that was cut.",
        ),
        row(
            "tools.NAME.mutating",
            SWITCH,
            "Whether a call of this tool changes something: then text without marks is a call of it only as a whole message, or in a fence that the message announces and ends with, and looking again after it is no storm.",
        ),
        row(
            "tools.NAME.storm_exempt",
            SWITCH,
            "Whether repeated calls of this tool are right, as for tools that wait.",
        ),
        row("models.NAME.flatten", FLATTEN, "Which schemas these models see with flat names."),
        row(
            "models.NAME.needs_reasoning",
            SWITCH,
            "Whether these models want their reasoning back with each past turn.",
        ),
        row(
            "models.NAME.continuation",
            "none | prefill | prefix | continue-final",
            "How these models are asked for the rest of a turn that was cut; where nothing is said, what the server is known for.",
        ),
        row(
            "storm.mode",
            "suppress | warn | stop | off",
            "What is done when a model repeats itself: it is asked what it wants, it is told in an event, the turn ends in text, or nothing.",
        ),
        row("storm.repeat.on", SWITCH, "Whether the same call again and again is looked for."),
        row(
            "storm.repeat.window",
            NUMBER,
            "At how many calls is looked; in the proxy 10, where nothing is said about storms.",
        ),
        row(
            "storm.repeat.threshold",
            NUMBER,
            "Which one of the same calls is too many; in the proxy 5, where nothing is said about storms.",
        ),
        row(
            "storm.cycle.on",
            SWITCH,
            "Whether a few calls in turn, over and over, are looked for.",
        ),
        row(
            "storm.cycle.window",
            NUMBER,
            "At how many calls is looked; in the proxy 20, where nothing is said about storms.",
        ),
        row(
            "storm.cycle.threshold",
            NUMBER,
            "Which round is too many; in the proxy 5, where nothing is said about storms.",
        ),
        row("storm.failing.on", SWITCH, "Whether the same tool with the same error is looked for."),
        row(
            "storm.failing.window",
            NUMBER,
            "At how many calls is looked; in the proxy 10, where nothing is said about storms.",
        ),
        row(
            "storm.failing.threshold",
            NUMBER,
            "Which one with the same error is too many; in the proxy 5, where nothing is said about storms.",
        ),
        row(
            "ask.max_asks",
            "0 to 4",
            "How often the model is asked again in one turn, for whatever reason.",
        ),
        row(
            "ask.max_reprompts",
            "0 to 5",
            "How often one call is asked for again, corrected; with 0 the model is never asked anything.",
        ),
        row("ask.max_continuations", NUMBER, "How often the rest of one call is asked for."),
        row("ask.max_refetches", NUMBER, "How often a turn is fetched again whose stream broke."),
        row(
            "flatten.when",
            FLATTEN,
            "Whether tools are shown to models with flat names: where they are large or deep, always, or never.",
        ),
        row("flatten.leaves", NUMBER, "A tool with more leaves than this is shown flat."),
        row("flatten.depth", NUMBER, "A tool that is deeper than this is shown flat."),
        row(
            "proxy.mode",
            "on | observe | off",
            "Whether requests and replies are mended, only looked at, or passed on.",
        ),
        row("proxy.listen", ADDRESS, "Where clients come to."),
        row("proxy.admin", ADDRESS, "Where the page, the counters and the health check are."),
        row(
            "proxy.upstream",
            URL,
            "The server of models; without one, a server on this machine is looked for.",
        ),
        row("proxy.upstreams.NAME", URL, "Another server for models whose names fit this pattern."),
        row(
            "proxy.client_key_env",
            VARIABLE,
            "Holds the key that clients must show; without it, whoever reaches the proxy may use it.",
        ),
        row(
            "proxy.upstream_key_env",
            VARIABLE,
            "Holds the key for the upstream; without it, clients show their own.",
        ),
        row("proxy.body_bytes_max", BYTES, "A request is no larger than this; others get a 413."),
        row(
            "proxy.stream_bytes_max",
            BYTES,
            "A stream of the server is read up to this size, and ends there as if it had broken off.",
        ),
        row("proxy.connections_max", NUMBER, "So many clients may be connected; more wait."),
        row(
            "proxy.header_seconds",
            SECONDS,
            "How long the head of a request may take, and the rest of its body.",
        ),
        row("proxy.connect_seconds", SECONDS, "How long to wait for a connection to the server."),
        row("proxy.head_seconds", SECONDS, "How long to wait until the server starts to answer."),
        row(
            "proxy.idle_seconds",
            SECONDS,
            "How long a reply may bring nothing before it counts as broken off.",
        ),
        row(
            "proxy.shutdown_seconds",
            SECONDS,
            "How long streams may go on after the proxy was told to stop.",
        ),
        row(
            "store.place",
            "a path, a `postgres://` URL, or `none`",
            "Where turns are kept; without it, in a file in your state folder.",
        ),
        row(
            "store.keep",
            "none | reports | failures | all",
            "What is kept of turns: nothing, what was done to calls, also the texts of those that needed help, or all texts.",
        ),
        row("store.bytes_max", BYTES, "The oldest turns go when the store is larger than this."),
        row("store.days_max", "days", "Turns older than this go."),
        row(
            "store.text_bytes_max",
            BYTES,
            "The texts of one turn are kept up to this size; beyond it its messages are left out, and then all of them.",
        ),
        row(
            "store.queue_max",
            NUMBER,
            "So many turns may wait to be written; more are counted, and not kept.",
        ),
        row(
            "store.redact",
            LIST,
            "Regular expressions: what they match is blanked before anything is written, as keys are.",
        ),
        row("alerts.minutes", "minutes", "At how many minutes is looked for what is too much."),
        row(
            "alerts.refused_share",
            "0 to 1",
            "Which share of the calls may not be refused; 0 is never reached.",
        ),
        row("alerts.calls_min", NUMBER, "Of fewer calls than this no share is told."),
        row(
            "alerts.storms",
            NUMBER,
            "How many calls held back because they repeat themselves are too many; 0 is never reached.",
        ),
        row(
            "alerts.chain_breaks",
            NUMBER,
            "How many replies that broke off are too many; 0 is never reached.",
        ),
    ];

    /// The setting of a key, whatever name the user says in it.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        let is_own = |own: &str| match own.split_once(NAME) {
            None => own == key,
            Some((before, behind)) => key
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(behind))
                .is_some_and(|name| !name.is_empty()),
        };
        Self::ALL.iter().find(|setting| is_own(setting.key))
    }

    /// Its value where nobody says one, as TOML; `None` where it has none then.
    #[must_use]
    pub fn default(&self) -> Option<String> {
        let all = Layers::new();
        all.told().into_iter().find(|(key, ..)| key == self.key).map(|(_, value, _)| value)
    }

    /// The variable of the environment that sets it. What has a name of the user's in its key is set
    /// with all of its table, as TOML: names may be such as no variable can have.
    #[must_use]
    pub fn variable(&self) -> String {
        let key = self.key.split_once(NAME).map_or(self.key, |(table, _)| table);
        format!("{PREFIX}{}", key.trim_end_matches('.').replace('.', "__").to_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Layers, Setting};
    use crate::Layer;

    /// What is said of a value that makes no sense; empty where it does.
    fn wrong(key: &str, value: &str) -> String {
        let text = format!("{key} = {value}");
        Layer::file("t", &text).map_or_else(|error| error.message, |_| String::new())
    }

    /// The words that a message lists as those that are known.
    fn listed(message: &str) -> Vec<String> {
        let list = message.split_once("expected").map_or("", |(_, list)| list);
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    /// All keys that the settings themselves know: who says a wrong one is told the right ones.
    fn keys(table: &str) -> Vec<String> {
        // A word like no other, so that no near one is told instead.
        let message = wrong(&format!("{table}zzzzzzzzzz"), "{ zzzzzzzzzz = 1 }");
        let mut all = Vec::new();
        for field in listed(&message) {
            let key = format!("{table}{field}");
            let is_row = |key: &str| Setting::ALL.iter().any(|setting| setting.key == key);
            let named = format!("{key}.NAME");
            match (is_row(&key), is_row(&named)) {
                (true, _) => all.push(key),
                (_, true) => all.push(named),
                _ if Setting::ALL.iter().any(|setting| setting.key.starts_with(&named)) => {
                    all.extend(keys(&format!("{named}.")));
                }
                _ => all.extend(keys(&format!("{key}."))),
            }
        }
        all
    }

    #[test]
    fn the_table_has_every_setting_and_no_other() {
        let rows: Vec<&str> = Setting::ALL.iter().map(|setting| setting.key).collect();
        let known = keys("");
        assert!(known.len() > 50, "{known:?}");
        let (rows, known): (BTreeSet<_>, BTreeSet<_>) =
            (rows.into_iter().collect(), known.iter().map(String::as_str).collect());
        assert_eq!(rows, known);
        for (key, ..) in Layers::new().told() {
            assert_eq!(Setting::find(&key).map(|setting| setting.key), Some(key.as_str()));
        }
    }

    #[test]
    fn the_words_of_a_setting_are_those_that_it_takes() {
        for setting in Setting::ALL.iter().filter(|setting| setting.values.contains(" | ")) {
            let words: Vec<&str> = setting.values.split(" | ").collect();
            if words != ["true", "false"] {
                let known = listed(&wrong(setting.key, "\"zzzzzzzzzz\""));
                assert_eq!(known, words, "{}", setting.key);
            }
            for word in words {
                let value = if matches!(word, "true" | "false") {
                    word.to_owned()
                } else {
                    format!("{word:?}")
                };
                assert_eq!(wrong(setting.key, &value), "", "{} = {value}", setting.key);
            }
        }
    }

    #[test]
    fn a_setting_is_found_by_any_name_and_tells_default_and_variable() {
        let found = |key: &str| Setting::find(key).map(|setting| setting.key);
        assert_eq!(found("models.gpt-4.1*.flatten"), Some("models.NAME.flatten"));
        assert_eq!(found("proxy.upstreams.gpt-4.1"), Some("proxy.upstreams.NAME"));
        assert_eq!(found("tools..trust"), None);
        assert_eq!(found("storm"), None);
        let told = |key: &str| Setting::find(key).map(|own| (own.default(), own.variable()));
        let storm = (Some("\"suppress\"".to_owned()), "TOOLMEND_STORM__MODE".to_owned());
        assert_eq!(told("storm.mode"), Some(storm));
        assert_eq!(told("tools.Bash.trust"), Some((None, "TOOLMEND_TOOLS".to_owned())));
        let upstreams = (None, "TOOLMEND_PROXY__UPSTREAMS".to_owned());
        assert_eq!(told("proxy.upstreams.a"), Some(upstreams));
    }
}
