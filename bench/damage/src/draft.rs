//! A payload on its way to being broken.

use serde_json::Value;

use crate::rng::Rng;
use crate::token::{Escapes, Kind, Layout, Token, lay_out};

/// In how many of the places where it could happen the damage happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extent {
    /// In one place.
    Once,
    /// In about half of them, at least one.
    Here,
    /// In all.
    Throughout,
}

/// A payload, its tokens, and what stands around them.
#[derive(Debug)]
pub(crate) struct Draft {
    pub rng: Rng,
    /// What was meant.
    pub value: Value,
    /// Other values that a fair reader would take as well.
    pub others: Vec<Value>,
    /// The values in order, where several were meant.
    pub several: Vec<Value>,
    pub extent: Extent,
    pub layout: Layout,
    pub escapes: Escapes,
    pub tokens: Vec<Token>,
    pub before: String,
    pub after: String,
    /// Whether this very text still holds all that was meant.
    pub keeps_information: bool,
}

impl Draft {
    pub(crate) fn new(value: Value, extent: Extent, mut rng: Rng) -> Self {
        let layout = match rng.below(10) {
            0 | 1 => Layout::Compact,
            2..=5 => Layout::Spaced,
            6..=8 => Layout::Pretty("  "),
            _ => Layout::Pretty(rng.pick(&["    ", "\t", ""])),
        };
        let escapes = if rng.chance(10) { Escapes::NonAscii } else { Escapes::Needed };
        let tokens = lay_out(&value, layout, escapes);
        Self {
            rng,
            value,
            others: Vec::new(),
            several: Vec::new(),
            extent,
            layout,
            escapes,
            tokens,
            before: String::new(),
            after: String::new(),
            keeps_information: true,
        }
    }

    /// Writes the value anew with this layout.
    pub(crate) fn lay_out(&mut self, layout: Layout) {
        self.layout = layout;
        self.tokens = lay_out(&self.value, layout, self.escapes);
    }

    /// Writes the value anew with white space after commas and colons at least.
    pub(crate) fn lay_out_spaced(&mut self) {
        if self.layout == Layout::Compact {
            self.lay_out(Layout::Spaced);
        }
    }

    /// Writes the value anew, a line per member.
    pub(crate) fn lay_out_pretty(&mut self) {
        if !matches!(self.layout, Layout::Pretty(_)) {
            self.lay_out(Layout::Pretty("  "));
        }
    }

    /// Writes the value anew after it changed.
    pub(crate) fn refresh(&mut self) {
        self.lay_out(self.layout);
    }

    /// The tokens as text.
    pub(crate) fn body(&self) -> String {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        format!("{}{}{}", self.before, self.body(), self.after)
    }

    /// The value in this layout, with nothing wrong.
    pub(crate) fn undamaged(&self) -> String {
        let tokens = lay_out(&self.value, self.layout, self.escapes);
        tokens.iter().map(|token| token.text.as_str()).collect()
    }

    /// Puts text in the place of all tokens.
    pub(crate) fn set_body(&mut self, text: impl Into<String>) {
        self.tokens = vec![Token::raw(text)];
    }

    /// Puts text around everything so far.
    pub(crate) fn wrap(&mut self, before: &str, after: &str) {
        self.before.insert_str(0, before);
        self.after.push_str(after);
    }

    /// Chooses among the places that fit, as many as the extent says; none if none fits.
    pub(crate) fn places(&mut self, fits: impl Fn(&[Token], usize) -> bool) -> Vec<usize> {
        let all: Vec<usize> = (0..self.tokens.len()).filter(|&at| fits(&self.tokens, at)).collect();
        self.choose(all)
    }

    /// Chooses as many of the items as the extent says.
    pub(crate) fn choose(&mut self, mut all: Vec<usize>) -> Vec<usize> {
        match self.extent {
            Extent::Throughout => all,
            _ if all.is_empty() => all,
            Extent::Once => vec![self.rng.pick(&all)],
            Extent::Here => {
                let kept = self.rng.below(all.len());
                let mut index = 0;
                all.retain(|_| {
                    index += 1;
                    index == kept + 1 || self.rng.chance(50)
                });
                all
            }
        }
    }

    /// Changes the text of the chosen tokens; says whether there were any.
    pub(crate) fn change(
        &mut self,
        fits: impl Fn(&[Token], usize) -> bool,
        mut change: impl FnMut(&mut Rng, &Token) -> Option<String>,
    ) -> Option<()> {
        let places = self.places(fits);
        let mut is_changed = None;
        for at in places {
            if let Some(token) = self.tokens.get_mut(at)
                && let Some(text) = change(&mut self.rng, token)
            {
                token.text = text;
                is_changed = Some(());
            }
        }
        is_changed
    }

    /// Changes every token of a kind for which there is an answer.
    pub(crate) fn change_all(
        &mut self,
        mut change: impl FnMut(&mut Rng, &Token) -> Option<String>,
    ) -> Option<()> {
        let mut is_changed = None;
        for token in &mut self.tokens {
            if let Some(text) = change(&mut self.rng, token) {
                token.text = text;
                is_changed = Some(());
            }
        }
        is_changed
    }

    /// Adds text right behind the chosen tokens.
    pub(crate) fn add_behind(
        &mut self,
        fits: impl Fn(&[Token], usize) -> bool,
        mut make: impl FnMut(&mut Rng) -> String,
    ) -> Option<()> {
        self.change(fits, |rng, token| Some(format!("{}{}", token.text, make(rng))))
    }
}

/// The kind of the token so many steps away, white space not counted.
pub(crate) fn neighbour(tokens: &[Token], at: usize, step: isize) -> Option<Kind> {
    let mut index = at;
    loop {
        index = index.checked_add_signed(step)?;
        let token = tokens.get(index)?;
        if token.kind != Kind::Space {
            return Some(token.kind);
        }
    }
}

/// The strings of a value, keys left out.
pub(crate) fn strings_mut(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter_mut().flat_map(strings_mut).collect(),
        Value::Object(members) => members.values_mut().flat_map(strings_mut).collect(),
        _ => Vec::new(),
    }
}
