//! The menders of a stream, one for each choice.

use crate::channel::Channel;
use crate::mender::{Closing, Mender, Next, Verdict, WireCall};
use crate::turn::{Delta, End, TurnState};

/// What an engine asks, whatever the menders are.
pub(crate) trait Judge {
    /// Something was said; nothing is asked.
    fn heard(&mut self, _turn: usize, _delta: &Delta) {}
    fn text(&mut self, turn: usize, channel: Channel, text: &str, state: &mut TurnState);
    fn call(&mut self, turn: usize, number: usize, call: &WireCall) -> Verdict;
    fn finish(&mut self, turn: usize, end: &End, closing: &mut Closing<'_>) -> Next;
}

pub(super) struct Menders<M> {
    list: Vec<M>,
    make: Box<dyn FnMut(usize) -> M + Send>,
}

impl<M> Menders<M> {
    pub(super) fn new(make: impl FnMut(usize) -> M + Send + 'static) -> Self {
        Self { list: Vec::new(), make: Box::new(make) }
    }

    pub(super) fn get_mut(&mut self, turn: usize) -> Option<&mut M> {
        self.list.get_mut(turn)
    }

    fn open(&mut self, turn: usize) -> Option<&mut M> {
        // As for turns: there is room for one, and mostly it is enough.
        if self.list.is_empty() {
            self.list.reserve_exact(1);
        }
        while self.list.len() <= turn {
            let mender = (self.make)(self.list.len());
            self.list.push(mender);
        }
        self.list.get_mut(turn)
    }
}

impl<M: Mender> Judge for Menders<M> {
    fn text(&mut self, turn: usize, channel: Channel, text: &str, state: &mut TurnState) {
        if let Some(mender) = self.open(turn) {
            mender.text(channel, text, &mut state.flow(channel));
        }
    }

    fn call(&mut self, turn: usize, number: usize, call: &WireCall) -> Verdict {
        self.open(turn).map_or(Verdict::Keep, |mender| mender.call(number, call))
    }

    fn finish(&mut self, turn: usize, end: &End, closing: &mut Closing<'_>) -> Next {
        self.open(turn).map_or(Next::Done, |mender| mender.finish(end, closing))
    }
}
