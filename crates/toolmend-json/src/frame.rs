//! The containers that are open.

use crate::tape::Kind;

/// What kind of container is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Object,
    /// An object whose braces are doubled.
    Doubled,
    Array,
    /// A list in parentheses.
    Tuple,
    /// Members that stand without an opening brace.
    Bare,
}

impl FrameKind {
    /// Whether members have keys here.
    pub(crate) const fn is_object(self) -> bool {
        matches!(self, Self::Object | Self::Doubled | Self::Bare)
    }

    /// The byte that closes it.
    pub(crate) const fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Doubled | Self::Bare => b'}',
            Self::Array => b']',
            Self::Tuple => b')',
        }
    }

    /// How the tape holds it.
    pub(crate) const fn tape_kind(self) -> Kind {
        match self {
            Self::Object | Self::Doubled | Self::Bare => Kind::Object,
            Self::Array | Self::Tuple => Kind::Array,
        }
    }
}

/// One open container.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: FrameKind,
    /// Its slot on the tape.
    pub(crate) slot: u32,
    /// Where it opened.
    pub(crate) at: u32,
}

/// The open containers. Frames above the depth are kept until they are overwritten, so that a
/// closer that later text proves wrong can be taken back.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    all: Vec<Frame>,
    depth: usize,
}

impl Frames {
    /// Room for as many as most values have.
    pub(crate) fn with_room() -> Self {
        Self { all: Vec::with_capacity(4), depth: 0 }
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn open(&self) -> &[Frame] {
        self.all.get(..self.depth).unwrap_or_default()
    }

    pub(crate) fn top(&self) -> Option<Frame> {
        self.open().last().copied()
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        self.all.truncate(self.depth);
        self.all.push(frame);
        self.depth += 1;
    }

    /// The innermost object has doubled braces.
    pub(crate) fn double_top(&mut self) {
        let top = self.depth.checked_sub(1).and_then(|index| self.all.get_mut(index));
        if let Some(frame) = top {
            frame.kind = FrameKind::Doubled;
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let top = self.top()?;
        self.depth -= 1;
        Some(top)
    }

    /// Opens again what was closed since the depth was this.
    pub(crate) fn reopen(&mut self, depth: usize) {
        self.depth = depth.min(self.all.len());
    }
}
