//! How long things take, as Prometheus wants it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The upper bounds, in microseconds and as they are written.
const BOUNDS: [(u64, &str); 12] = [
    (50, "0.00005"),
    (100, "0.0001"),
    (250, "0.00025"),
    (1_000, "0.001"),
    (5_000, "0.005"),
    (25_000, "0.025"),
    (100_000, "0.1"),
    (500_000, "0.5"),
    (2_500_000, "2.5"),
    (10_000_000, "10"),
    (60_000_000, "60"),
    (300_000_000, "300"),
];

/// How many took how long.
#[derive(Debug, Default)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    sum_us: AtomicU64,
}

impl Histogram {
    pub(crate) fn take(&self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let fits = BOUNDS.iter().zip(&self.buckets).find(|((bound, _), _)| us <= *bound);
        if let Some((_, bucket)) = fits {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
        self.sum_us.fetch_add(us, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Writes it under a name.
    pub(crate) fn write(&self, name: &str, help: &str, out: &mut String) {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut below = 0;
        for ((_, bound), bucket) in BOUNDS.iter().zip(&self.buckets) {
            below += bucket.load(Ordering::Relaxed);
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {below}");
        }
        let count = self.count.load(Ordering::Relaxed).max(below);
        let us = self.sum_us.load(Ordering::Relaxed);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}");
        let _ = writeln!(out, "{name}_sum {}.{:06}", us / 1_000_000, us % 1_000_000);
        let _ = writeln!(out, "{name}_count {count}");
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Histogram;

    #[test]
    fn buckets_add_up() {
        let histogram = Histogram::default();
        for us in [10, 60, 1_500_000, 10_000_000_000] {
            histogram.take(Duration::from_micros(us));
        }
        let mut out = String::new();
        histogram.write("t", "T.", &mut out);
        assert!(out.contains("t_bucket{le=\"0.0001\"} 2\n"), "{out}");
        assert!(out.contains("t_bucket{le=\"300\"} 3\n"), "{out}");
        assert!(out.contains("t_bucket{le=\"+Inf\"} 4\n"), "{out}");
        assert!(out.contains("t_sum 10001.500070\n"), "{out}");
    }
}
