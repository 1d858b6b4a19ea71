//! PostgreSQL, for several proxies that share a store.

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error as _;
use std::time::Duration;

use postgres::config::SslMode;
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::{Cell, Engine, Row, Target, Type as Kind};
use crate::StoreError;

/// The lock that whoever migrates, writes or removes holds; any number that nobody else uses.
const LOCK: i64 = 0x746f_6f6c_6d65_6e64;
/// So many statements are kept ready.
const PREPARED_MAX: usize = 64;
/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(10);

pub(super) struct Postgres {
    client: Client,
    /// What was prepared, by its text.
    prepared: HashMap<String, Statement>,
}

impl Postgres {
    pub(super) fn open(url: &str) -> Result<Self, StoreError> {
        let mut config: Config = url.parse().map_err(|error: postgres::Error| {
            let cause = error.source().map(ToString::to_string).unwrap_or_default();
            StoreError::new(format!("this is no PostgreSQL URL: {error}: {cause}"))
        })?;
        if config.get_ssl_mode() == SslMode::Require {
            let message = "there is no TLS to PostgreSQL yet: leave `sslmode` out and use a private \
                           network or a tunnel";
            return Err(StoreError::new(message));
        }
        config.connect_timeout(CONNECT).application_name("toolmend");
        let client = config.connect(NoTls)?;
        Ok(Self { client, prepared: HashMap::new() })
    }

    fn statement(&mut self, sql: &str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        if self.prepared.len() >= PREPARED_MAX {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Engine for Postgres {
    fn rows(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.statement(sql)?;
        let found = self.client.query(&statement, &values(cells))?;
        found.iter().map(row).collect()
    }

    fn passing_rows(&mut self, sql: &str) -> Result<Vec<Row>, StoreError> {
        self.client.query(sql, &[])?.iter().map(row).collect()
    }

    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, StoreError> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, &values(cells))?)
    }

    /// Sends the rows by column, so that all of them are one statement.
    fn insert(&mut self, into: &Target, cells: &[Cell<'_>]) -> Result<(), StoreError> {
        let width = into.columns.len();
        let column = |(at, (_, kind)): (usize, &(&str, Kind))| -> Box<dyn ToSql + Sync + '_> {
            let column = cells.iter().skip(at).step_by(width);
            match kind {
                Kind::Int => Box::new(column.map(number).collect::<Vec<_>>()),
                Kind::Text => Box::new(column.map(text).collect::<Vec<_>>()),
            }
        };
        let columns: Vec<_> = into.columns.iter().enumerate().map(column).collect();
        let place = |(at, (_, kind)): (usize, &(&str, Kind))| match kind {
            Kind::Int => format!("${}::BIGINT[]", at + 1),
            Kind::Text => format!("${}::TEXT[]", at + 1),
        };
        let places: Vec<String> = into.columns.iter().enumerate().map(place).collect();
        let (table, names, tail) = (into.table, into.names(), into.tail);
        let places = places.join(", ");
        let sql = format!("INSERT INTO {table} ({names}) SELECT * FROM UNNEST({places}) {tail}");
        let statement = self.statement(&sql)?;
        let columns: Vec<&(dyn ToSql + Sync)> = columns.iter().map(AsRef::as_ref).collect();
        self.client.execute(&statement, &columns)?;
        Ok(())
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.client.batch_execute(sql)?)
    }

    fn id_column(&self) -> &'static str {
        "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    }

    fn key_column(&self) -> &'static str {
        "BIGINT PRIMARY KEY"
    }

    fn packed(&self) -> &'static str {
        ""
    }

    fn version(&mut self) -> Result<usize, StoreError> {
        self.batch("CREATE TABLE IF NOT EXISTS toolmend_version (version BIGINT NOT NULL)")?;
        let rows = self.rows("SELECT MAX(version) FROM toolmend_version", &[])?;
        let version = rows.into_iter().next().map_or(0, |mut row| row.int());
        Ok(usize::try_from(version).unwrap_or(usize::MAX))
    }

    fn set_version(&mut self, version: usize) -> Result<(), StoreError> {
        self.batch(&format!("INSERT INTO toolmend_version VALUES ({version})"))
    }

    fn bytes(&mut self) -> Result<i64, StoreError> {
        // The size of the tables does not shrink when rows go, so it says nothing.
        let sql = "SELECT CAST(COALESCE(SUM(bytes), 0)
                   + (SELECT COALESCE(SUM(bytes), 0) FROM toolmend_texts) AS BIGINT)
                   FROM toolmend_calls";
        Ok(self.rows(sql, &[])?.into_iter().next().map_or(0, |mut row| row.int()))
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        self.batch("BEGIN")
    }

    fn others_wrote(&mut self) -> Result<bool, StoreError> {
        // The server looks up what rows refer to.
        Ok(false)
    }

    fn bound(&mut self, _: u64) -> Result<(), StoreError> {
        // The server has no such limit.
        Ok(())
    }

    fn lock(&mut self) -> Result<(), StoreError> {
        self.batch(&format!("SELECT pg_advisory_xact_lock({LOCK})"))
    }
}

fn number(cell: &Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Int(value) => Some(*value),
        Cell::Null | Cell::Text(_) => None,
    }
}

fn text<'c>(cell: &'c Cell<'_>) -> Option<Cow<'c, str>> {
    match cell {
        Cell::Text(value) => Some(kept(value)),
        Cell::Null | Cell::Int(_) => None,
    }
}

/// The server keeps no NUL in a text.
fn kept(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

fn values<'c>(cells: &'c [Cell<'_>]) -> Vec<&'c (dyn ToSql + Sync)> {
    cells.iter().map(|cell| cell as &(dyn ToSql + Sync)).collect()
}

fn row(found: &postgres::Row) -> Result<Row, StoreError> {
    let cell = |(at, column): (usize, &postgres::Column)| {
        Ok(match *column.type_() {
            Type::INT8 => found.try_get::<_, Option<i64>>(at)?.map_or(Cell::Null, Cell::Int),
            _ => match found.try_get::<_, Option<String>>(at)? {
                Some(text) => Cell::Text(Cow::Owned(text)),
                None => Cell::Null,
            },
        })
    };
    let cells: Result<_, StoreError> = found.columns().iter().enumerate().map(cell).collect();
    Ok(Row::new(cells?))
}

impl ToSql for Cell<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(value) => value.to_sql(kind, out),
            Self::Text(value) => kept(value).to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        matches!(*kind, Type::INT8 | Type::TEXT | Type::VARCHAR)
    }

    to_sql_checked!();
}
