//! A future that wakes itself while it is polled is polled again at once.
//!
//! A connection does so with every request whose body is read where it is answered. Left to the
//! runtime, such a task waits behind others, and another thread is woken to take it: with one client
//! that takes longer than the rest of the request.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// So often it is polled before others have their turn: a future may wake itself to let them.
const POLLS_MAX: usize = 3;

/// Nobody polls, and nobody woke it since.
const IDLE: u8 = 0;
/// It is being polled.
const POLLED: u8 = 1;
/// It was woken.
const WOKEN: u8 = 2;

/// A future with a waker of its own.
pub(crate) struct Again<F> {
    future: Pin<Box<F>>,
    bell: Arc<Bell>,
    waker: Waker,
}

/// Knows whether a wake has to reach the task.
struct Bell {
    state: AtomicU8,
    task: Mutex<Waker>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever polls sees it; whoever woke it before has told the task.
        if self.state.swap(WOKEN, Ordering::AcqRel) == IDLE {
            self.task().wake_by_ref();
        }
    }
}

impl Bell {
    fn task(&self) -> std::sync::MutexGuard<'_, Waker> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> Again<F> {
    pub(crate) fn new(future: F) -> Self {
        let task = Mutex::new(Waker::noop().clone());
        let bell = Arc::new(Bell { state: AtomicU8::new(IDLE), task });
        Self { future: Box::pin(future), waker: Arc::clone(&bell).into(), bell }
    }
}

impl<F: Future> Future for Again<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let Self { future, bell, waker } = self.get_mut();
        {
            let mut task = bell.task();
            if !task.will_wake(context.waker()) {
                task.clone_from(context.waker());
            }
        }
        let mut own = Context::from_waker(waker);
        for _ in 0..POLLS_MAX {
            bell.state.store(POLLED, Ordering::Release);
            if let Poll::Ready(output) = future.as_mut().poll(&mut own) {
                return Poll::Ready(output);
            }
            let rests =
                bell.state.compare_exchange(POLLED, IDLE, Ordering::AcqRel, Ordering::Acquire);
            if rests.is_ok() {
                return Poll::Pending;
            }
        }
        // It stays woken, so that nobody tells the task again before it is polled.
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll, Wake, Waker};

    use super::{Again, POLLS_MAX};

    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Polls a future that wakes itself so often before it is ready: what came of the first poll, how
    /// often it was polled in it, and how often the task was woken.
    fn poll_once(self_wakes: usize) -> (Poll<()>, usize, usize) {
        let (task, polls) = (Arc::new(Wakes::default()), AtomicUsize::new(0));
        let mut future = Again::new(poll_fn(|context| {
            if polls.fetch_add(1, Ordering::Relaxed) == self_wakes {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }));
        let waker: Waker = Arc::clone(&task).into();
        let first = std::pin::Pin::new(&mut future).poll(&mut Context::from_waker(&waker));
        (first, polls.load(Ordering::Relaxed), task.0.load(Ordering::Relaxed))
    }

    #[test]
    fn who_wakes_itself_is_polled_at_once_and_lets_others_go_first_in_the_end() {
        assert_eq!(poll_once(0), (Poll::Ready(()), 1, 0));
        assert_eq!(poll_once(2), (Poll::Ready(()), 3, 0));
        assert_eq!(poll_once(9), (Poll::Pending, POLLS_MAX, 1));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_wake_is_lost() {
        for _ in 0..200 {
            let (send, receive) = tokio::sync::oneshot::channel();
            let (begun, told) = tokio::sync::oneshot::channel::<()>();
            let waits = tokio::spawn(Again::new(async move {
                let _ = begun.send(());
                tokio::task::yield_now().await;
                receive.await
            }));
            let _ = told.await;
            let _ = send.send(7);
            assert_eq!(waits.await.unwrap(), Ok(7));
        }
    }
}
