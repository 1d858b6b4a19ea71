//! Runs the machine with whoever can ask the model.

use super::{Ask, Delivery, Ended, Next, Recovery};
use crate::mended::Mended;

/// Whoever can ask the model. Runtimes that wait in their own way tell the machine themselves.
pub trait Driver {
    /// What can go wrong while asking.
    type Error;

    /// Asks, mends what comes back, and says how it ended.
    ///
    /// # Errors
    ///
    /// The model could not be asked.
    fn ask(&mut self, ask: &Ask) -> Result<(Ended, Mended), Self::Error>;
}

/// Asks until there is a turn to deliver.
///
/// # Errors
///
/// What the driver could not do.
pub fn recover<D: Driver>(
    recovery: &mut Recovery,
    driver: &mut D,
    mut ended: Ended,
    mut turn: Mended,
) -> Result<Delivery, D::Error> {
    loop {
        match recovery.told(ended, turn) {
            Next::Deliver(delivery) => return Ok(*delivery),
            Next::Ask(ask) => (ended, turn) = driver.ask(&ask)?,
        }
    }
}
