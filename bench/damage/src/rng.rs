//! A small deterministic source of numbers, so that a seed names a case for good.

/// A splitmix64 generator.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// Starts from a seed. Nearby seeds give unrelated numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`; zero where the bound is zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        usize::try_from(self.next_u64() % bound).unwrap_or_default()
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in so many of a hundred draws.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items; the type's default where there are none.
    pub fn pick<T: Clone + Default>(&mut self, items: &[T]) -> T {
        items.get(self.below(items.len())).cloned().unwrap_or_default()
    }

    /// A generator of its own for a part of the work, so that parts do not disturb each other.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self::new(self.next_u64())
    }
}

/// One seed out of several numbers.
#[must_use]
pub fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0x5EED, |seed, &part| Rng::new(seed ^ part.rotate_left(17)).next_u64() ^ part)
}
