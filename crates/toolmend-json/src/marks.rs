//! What kinds of bytes a text without quotes holds, found in the same pass as its end; and those of
//! names.

/// A set of kinds of bytes. It may hold more than the text does, never less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    /// Bytes that may end a value.
    pub(crate) const STOP: u8 = 1;
    /// Bytes that JSON does not have in a string as they are.
    pub(crate) const ODD: u8 = 2;
    /// Signs of arithmetic, calls and other code.
    pub(crate) const SIGN: u8 = 4;
    /// Spaces and points, between the words of code without a sign.
    pub(crate) const JOINT: u8 = 8;
    /// Double quotes and line breaks.
    pub(crate) const BREAK: u8 = 16;
    /// A word after a space that may be `for`.
    pub(crate) const FOR: u8 = 32;
    /// Bytes that a name without quotes may have; every letter outside of ASCII is fine.
    const NAME: u8 = 64;

    /// The kinds of all bytes of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self(text.bytes().fold(Self::FOR, |kinds, byte| kinds | kinds_of(byte)))
    }

    pub(crate) const fn add(&mut self, kind: u8) {
        self.0 |= kind;
    }

    /// Adds the kinds of the bytes from this place on, up to one that may end a value, and tells
    /// where that is. The byte itself is added too.
    pub(crate) fn run(&mut self, bytes: &[u8], from: usize) -> usize {
        let rest = bytes.get(from..).unwrap_or_default();
        let found = rest.iter().position(|&byte| {
            self.0 |= kinds_of(byte);
            kinds_of(byte) & Self::STOP != 0
        });
        found.map_or(bytes.len(), |offset| from + offset)
    }

    pub(crate) const fn has(self, kind: u8) -> bool {
        self.0 & kind != 0
    }
}

/// Whether a name without quotes may have this byte.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    kinds_of(byte) & Marks::NAME != 0
}

fn kinds_of(byte: u8) -> u8 {
    KINDS.get(usize::from(byte)).copied().unwrap_or_default()
}

const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut rest: &mut [u8] = &mut kinds;
    let mut byte = 0;
    while let Some((first, others)) = rest.split_first_mut() {
        *first = kinds_anew(byte);
        rest = others;
        byte = byte.wrapping_add(1);
    }
    kinds
};

const fn kinds_anew(byte: u8) -> u8 {
    let mut kinds = 0;
    if matches!(
        byte,
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'\n' | b'"' | b' ' | b'\t' | b'<'
    ) || matches!(byte, b'/' | b'#' | b'\\' | 0x0b | 0x0c | 0x80..)
    {
        kinds |= Marks::STOP;
    }
    if matches!(byte, b'"' | b'\\' | 0..0x20) {
        kinds |= Marks::ODD;
    }
    if matches!(byte, b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'|' | b'&' | b'?' | b'(' | b'>') {
        kinds |= Marks::SIGN;
    }
    if matches!(byte, b' ' | b'.') {
        kinds |= Marks::JOINT;
    }
    if matches!(byte, b'"' | b'\n') {
        kinds |= Marks::BREAK;
    }
    if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.' | 0x80..) {
        kinds |= Marks::NAME;
    }
    kinds
}
