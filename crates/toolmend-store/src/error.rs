//! What can go wrong with a store: it never reaches a client of the proxy.

use std::fmt;

/// Why a store cannot be opened, read or written.
#[derive(Debug)]
pub struct StoreError {
    message: String,
}

impl StoreError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::new(format!("SQLite: {error}"))
    }
}

impl From<postgres::Error> for StoreError {
    fn from(error: postgres::Error) -> Self {
        // The cause says what the server said; the error itself only that it said something.
        match std::error::Error::source(&error) {
            Some(cause) => Self::new(format!("PostgreSQL: {cause}")),
            None => Self::new(format!("PostgreSQL: {error}")),
        }
    }
}
