//! The two databases behind one narrow door: a statement in, rows out. All statements are written
//! once, for both; parameters appear in the order of their numbers.

mod postgres;
mod sqlite;

use std::borrow::Cow;

use crate::record::Name;
use crate::{Place, StoreError};

/// One value of a row, or of a statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'c> {
    Null,
    Int(i64),
    Text(Cow<'c, str>),
}

impl From<i64> for Cell<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Self::Int(i64::from(value))
    }
}

impl<'c> From<&'c str> for Cell<'c> {
    fn from(value: &'c str) -> Self {
        Self::Text(Cow::Borrowed(value))
    }
}

impl<'c> From<Option<&'c str>> for Cell<'c> {
    fn from(value: Option<&'c str>) -> Self {
        value.map_or(Self::Null, Self::from)
    }
}

/// One row, read from its front.
#[derive(Debug)]
pub(crate) struct Row(std::vec::IntoIter<Cell<'static>>);

impl Row {
    pub(crate) fn new(cells: Vec<Cell<'static>>) -> Self {
        Self(cells.into_iter())
    }

    /// The next number; nothing is 0.
    pub(crate) fn int(&mut self) -> i64 {
        match self.0.next() {
            Some(Cell::Int(value)) => value,
            _ => 0,
        }
    }

    /// The next text, where there is one.
    pub(crate) fn optional(&mut self) -> Option<String> {
        match self.0.next() {
            Some(Cell::Text(value)) => Some(value.into_owned()),
            _ => None,
        }
    }

    /// The next text; nothing is empty.
    pub(crate) fn text(&mut self) -> String {
        self.optional().unwrap_or_default()
    }

    /// The same, as a name.
    pub(crate) fn name(&mut self) -> Name {
        self.text().into()
    }
}

/// Where rows are inserted.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) table: &'static str,
    pub(crate) columns: &'static [(&'static str, Type)],
    /// What follows the values: what to do about rows that are there already.
    pub(crate) tail: &'static str,
}

impl Target {
    /// The names of the columns, as a list.
    fn names(&self) -> String {
        self.columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Text,
}

/// How a database is spoken to.
pub(crate) trait Engine: Send {
    /// Runs a statement and gives its rows.
    fn rows(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<Vec<Row>, StoreError>;

    /// Runs a statement without parameters that will not come again, and gives its rows.
    fn passing_rows(&mut self, sql: &str) -> Result<Vec<Row>, StoreError>;

    /// Runs a statement and gives the number of rows that it changed.
    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, StoreError>;

    /// Inserts rows: their cells, one row behind the other.
    fn insert(&mut self, into: &Target, cells: &[Cell<'_>]) -> Result<(), StoreError>;

    /// Runs statements that have no parameters.
    fn batch(&mut self, sql: &str) -> Result<(), StoreError>;

    /// How a column is declared that numbers its rows.
    fn id_column(&self) -> &'static str;

    /// How a column is declared that holds the number of a row.
    fn key_column(&self) -> &'static str;

    /// How a table is declared that is stored in the order of its key.
    fn packed(&self) -> &'static str;

    /// Which of the migrations were made.
    fn version(&mut self) -> Result<usize, StoreError>;

    /// Says that so many migrations were made.
    fn set_version(&mut self, version: usize) -> Result<(), StoreError>;

    /// How many bytes the rows take.
    fn bytes(&mut self) -> Result<i64, StoreError>;

    /// Starts what is done whole or not at all.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Whether someone else may have taken rows away since this was asked last; a row that refers to one
    /// that is gone is not refused then.
    fn others_wrote(&mut self) -> Result<bool, StoreError>;

    /// Lets the database refuse what would make it much larger than this.
    fn bound(&mut self, bytes_max: u64) -> Result<(), StoreError>;

    /// Lets no one else migrate, write or remove until what was started is over.
    fn lock(&mut self) -> Result<(), StoreError>;
}

/// Runs `work` whole or not at all.
pub(crate) fn atomically<T>(
    engine: &mut dyn Engine,
    work: impl FnOnce(&mut dyn Engine) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    engine.begin()?;
    match work(engine) {
        Ok(value) => engine.batch("COMMIT").map(|()| value),
        Err(error) => {
            // What failed to be undone is undone when the connection ends.
            let _ = engine.batch("ROLLBACK");
            Err(error)
        }
    }
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Write,
    Read,
}

/// Opens a connection.
pub(crate) fn open(place: &Place, usage: Use) -> Result<Box<dyn Engine>, StoreError> {
    Ok(match place {
        Place::File(path) => Box::new(sqlite::Sqlite::open(path, usage)?),
        Place::Server(url) => Box::new(postgres::Postgres::open(url)?),
    })
}
