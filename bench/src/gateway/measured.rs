//! The numbers of one contender.

use serde_json::{Value, json};

/// What one round told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Round {
    pub(super) p50_us: f64,
    pub(super) p99_us: f64,
    pub(super) first_chunk_us: f64,
    pub(super) rate: f64,
    pub(super) request_cpu_us: f64,
    pub(super) large_cpu_us: f64,
    /// None where streams do not come to their end.
    pub(super) chunk_cpu_us: Option<f64>,
}

/// Memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idle {
    pub(super) at_rest_mb: f64,
    /// None where no streams can be held open.
    pub(super) per_stream_kb: Option<f64>,
}

/// All rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    rounds: Vec<Round>,
    pub(super) idle: Option<Idle>,
}

impl Measured {
    pub(super) fn add(&mut self, round: Round) {
        self.rounds.push(round);
    }

    fn of(&self, part: fn(&Round) -> f64) -> f64 {
        median(&self.rounds.iter().map(part).collect::<Vec<_>>())
    }

    pub(super) fn p50(&self) -> f64 {
        self.of(|round| round.p50_us)
    }

    pub(super) fn p99(&self) -> f64 {
        self.of(|round| round.p99_us)
    }

    pub(super) fn first_chunk(&self) -> f64 {
        self.of(|round| round.first_chunk_us)
    }

    pub(super) fn rate(&self) -> f64 {
        self.of(|round| round.rate)
    }

    pub(super) fn request_cpu(&self) -> f64 {
        self.of(|round| round.request_cpu_us)
    }

    pub(super) fn large_cpu(&self) -> f64 {
        self.of(|round| round.large_cpu_us)
    }

    pub(super) fn chunk_cpu(&self) -> Option<f64> {
        let rounds: Option<Vec<f64>> = self.rounds.iter().map(|round| round.chunk_cpu_us).collect();
        rounds.map(|rounds| median(&rounds))
    }

    /// How many times the floor's number it is, both less what it is without a proxy: the median of
    /// what single rounds say, since the clock of a shared machine moves between them.
    pub(super) fn times_floor(
        &self,
        floor: &Self,
        direct: Option<&Self>,
        part: fn(&Round) -> f64,
    ) -> f64 {
        let rounds = self.rounds.iter().zip(&floor.rounds).enumerate();
        let ratios = rounds.map(|(at, (own, floor))| {
            let base = direct.and_then(|direct| direct.rounds.get(at)).map_or(0.0, part);
            (part(own) - base) / (part(floor) - base).max(0.1)
        });
        median(&ratios.collect::<Vec<_>>())
    }

    pub(super) fn data(&self) -> Value {
        let idle = self.idle;
        json!({"p50_us": self.p50(), "p99_us": self.p99(), "first_chunk_us": self.first_chunk(),
            "requests_per_second": self.rate(), "request_cpu_us": self.request_cpu(),
            "large_request_cpu_us": self.large_cpu(), "chunk_cpu_us": self.chunk_cpu(),
            "idle_mb": idle.map(|idle| idle.at_rest_mb),
            "idle_stream_kb": idle.and_then(|idle| idle.per_stream_kb)})
    }
}

/// The number in the middle.
pub(super) fn median(values: &[f64]) -> f64 {
    at_share(values, 0.5)
}

/// The number below which this share of them lies.
pub(super) fn at_share(values: &[f64], share: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or_default()
}
