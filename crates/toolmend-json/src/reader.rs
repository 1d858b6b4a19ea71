//! Reading, whole and in pieces. Whole text is a stream of one chunk.

use std::borrow::Cow;

use crate::document::{Document, Outcome, Shape};
use crate::expected::Want;
use crate::finish::{refused, sort, worst};
use crate::input::Input;
use crate::machine::Machine;
use crate::{Fault, FaultCode, Options, Span, is_valid};

/// Reads a whole text.
#[must_use]
pub fn read<'t>(text: &'t str, options: &Options) -> Document<'t> {
    if is_too_large(text, options) && !is_valid(text) {
        return too_large(Cow::Borrowed(text));
    }
    let mut machine = Machine::new(text.len());
    machine.run(Input { text, ended: true, mends: true, options });
    let mut document = machine.into_document(Cow::Borrowed(text), options);
    decode(&mut document, options);
    document
}

/// So many bytes the first value of a text has most often; it may well be longer.
const FIRST_BYTES: usize = 512;

/// Reads the list or the object that a text starts with, if it is valid JSON. What stands behind it is
/// not looked at: the document's text ends with the value, and is read as it would be alone.
#[must_use]
pub fn read_first<'t>(text: &'t str, options: &Options) -> Option<Document<'t>> {
    let mut machine = Machine::new(text.len().min(FIRST_BYTES));
    let end = machine.run_to_root(&Input { text, ended: false, mends: false, options })?;
    Some(machine.into_right_document(text.get(..end)?, options))
}

/// Reads a text that comes in pieces. Any pieces of one text give the same document.
///
/// A reader that is finished is gone:
///
/// ```compile_fail
/// let reader = toolmend_json::Reader::new(toolmend_json::Options::default());
/// let document = reader.finish();
/// reader.push(b"more");
/// ```
#[derive(Debug)]
pub struct Reader {
    text: String,
    /// Bytes that came after the text. Waking the machine for each piece, or only looking whether
    /// it is text, would be most of the cost of small ones.
    waiting: Vec<u8>,
    replaced: Vec<Fault>,
    options: Options,
    machine: Machine,
}

/// So many bytes may wait.
const BATCH_BYTES: usize = 256;

impl Reader {
    /// Starts reading.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            text: String::new(),
            waiting: Vec::new(),
            replaced: Vec::new(),
            options,
            machine: Machine::new(0),
        }
    }

    /// Reads one more piece, which may end inside a character.
    #[inline]
    pub fn push(&mut self, chunk: &[u8]) {
        self.waiting.extend_from_slice(chunk);
        if self.waiting.len() >= BATCH_BYTES {
            self.read_waiting();
        }
    }

    fn read_waiting(&mut self) {
        self.take_waiting();
        // Broken text over the limit will be refused: there is no point in reading on.
        if is_too_large(&self.text, &self.options) && !self.machine.faults.is_empty() {
            return;
        }
        self.machine.run(Input {
            text: &self.text,
            ended: false,
            mends: true,
            options: &self.options,
        });
    }

    /// Ends the text.
    #[must_use]
    pub fn finish(mut self) -> Document<'static> {
        self.take_waiting();
        // The text was cut inside a character, of which nothing can be kept.
        if !self.waiting.is_empty() {
            let span = Span::new(self.text.len(), self.text.len());
            self.replaced.push(Fault { span, code: FaultCode::InvalidUtf8 });
        }
        let Self { text, replaced, options, mut machine, .. } = self;
        if is_too_large(&text, &options) && !is_valid(&text) {
            return too_large(Cow::Owned(text));
        }
        machine.run(Input { text: &text, ended: true, mends: true, options: &options });
        let mut document = machine.into_document(Cow::Owned(text), &options);
        decode(&mut document, &options);
        with_replaced(document, &replaced)
    }

    /// Makes text of the bytes that wait. The first bytes of a character go on waiting for the rest.
    fn take_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        let partial = self.take(&waiting);
        waiting.drain(..waiting.len() - partial);
        // A large piece is not kept twice.
        waiting.shrink_to(2 * BATCH_BYTES);
        self.waiting = waiting;
    }

    /// Takes what is whole of these bytes and tells how many are left.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text.push_str(text);
                    return 0;
                }
                Err(error) => {
                    let (whole, broken) =
                        rest.split_at_checked(error.valid_up_to()).unwrap_or_default();
                    self.text.push_str(std::str::from_utf8(whole).unwrap_or_default());
                    let Some(width) = error.error_len() else { return broken.len() };
                    self.replace();
                    rest = broken.get(width..).unwrap_or_default();
                }
            }
        }
    }

    /// Puts a replacement character where bytes were no character.
    fn replace(&mut self) {
        let start = self.text.len();
        self.text.push(char::REPLACEMENT_CHARACTER);
        let span = Span::new(start, self.text.len());
        self.replaced.push(Fault { span, code: FaultCode::InvalidUtf8 });
    }
}

fn is_too_large(text: &str, options: &Options) -> bool {
    text.len() > options.limits.broken_bytes_max
}

fn too_large(text: Cow<'_, str>) -> Document<'_> {
    let span = Span::new(0, text.len());
    refused(text, Vec::new(), Fault { span, code: FaultCode::TooLarge })
}

/// How often a text may be JSON inside a JSON string.
const ENCODINGS_MAX: usize = 3;

/// Reads JSON in a string, where a container is wanted and the text is one string that holds one.
pub(crate) fn decode(document: &mut Document<'_>, options: &Options) {
    if options.expected.want() == Want::Any {
        return;
    }
    for _ in 0..ENCODINGS_MAX {
        let string = document.value().filter(|node| node.shape() == Shape::String);
        let Some(inner) = string.and_then(|node| node.as_str()) else { break };
        if !inner.trim_start().starts_with(['{', '[', '"']) {
            break;
        }
        let is_right = is_valid(&inner);
        let raw = unescaped_once(document).filter(|_| !is_right);
        let text = raw.unwrap_or_else(|| inner.into_owned());
        let mut machine = Machine::new(text.len());
        machine.run(Input { text: &text, ended: true, mends: true, options });
        let mut decoded = machine.into_document(Cow::Owned(text), options);
        let span = Span::new(0, decoded.text.len());
        decoded.faults.insert(0, Fault { span, code: FaultCode::DoubleEncoded });
        match decoded.outcome {
            Outcome::Untouched | Outcome::Mended(_) => {
                let trust = worst(&decoded.faults).max(worst(&document.faults));
                decoded.outcome = Outcome::Mended(trust);
            }
            Outcome::Cut | Outcome::Refused(_) | Outcome::Empty => break,
        }
        *document = decoded;
    }
}

/// What stands in single quotes, where that is valid JSON but for quotes that are escaped for them:
/// whoever put the quotes around it escaped nothing else.
fn unescaped_once(document: &Document<'_>) -> Option<String> {
    let source = document.value()?.source();
    let inner = source.strip_prefix('\'')?.strip_suffix('\'')?;
    if !inner.contains('\\') {
        return None;
    }
    let text = inner.replace("\\'", "'");
    is_valid(&text).then_some(text)
}

/// Adds what was replaced before reading to what reading found.
fn with_replaced(mut document: Document<'static>, replaced: &[Fault]) -> Document<'static> {
    if replaced.is_empty() {
        return document;
    }
    // In a text that was decoded the places are gone: the whole of it is told.
    let is_decoded = document.faults.iter().any(|fault| fault.code == FaultCode::DoubleEncoded);
    if is_decoded {
        let span = Span::new(0, document.text.len());
        document.faults.push(Fault { span, code: FaultCode::InvalidUtf8 });
    } else {
        document.faults.extend_from_slice(replaced);
    }
    sort(&mut document.faults);
    if let Outcome::Untouched | Outcome::Mended(_) = document.outcome {
        document.outcome = Outcome::Mended(worst(&document.faults));
    }
    document
}
