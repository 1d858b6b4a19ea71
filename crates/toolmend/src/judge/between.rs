//! Whether a region stands between lines of one kind: the turns of a chat, the lines of a log, the
//! titles of a document. Who made up such a text did not call.

use std::ops::Range;

use super::Judge;
use super::row::{first_line, last_line};
use crate::refusal::{No, Reason};

/// So many lines before the first region are looked at for those who speak.
const LINES_MAX: usize = 16;

/// The name of who speaks is no longer than this.
const NAME_BYTES_MAX: usize = 28;

/// Those to whom a model answers, and others who speak beside it.
const OTHERS: [&str; 38] = [
    "user",
    "human",
    "you",
    "person",
    "customer",
    "client",
    "caller",
    "guest",
    "visitor",
    "patient",
    "student",
    "teacher",
    "interviewer",
    "operator",
    "q",
    "system",
    "player",
    "dm",
    "gm",
    "narrator",
    "moderator",
    "boss",
    "用户",
    "人类",
    "客户",
    "系统",
    "我",
    "你",
    "ユーザー",
    "사용자",
    "usuario",
    "usuário",
    "cliente",
    "utilisateur",
    "benutzer",
    "nutzer",
    "utente",
    "пользователь",
];

/// Those who speak for the model, or for its tools.
const OWN: [&str; 21] = [
    "assistant",
    "ai",
    "bot",
    "chatbot",
    "agent",
    "model",
    "machine",
    "computer",
    "a",
    "gpt",
    "llm",
    "helper",
    "robot",
    "tool",
    "function",
    "助手",
    "机器人",
    "アシスタント",
    "asistente",
    "assistent",
    "ассистент",
];

/// Lines in capitals that say what follows, and not who speaks.
const STEPS: [&str; 24] = [
    "ACTION", "ACTIONS", "CALL", "CALLS", "TOOL", "TOOLS", "FUNCTION", "STEP", "STEPS", "PLAN",
    "RESULT", "RESULTS", "OUTPUT", "INPUT", "NEXT", "NOTE", "NOTES", "DONE", "WAITING", "ANSWER",
    "RESPONSE", "STATUS", "SUMMARY", "THOUGHT",
];

/// Nouns of which a text compares several.
const COMPARED: [&str; 12] = [
    "response",
    "option",
    "candidate",
    "version",
    "variant",
    "alternative",
    "completion",
    "sample",
    "choice",
    "reply",
    "answer",
    "model",
];

/// Words of a ruler that a model draws around its own call.
const OF_CALLS: [&str; 5] = ["tool", "function", "call", "action", "invo"];

/// How a line says who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `User: …`
    Colon,
    /// `USER> …`
    Arrow,
    /// `### User`
    Heading,
    /// `**User** …`
    Bold,
    /// `[User] …`
    Bracket,
    /// `<user>`
    Element,
    /// `USER`
    Capitals,
}

impl Judge<'_, '_> {
    /// Whether lines of one kind stand before and behind a row of regions.
    pub(super) fn between(&self, range: &Range<usize>, row: &Range<usize>) -> Result<(), No> {
        let no = |message: &str| Err((Reason::Quoted, message.to_owned()));
        let before = self.before_row(row);
        let behind = self.behind_row(row);
        let last = last_line(before).trim();
        if is_answered_over_http(before) {
            return no("it stands in the body of a message of HTTP");
        }
        let Some(next) = said_behind(behind) else { return Ok(()) };
        if is_stamped(last) && is_stamped(next) {
            return no("it stands between the lines of a log");
        }
        if is_prompt(last) && is_prompt(next) {
            return no("it is what a command gave");
        }
        if is_ruler(next) && before.lines().rev().take(LINES_MAX).any(is_ruler) {
            return no("it stands between rulers");
        }
        if is_said(last) && is_said(next) {
            return no("it stands between quotations");
        }
        if are_compared(last, next) {
            return Err((Reason::Possible, "it is one of several that are compared".to_owned()));
        }
        if is_session(
            self.layout.before_on_line(range.start),
            self.layout.slice(range.clone()),
            behind,
        ) {
            return no("it stands in the log of a session");
        }
        match self.is_turn(before, next) {
            true => no("it stands in a conversation that the text tells"),
            false => Ok(()),
        }
    }

    /// Whether a conversation is told around a region: someone else spoke before any call, and someone
    /// speaks behind this one. A model that goes on behind its own call did call before.
    fn is_turn(&self, before: &str, next: &str) -> bool {
        let Some((form, name)) = speaker(next) else { return false };
        let is_known = is_one(&OTHERS, name) || is_one(&OWN, name);
        let mut spoke = self.before_all().lines().rev().take(LINES_MAX).filter_map(speaker);
        let is_told = |(other, who): (Form, &str)| {
            let is_other = other == form && is_one(&OTHERS, who);
            let is_again = other == Form::Arrow && form == other && who == name;
            is_other && is_known || is_again
        };
        if spoke.any(is_told) {
            return true;
        }
        let last = speaker(last_line(before));
        let is_role =
            |name: &str| !STEPS.iter().any(|step| name.split(' ').any(|word| word == *step));
        form == Form::Capitals
            && is_role(name)
            && last.is_some_and(|(form, who)| form == Form::Capitals && is_role(who))
    }
}

/// The first line behind a region that says something: no end of a fence or of an element.
fn said_behind(behind: &str) -> Option<&str> {
    let is_closer = |line: &&str| {
        line.starts_with("</") && line.ends_with('>') && line.len() < NAME_BYTES_MAX
            || line.starts_with("```") && !line.contains(char::is_alphanumeric)
    };
    let mut lines = behind.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !is_closer(line))
}

/// Who speaks in a line, and how it says so.
fn speaker(line: &str) -> Option<(Form, &str)> {
    let line = line.trim();
    let short = line.get(..line.floor_char_boundary(NAME_BYTES_MAX))?;
    let (form, name) = if line.starts_with('#') {
        (Form::Heading, line.trim_matches(|c: char| matches!(c, '#' | ' ' | ':')))
    } else if let Some(rest) = short.strip_prefix("**") {
        (Form::Bold, rest.split("**").next()?.trim_end_matches(':'))
    } else if let Some(rest) = short.strip_prefix('[') {
        let (name, rest) = rest.split_once(']')?;
        rest.starts_with([' ', ':']).then_some((Form::Bracket, name))?
    } else if let Some(rest) = short.strip_prefix('<') {
        (Form::Element, rest.split_once('>')?.0)
    } else if let Some((name, _)) = short.split_once([':', '：']) {
        (Form::Colon, name)
    } else if let Some((name, _)) = short.split_once('>') {
        (Form::Arrow, name)
    } else {
        let is_capital = |c: char| c.is_uppercase() || matches!(c, ' ' | '\'' | '-');
        (line.len() == short.len() && line.chars().all(is_capital))
            .then_some((Form::Capitals, line))?
    };
    let name = name.trim();
    let is_name = name.len() <= NAME_BYTES_MAX && name.contains(char::is_alphabetic);
    is_name.then_some((form, name))
}

fn is_one(names: &[&str], name: &str) -> bool {
    let name = name.to_lowercase();
    names.contains(&name.as_str())
}

/// Whether a line is stamped with a time: at its start, or behind the name of who speaks.
fn is_stamped(line: &str) -> bool {
    let is_mark = |c: char| matches!(c, '[' | '(' | '*' | '_' | ' ' | '>' | '`');
    let start = line.trim_start_matches(is_mark);
    let is_named = line.starts_with(['*', '_', '@', '[', '<']);
    let last = line.rsplit([' ', '(', '[']).next().unwrap_or_default();
    is_time(start) || is_named && is_time(last) && line.len() < 2 * NAME_BYTES_MAX
}

/// Whether a text starts with a time of the day or a date.
fn is_time(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let first = digits(text);
    let rest = text.get(first..).unwrap_or_default();
    let second = digits(rest.get(1..).unwrap_or_default());
    let is_clock = matches!(first, 1 | 2) && rest.starts_with(':') && second == 2;
    let is_date = first == 4 && rest.starts_with(['-', '/']) && second == 2;
    is_clock || is_date
}

/// Whether a shell waits in a line, or has a command.
fn is_prompt(line: &str) -> bool {
    let line = line.trim();
    let is_shell = line == "$" || line.starts_with("$ ");
    let is_remote = || {
        let host = line.split(['$', '#']).next().unwrap_or_default();
        host.contains('@') && host.contains(':') && !host.contains(' ') && host.len() < line.len()
    };
    is_shell || is_remote() || line.starts_with("PS ") && line.contains('>')
}

/// Whether a line is a ruler with words in it: `---- Forwarded message ----`.
fn is_ruler(line: &str) -> bool {
    const SIGNS_MIN: usize = 3;
    let line = line.trim();
    let Some(sign) = line.chars().next().filter(|c| "-=*_~#".contains(*c)) else { return false };
    let words = line.trim_matches(sign);
    let is_drawn = |signs: usize| signs >= SIGNS_MIN;
    let opened = line.len() - line.trim_start_matches(sign).len();
    let closed = line.len() - line.trim_end_matches(sign).len();
    let of_call = || {
        let words = words.to_lowercase();
        OF_CALLS.iter().any(|word| words.contains(word))
    };
    is_drawn(opened) && is_drawn(closed) && words.contains(char::is_alphanumeric) && !of_call()
}

/// Whether a line is a quotation and nothing else.
fn is_said(line: &str) -> bool {
    let ends = |open, close| line.starts_with(open) && line.ends_with(close) && line.len() > 2;
    ends('"', '"') || ends('“', '”') || ends('„', '“') || ends('«', '»') || ends('「', '」')
}

/// Whether two titles name things that are compared: `Response A:`, `Response B:`.
fn are_compared(last: &str, next: &str) -> bool {
    let title = |line: &str| {
        let line = line.trim_matches(|c: char| !c.is_alphanumeric());
        let (noun, which) = line.split_once(' ')?;
        let which = which.split([':', '*', '(']).next()?.trim();
        let noun = noun.to_lowercase();
        let is_which = which.len() < 3 && which.chars().all(char::is_alphanumeric);
        (is_which && COMPARED.contains(&noun.as_str())).then_some((noun, which.to_owned()))
    };
    let (Some((noun, one)), Some((other, two))) = (title(last), title(next)) else { return false };
    noun == other && one != two
}

/// Whether the value of a line of a session stands right behind it.
fn is_session(before: &str, own: &str, behind: &str) -> bool {
    let is_prompt =
        before.trim() == ">>>" || own.starts_with(">>>") || before.trim_start().starts_with("In [");
    let value = behind.strip_prefix('\n').unwrap_or_default();
    let is_value = value.starts_with(['\'', '"', '{', '[', '(', '<'])
        || value.starts_with(|c: char| c.is_ascii_digit())
        || ["True", "False", "None", "Out["].iter().any(|word| value.starts_with(word));
    is_prompt && is_value
}

/// Whether the paragraph before a region is the head of a request or a reply.
fn is_answered_over_http(before: &str) -> bool {
    let Some(head) = before.trim_end_matches([' ', '\r']).strip_suffix('\n') else { return false };
    let head = head.trim_end();
    let head = head.rsplit("\n\n").next().unwrap_or_default();
    let mut lines = head.lines().map(str::trim);
    let Some(first) = lines.next() else { return false };
    let is_reply = first.starts_with("HTTP/") && first.contains(' ');
    let is_request = first.contains(" HTTP/1") || first.ends_with(" HTTP/2");
    let is_header = |line: &str| {
        let name = line.split_once(':').map_or("", |(name, _)| name);
        !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
    };
    // A fence may open behind the head.
    (is_reply || is_request) && lines.all(|line| is_header(line) || line.starts_with("```"))
}

/// Whether what stands right behind a region points at it, or grades it: `<- this is wrong`.
pub(super) fn is_pointed_at(behind: &str) -> bool {
    const POINTERS: [&str; 12] = ["<-", "<=", "←", "⟵", "⇐", "^ ", "^^", "↑", "⬆", "👆", "☝", "👈"];
    const GRADES: [&str; 8] =
        ["(correct", "(incorrect", "(wrong", "(right)", "(valid", "(invalid", "(good)", "(bad)"];
    let behind = first_line(behind);
    let is_word = behind.contains(char::is_alphanumeric);
    is_word && POINTERS.iter().any(|mark| behind.starts_with(mark))
        || GRADES.iter().any(|mark| behind.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::{Form, is_ruler, is_stamped, speaker};

    #[test]
    fn lines_say_who_speaks() {
        assert_eq!(speaker("Human: please"), Some((Form::Colon, "Human")));
        assert_eq!(speaker("用户：好"), Some((Form::Colon, "用户")));
        assert_eq!(speaker("### User"), Some((Form::Heading, "User")));
        assert_eq!(speaker("**You** (09:01)"), Some((Form::Bold, "You")));
        assert_eq!(speaker("[DM] The golem"), Some((Form::Bracket, "DM")));
        assert_eq!(speaker("<user>please</user>"), Some((Form::Element, "user")));
        assert_eq!(speaker("ME > please"), Some((Form::Arrow, "ME")));
        assert_eq!(speaker("DAVE"), Some((Form::Capitals, "DAVE")));
        assert_eq!(speaker("I'll look at the weather now."), None);
        assert_eq!(speaker("[TOOL_CALLS]"), None);
        assert_eq!(speaker("---"), None);
    }

    #[test]
    fn lines_of_logs_are_stamped() {
        for line in [
            "10:11 start",
            "[10:11:12] a",
            "2026-01-02T10:11:12 a",
            "*ann*  10:11",
            "**A** (09:02)",
        ] {
            assert!(is_stamped(line), "{line}");
        }
        for line in ["At 10:30 I leave", "3:1 is the ratio", "2026 was fine", "1. First", ""] {
            assert!(!is_stamped(line), "{line}");
        }
    }

    #[test]
    fn rulers_that_a_model_draws_around_its_call_are_none() {
        assert!(is_ruler("---------- Forwarded message ---------"));
        assert!(!is_ruler("--- Tool call ---"));
        assert!(!is_ruler("----------"));
        assert!(!is_ruler("### Heading"));
    }
}
