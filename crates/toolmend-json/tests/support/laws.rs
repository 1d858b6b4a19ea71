//! How laws are checked, in every crate that has some.

use std::env;

use proptest::prelude::{ProptestConfig, TestCaseError};
use proptest::test_runner::RngSeed;

/// So many cases, unless `PROPTEST_CASES` asks for another number. The seed is fixed, so that a run says
/// the same twice.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    let is_told = env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig {
        cases: if is_told { default.cases } else { cases },
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x7001),
        ..default
    }
}

/// What a check found, as a law tells it.
pub(crate) fn found<T>(result: Result<T, String>) -> Result<T, TestCaseError> {
    result.map_err(TestCaseError::fail)
}
