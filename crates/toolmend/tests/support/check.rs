//! What must hold for any turn, whatever is found in it. Cases, laws and fuzz targets share it.

use std::num::NonZeroUsize;

use serde_json::Value;
use toolmend::{Echo, Findings, Search, Settings, ToolSet};
use toolmend_json::Trust;

/// What a check found wrong.
pub(crate) type Finding = Result<(), String>;

/// One turn, and what the request said.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) tools: ToolSet,
    pub(crate) echo: Echo,
    pub(crate) trust: Trust,
    pub(crate) is_cut: bool,
    pub(crate) is_over: bool,
    pub(crate) declared: Vec<(String, Value)>,
    pub(crate) content: String,
    pub(crate) reasoning: String,
}

/// Everything that findings say, in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    calls: Vec<String>,
    refused: Vec<String>,
    content: Option<String>,
}

impl Seen {
    fn of(findings: &Findings) -> Self {
        Self {
            calls: findings.calls.iter().map(|call| format!("{call:?}")).collect(),
            refused: findings.refused.iter().map(|refused| format!("{refused:?}")).collect(),
            content: findings.content.clone(),
        }
    }
}

impl Turn {
    /// Searches the turn, fed in pieces of so many bytes.
    pub(crate) fn search(&self, chunk: Option<NonZeroUsize>) -> Findings {
        let search = Search {
            tools: &self.tools,
            echo: &self.echo,
            settings: &Settings { trust: self.trust, ..Settings::default() },
            is_turn_cut: self.is_cut,
            is_turn_over: self.is_over,
            declared: &self.declared,
            chunk,
        };
        search.run(&self.content, &self.reasoning)
    }

    /// What must hold for what was found.
    pub(crate) fn holds(&self, findings: &Findings) -> Finding {
        self.keeps_text(findings)?;
        self.calls_fit(findings)?;
        self.is_settled(findings)
    }

    /// Text changes only where a call came out of it, and only by what was taken out.
    pub(crate) fn keeps_text(&self, findings: &Findings) -> Finding {
        if let Some(left) = &findings.content {
            if findings.calls.is_empty() && self.declared.is_empty() {
                return Err(format!("no call was found, and {left:?} is left"));
            }
            let mut rest = self.content.chars();
            if !left.chars().all(|kept| rest.any(|c| c == kept)) {
                return Err(format!("{left:?} does not stand in {:?}", self.content));
            }
        }
        let channels = [&self.content, &self.reasoning];
        match findings
            .refused
            .iter()
            .find(|refused| channels.iter().all(|channel| !channel.contains(refused.raw.as_str())))
        {
            Some(refused) => Err(format!("{refused:?} does not stand in the turn")),
            None => Ok(()),
        }
    }

    /// Each call is one of an offered tool that accepts it.
    pub(crate) fn calls_fit(&self, findings: &Findings) -> Finding {
        for call in &findings.calls {
            match self.tools.resolve(&call.name) {
                Some((tool, _)) if tool.name() == call.name && tool.is_valid(&call.arguments) => {}
                _ => return Err(format!("no offered tool accepts {call:?}")),
            }
        }
        Ok(())
    }

    /// The mended turn is right: nothing more is found in it.
    fn is_settled(&self, findings: &Findings) -> Finding {
        let mut mended = self.clone();
        if let Some(content) = &findings.content {
            mended.content.clone_from(content);
        }
        let found = findings.calls.iter().map(|call| (call.name.clone(), call.arguments.clone()));
        mended.declared.extend(found);
        let again = mended.search(None);
        if again.calls.is_empty() && again.content.is_none() {
            return Ok(());
        }
        Err(format!("mended twice: {:#?}", Seen::of(&again)))
    }
}

/// Two ways to search one turn find the same.
pub(crate) fn agree(one: &Findings, other: &Findings) -> Finding {
    let (one, other) = (Seen::of(one), Seen::of(other));
    if one == other { Ok(()) } else { Err(format!("{one:#?}\n  is not\n{other:#?}")) }
}
