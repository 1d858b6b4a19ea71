//! Decides whether what was read may be used, and says why not.

use crate::cut::Cut;
use crate::document::{Document, Outcome, Shape};
use crate::expected::Want;
use crate::fault::{Fault, FaultCode};
use crate::trust::Trust;

/// What may be used without asking.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// How sure a reading must be.
    pub trust: Trust,
    /// How far a cut may be closed; `None` never closes.
    pub closing: Option<Trust>,
    /// The shape that each value must have.
    pub want: Want,
}

/// Why a text gives no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is nothing in it.
    Empty,
    /// This fault leaves no value that can be had.
    Unreadable(FaultCode),
    /// It was cut, and closing it needs this much trust.
    Cut(Trust),
    /// A reading needs this much trust, because of this fault.
    Untrusted(Trust, Option<Fault>),
    /// A value has this shape, and another one is wanted.
    Shape(Shape),
}

/// How a usable value came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// The text is the value.
    Untouched,
    /// The text was mended.
    Mended,
    /// The text was cut, and what was open was closed, which needed this much trust.
    Closed(Trust),
}

/// Closes the document where that is needed and allowed, and says whether it may be used.
///
/// # Errors
///
/// Why it may not be used.
pub fn accept(document: &mut Document<'_>, policy: Policy) -> Result<Accepted, Refusal> {
    let accepted = match document.outcome() {
        Outcome::Untouched => Accepted::Untouched,
        Outcome::Mended(_) => Accepted::Mended,
        Outcome::Cut => close(document, policy)?,
        Outcome::Empty => return Err(Refusal::Empty),
        Outcome::Refused(code) => return Err(Refusal::Unreadable(code)),
    };
    if let Some(fault) = over(document, policy.trust) {
        let needed = fault.code.trust().ok_or(Refusal::Unreadable(fault.code))?;
        return Err(Refusal::Untrusted(needed, Some(fault)));
    }
    match document.outcome() {
        // Closing was allowed by itself, and nothing else needs that much.
        Outcome::Mended(needed)
            if needed > policy.trust && !matches!(accepted, Accepted::Closed(_)) =>
        {
            return Err(Refusal::Untrusted(needed, None));
        }
        _ => {}
    }
    match document.values().map(|value| value.shape()).find(|&shape| !fits(shape, policy.want)) {
        Some(shape) => Err(Refusal::Shape(shape)),
        None => Ok(accepted),
    }
}

/// The first fault past which a reading needs more trust than is allowed.
fn over(document: &Document<'_>, allowed: Trust) -> Option<Fault> {
    document.faults().iter().copied().find(|fault| {
        !is_of_cut(fault.code) && fault.code.trust().is_none_or(|trust| trust > allowed)
    })
}

fn close(document: &mut Document<'_>, policy: Policy) -> Result<Accepted, Refusal> {
    let needed = document.cut().map_or(Trust::Guess, Cut::trust);
    let Some(allowed) = policy.closing else { return Err(Refusal::Cut(needed)) };
    match document.close(allowed) {
        Outcome::Untouched | Outcome::Mended(_) => Ok(Accepted::Closed(needed)),
        // Also where closing leaves nothing: that it was cut is why.
        _ => Err(Refusal::Cut(needed)),
    }
}

/// Whether a fault tells how a cut was closed, which is allowed or not by itself.
fn is_of_cut(code: FaultCode) -> bool {
    matches!(code, FaultCode::ClosedCut | FaultCode::DroppedCut | FaultCode::CompletedCut)
}

fn fits(shape: Shape, want: Want) -> bool {
    match want {
        Want::Any => true,
        Want::Object => shape == Shape::Object,
        Want::Array => shape == Shape::Array,
    }
}
