//! A stream on its way down: bytes are pulled from the server only as fast as the client takes them.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::Frame;
use tokio::time::{Instant, Sleep, sleep};
use toolmend_wire::{Framing, Relay};

use crate::body::{Body, BoxError};
use crate::exchange::{Outcome, Recorder, TurnMender};
use crate::recover::Asker;

/// A client whose stream is held back longer than this gets a comment, so that it stays awake.
const AWAKE_AFTER: Duration = Duration::from_secs(5);

/// What is done with what a relay makes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// The client gets it.
    Mend,
    /// The client gets what the server said.
    Observe,
}

/// A question that is on its way.
type Asking = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// Is over when the stream has to end.
pub(crate) type Ending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A stream with a relay in the middle.
pub(crate) struct Stream {
    upstream: Option<Body>,
    relay: Relay<TurnMender>,
    framing: Framing,
    watch: Watch,
    recorder: Arc<Recorder>,
    /// What the report is called.
    id: String,
    /// Asks the server again; `None` where nothing may be asked.
    asker: Option<Arc<Asker>>,
    asking: Option<Asking>,
    line: Line,
    /// So many bytes of the server's stream are still read.
    left: usize,
    out: Vec<u8>,
    idle: Alarm,
    ending: Ending,
    awake: Alarm,
    bell: Bell,
}

/// Tells whether one of the alarms of a stream woke it. Asking each of them with every chunk would
/// cost more than most chunks do.
struct Bell {
    wire: Arc<Wire>,
    alarms: Waker,
    /// Who was woken last.
    task: Option<Waker>,
}

/// Leads from the alarms to the task that waits for them.
struct Wire {
    has_rung: AtomicBool,
    task: Mutex<Option<Waker>>,
}

impl Wake for Wire {
    fn wake(self: Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        let task = self.task.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(task) = task {
            task.wake();
        }
    }
}

impl Bell {
    fn new() -> Self {
        let wire = Arc::new(Wire { has_rung: AtomicBool::new(true), task: Mutex::new(None) });
        Self { alarms: Arc::clone(&wire).into(), wire, task: None }
    }

    /// Has the alarms asked when the stream waits next.
    fn ring(&self) {
        self.wire.has_rung.store(true, Ordering::Release);
    }

    /// What the alarms are asked with, if there is a reason to ask: one of them rang, none was asked
    /// yet, or the stream waits in another task.
    fn rings(&mut self, context: &Context<'_>) -> Option<Waker> {
        if !self.task.as_ref().is_some_and(|task| task.will_wake(context.waker())) {
            self.task = Some(context.waker().clone());
            let mut task = self.wire.task.lock().unwrap_or_else(PoisonError::into_inner);
            task.clone_from(&self.task);
        }
        self.wire.has_rung.swap(false, Ordering::AcqRel).then(|| self.alarms.clone())
    }
}

/// Rings when nothing happened for a while. What happens is only noted: the clock is set anew when it
/// rings too early, since most of the time something happens many times before.
struct Alarm {
    after: Duration,
    last: Instant,
    clock: Pin<Box<Sleep>>,
}

impl Alarm {
    fn new(after: Duration) -> Self {
        Self { after, last: Instant::now(), clock: Box::pin(sleep(after)) }
    }

    /// Something happened.
    fn put_off(&mut self, now: Instant) {
        self.last = now;
    }

    /// Whether it rings. It rings again only when it was put off.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.clock.as_mut().poll(context));
            let due = self.last + self.after;
            if due <= Instant::now() {
                return Poll::Ready(());
            }
            self.clock.as_mut().reset(due);
        }
    }
}

impl Stream {
    pub(crate) fn new(
        upstream: Body,
        relay: Relay<TurnMender>,
        (framing, watch): (Framing, Watch),
        (recorder, id): (Arc<Recorder>, String),
        asker: Option<Arc<Asker>>,
        (bytes_max, idle_after, ending): (usize, Duration, Ending),
    ) -> Self {
        Self {
            upstream: Some(upstream),
            relay,
            framing,
            watch,
            recorder,
            id,
            asker,
            asking: None,
            line: Line::Start,
            left: bytes_max,
            out: Vec::new(),
            idle: Alarm::new(idle_after),
            ending,
            awake: Alarm::new(AWAKE_AFTER),
            bell: Bell::new(),
        }
    }

    fn take(&mut self, bytes: &Bytes) -> Option<Bytes> {
        let now = Instant::now();
        // Comments alone do not show that the model is at work.
        if self.line.speaks(bytes) {
            self.idle.put_off(now);
        }
        let read = bytes.get(..self.left).unwrap_or(bytes);
        self.left -= read.len();
        self.relay.push(read, &mut self.out);
        self.given(bytes, now)
    }

    /// What the client gets for these bytes.
    fn given(&mut self, bytes: &Bytes, now: Instant) -> Option<Bytes> {
        let made = std::mem::take(&mut self.out);
        match self.watch {
            Watch::Mend if made.is_empty() => None,
            Watch::Mend => {
                self.awake.put_off(now);
                Some(made.into())
            }
            Watch::Observe => Some(bytes.clone()),
        }
    }

    /// Whether the client gets no more of what the server may still say. A stream has to end somewhere,
    /// and whoever only watches does not end it.
    fn is_full(&self) -> bool {
        self.left == 0 && self.watch == Watch::Mend
    }

    /// Whether the server's stream has to end before it does.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        self.idle.poll(context).is_ready() || self.ending.as_mut().poll(context).is_ready()
    }

    /// The server's stream ended, or has to. Where that is not enough, the server is asked again.
    fn end(&mut self) -> Option<Bytes> {
        if self.is_full() {
            let message = "a stream of the server has come to proxy.stream_bytes_max and is ended";
            tracing::warn!(target: "toolmend_proxy", "{message}");
        }
        self.upstream = None;
        self.relay.finish(&mut self.out);
        let inquiry = self.relay.mender_mut(0).and_then(TurnMender::take_inquiry);
        if let (Some(inquiry), Some(asker)) = (inquiry, &self.asker) {
            let told = self.relay.usage_held();
            self.asking = Some(Box::pin(Arc::clone(asker).run(inquiry, told)));
            self.bell.ring();
            return self.given(&Bytes::new(), Instant::now());
        }
        self.close()
    }

    /// The server answered, or could not be asked.
    fn settle(&mut self, outcome: Outcome) -> Option<Bytes> {
        self.asking = None;
        if let Some(mender) = self.relay.mender_mut(0) {
            mender.settle(outcome);
        }
        self.relay.resume(&mut self.out);
        self.close()
    }

    /// Everything is decided.
    fn close(&mut self) -> Option<Bytes> {
        let tally = self.recorder.tally();
        if self.framing == Framing::Events && tally.is_changed() {
            let told = format!(": x-toolmend: {}; report={}\n\n", tally.header(), self.id);
            self.out.extend_from_slice(told.as_bytes());
        }
        let rest = std::mem::take(&mut self.out);
        (self.watch == Watch::Mend && !rest.is_empty()).then(|| rest.into())
    }

    /// A comment for a client that waits while something is held.
    fn keep_awake(&mut self, context: &mut Context<'_>) -> Option<Bytes> {
        if self.framing != Framing::Events || self.watch != Watch::Mend {
            return None;
        }
        if self.awake.poll(context).is_pending() {
            return None;
        }
        self.awake.put_off(Instant::now());
        // The new time has to be waited for, too.
        let _ = self.awake.poll(context);
        let is_held = self.asking.is_some() || self.relay.bytes_held() > 0;
        is_held.then(|| Bytes::from_static(b": toolmend holds a call\n\n"))
    }
}

impl http_body::Body for Stream {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = self.get_mut();
        let frame = |bytes| Poll::Ready(Some(Ok(Frame::data(bytes))));
        loop {
            if let Some(asking) = &mut this.asking {
                return match asking.as_mut().poll(context) {
                    Poll::Ready(outcome) => this.settle(outcome).map_or(Poll::Ready(None), frame),
                    Poll::Pending => {
                        let Some(alarms) = this.bell.rings(context) else { return Poll::Pending };
                        let mut context = Context::from_waker(&alarms);
                        this.keep_awake(&mut context).map_or(Poll::Pending, frame)
                    }
                };
            }
            let is_full = this.is_full();
            let Some(upstream) = &mut this.upstream else { return Poll::Ready(None) };
            let next = match is_full {
                true => Poll::Ready(None),
                false => Pin::new(upstream).poll_frame(context),
            };
            match next {
                Poll::Ready(Some(Ok(part))) => {
                    if let Some(bytes) = part.data_ref().cloned().and_then(|data| this.take(&data))
                    {
                        return frame(bytes);
                    }
                }
                Poll::Ready(Some(Err(_)) | None) => {
                    if let Some(bytes) = this.end() {
                        return frame(bytes);
                    }
                }
                Poll::Pending => {
                    let Some(alarms) = this.bell.rings(context) else { return Poll::Pending };
                    let mut context = Context::from_waker(&alarms);
                    if this.is_over(&mut context) {
                        if let Some(bytes) = this.end() {
                            return frame(bytes);
                        }
                        continue;
                    }
                    return match this.keep_awake(&mut context) {
                        Some(bytes) => frame(bytes),
                        None => Poll::Pending,
                    };
                }
            }
        }
    }
}

/// Where in a line a stream is, whatever pieces it comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Start,
    Comment,
    Data,
}

impl Line {
    /// Whether these bytes are more than comments and blank lines.
    fn speaks(&mut self, bytes: &[u8]) -> bool {
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        // Most pieces begin with data, so that only the last line matters.
        let goes_on = match *self {
            Self::Start => bytes.first().is_some_and(|first| !is_break(first) && *first != b':'),
            Self::Comment => false,
            Self::Data => bytes.first().is_some_and(|first| !is_break(first)),
        };
        if goes_on {
            let last = bytes.rsplit(is_break).next().and_then(<[u8]>::first);
            *self = match last {
                None => Self::Start,
                Some(b':') if bytes.iter().any(is_break) => Self::Comment,
                Some(_) => Self::Data,
            };
            return true;
        }
        let mut has_spoken = false;
        for byte in bytes {
            *self = match (*self, byte) {
                (_, b'\n' | b'\r') => Self::Start,
                (Self::Start, b':') | (Self::Comment, _) => Self::Comment,
                (Self::Start | Self::Data, _) => Self::Data,
            };
            has_spoken |= *self == Self::Data;
        }
        has_spoken
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn comments_do_not_speak_in_whatever_pieces_they_come() {
        let mut line = Line::Start;
        for (piece, speaks) in [
            (": aw", false),
            ("ake\n\n", false),
            (":", false),
            (" data: x\r\n", false),
            ("da", true),
            ("ta: {\n: {", true),
            ("}\n\n", false),
        ] {
            assert_eq!(line.speaks(piece.as_bytes()), speaks, "{piece:?}");
        }
    }
}
