//! What was done to the calls of a turn, for a person.

use std::fmt::Write as _;

use toolmend::{Declared, Mended, Origin, Outcome, Refused, Settings, Tool, ToolSet, Truncation};
use toolmend::{Trust, Written};
use toolmend_json::{Expected, Limits, Policy, Want, accept};

use crate::args::Explain;
use crate::console::{BOLD, RED};
use crate::explain::Story;
use crate::glyph::line;

/// Tells what became of the calls of one turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Teller<'a> {
    pub(super) tools: &'a ToolSet,
    pub(super) settings: &'a Settings,
    pub(super) is_cut: bool,
    /// How much to tell, and how wide.
    pub(super) how: (Explain, usize),
    /// How the line is named to a person.
    pub(super) name: &'a str,
}

impl Teller<'_> {
    pub(super) fn tell(&self, declared: &[Declared], mended: &Mended) -> String {
        let mut told = String::new();
        for (index, call) in declared.iter().enumerate() {
            told.push_str(&self.declared(index, call, mended));
        }
        for call in &mended.calls {
            if let Origin::Found { channel, dialect } = call.origin {
                let place = channel.as_str();
                let _ = writeln!(
                    told,
                    "{BOLD}found:{BOLD:#} {} in the {place}, written as {dialect}",
                    line(&call.name)
                );
            }
        }
        for refused in mended.refused.iter().filter(|refused| refused.origin.is_text()) {
            let first = refused.raw.lines().next().unwrap_or_default();
            let _ = writeln!(
                told,
                "{RED}no call:{RED:#} {BOLD}{}{BOLD:#} in the {}: {} ({})\n    {}",
                line(refused.name.as_deref().unwrap_or_default()),
                refused.origin.as_str(),
                line(&refused.message),
                refused.reason.id(),
                line(first),
            );
        }
        told
    }

    fn declared(&self, index: usize, call: &Declared, mended: &Mended) -> String {
        let is_own =
            |origin: Origin| matches!(origin, Origin::Declared { index: at, .. } if at == index);
        let refused = mended.refused.iter().find(|refused| is_own(refused.origin));
        let is_untouched = mended
            .calls
            .iter()
            .any(|call| is_own(call.origin) && call.outcome == Outcome::Untouched);
        if is_untouched {
            return String::new();
        }
        let tool = line(call.name.as_deref().unwrap_or_default());
        let name = format!("{} tool_calls[{index}] {tool}", self.name);
        let page = self.page(&name, call, refused);
        match refused {
            Some(refused) if page.is_empty() => {
                format!("{RED}refused:{RED:#} {BOLD}{name}{BOLD:#}: {}\n", line(&refused.message))
            }
            _ => page,
        }
    }

    /// The text of the arguments with its faults; empty where they are not what decided.
    fn page(&self, name: &str, call: &Declared, refused: Option<&Refused>) -> String {
        let Written::Text(text) = &call.arguments else { return String::new() };
        let tool = call.name.as_deref().and_then(|name| self.tools.resolve(name));
        let tool = tool.map(|(tool, _)| tool);
        let expected = tool.map_or_else(|| Expected::root(Want::Object), Tool::expected);
        let options = toolmend_json::Options { expected, limits: Limits::default() };
        let mut document = toolmend_json::read(text, &options);
        let verdict = accept(&mut document, self.policy(tool));
        if verdict.is_ok() && (refused.is_some() || document.faults().is_empty()) {
            return String::new();
        }
        let (how, width) = self.how;
        Story { name, document: &document, verdict, want: Want::Object }.page(how, width)
    }

    fn policy(&self, tool: Option<&Tool>) -> Policy {
        let trust = self.settings.trust_of(tool);
        let closing = match (self.settings.truncation_of(tool), self.is_cut) {
            (Truncation::Close, _) => Some(Trust::Guess),
            (_, true) => None,
            (_, false) => Some(trust),
        };
        Policy { trust, closing, want: Want::Object }
    }
}
