//! A log that can be read: every event that is told, at every level, as a line.

use std::io::Write;
use std::sync::{Arc, Mutex};

use tracing::Subscriber;
use tracing::subscriber::DefaultGuard;
use tracing_subscriber::fmt::MakeWriter;

/// Everything that was written to the log.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Takes down what is told from now on, wherever in the process.
    pub(crate) fn of_process() -> Self {
        let log = Self::default();
        tracing::subscriber::set_global_default(log.subscriber()).unwrap();
        log
    }

    /// Takes down what this thread tells until the guard is dropped: tests beside it are not heard.
    pub(crate) fn of_thread() -> (Self, DefaultGuard) {
        let log = Self::default();
        let guard = tracing::subscriber::set_default(log.subscriber());
        (log, guard)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    fn subscriber(&self) -> impl Subscriber + Send + Sync + use<> {
        let format = tracing_subscriber::fmt().without_time().with_ansi(false);
        format.with_max_level(tracing::Level::TRACE).with_writer(self.clone()).finish()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}
