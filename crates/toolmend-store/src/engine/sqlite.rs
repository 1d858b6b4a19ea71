//! SQLite: one file beside its write-ahead log.

use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, OpenFlags, Statement, ToSql, params_from_iter};

use super::{Cell, Engine, Row, Target, Use};
use crate::StoreError;

/// How long to wait for another process that writes.
const BUSY: Duration = Duration::from_secs(5);
/// How large pages of a new file are: a text or two fit in one, and each costs the system two calls.
const PAGE_BYTES: u32 = 8192;
/// The log is copied into the file when it has so many pages: most are written again before that, and
/// are copied once.
const LOG_PAGES: u32 = 2000;
/// A statement inserts so many rows where there are as many: much of its cost is not for a row.
const ROWS_AT_ONCE: [usize; 3] = [128, 16, 1];
/// The store may be over its limit by a quarter before it refuses: old turns go in portions.
const SLACK: u64 = 4;

#[derive(Debug)]
pub(super) struct Sqlite {
    connection: Connection,
    /// What others had done to the file when it was looked at last.
    seen: Option<i64>,
}

impl Sqlite {
    pub(super) fn open(path: &Path, usage: Use) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            create_private(folder)
                .map_err(|error| StoreError::new(format!("{}: {error}", folder.display())))?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let flags = match usage {
            Use::Write => flags | OpenFlags::SQLITE_OPEN_CREATE,
            Use::Read => flags,
        };
        let connection = Connection::open_with_flags(path, flags)
            .map_err(|error| StoreError::new(format!("{}: {error}", path.display())))?;
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(&format!("PRAGMA page_size = {PAGE_BYTES}"))?;
        // With a log, a commit is safe from the end of the process without waiting for the disk. Whoever
        // refers to rows asks first whether someone else took some away, instead of having each row
        // looked up.
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
             PRAGMA foreign_keys = OFF;",
        )?;
        // Rows are added at the end of their tables: what was written is not looked at again by the writer,
        // and more room would only fill with it.
        let cache_kb = match usage {
            Use::Write => 4096,
            Use::Read => 16384,
        };
        connection.execute_batch(&format!("PRAGMA cache_size = -{cache_kb}"))?;
        connection.execute_batch(&format!("PRAGMA wal_autocheckpoint = {LOG_PAGES}"))?;
        if usage == Use::Write {
            make_private(path);
        }
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Self { connection, seen: None })
    }

    fn statement(&self, sql: &str) -> Result<CachedStatement<'_>, StoreError> {
        Ok(self.connection.prepare_cached(sql)?)
    }

    fn number(&self, pragma: &str) -> Result<i64, StoreError> {
        Ok(self.connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))?)
    }
}

impl Engine for Sqlite {
    fn rows(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<Vec<Row>, StoreError> {
        rows(&mut *self.statement(sql)?, cells)
    }

    fn passing_rows(&mut self, sql: &str) -> Result<Vec<Row>, StoreError> {
        rows(&mut self.connection.prepare(sql)?, &[])
    }

    fn run(&mut self, sql: &str, cells: &[Cell<'_>]) -> Result<u64, StoreError> {
        Ok(self.statement(sql)?.execute(params_from_iter(cells))? as u64)
    }

    fn insert(&mut self, into: &Target, cells: &[Cell<'_>]) -> Result<(), StoreError> {
        let width = into.columns.len();
        let row = format!("({})", vec!["?"; width].join(", "));
        let (table, names, tail) = (into.table, into.names(), into.tail);
        let mut rest = cells;
        for count in ROWS_AT_ONCE {
            let rows = rest.chunks_exact(count * width);
            rest = rows.remainder();
            if rows.len() == 0 {
                continue;
            }
            let places = vec![row.as_str(); count].join(", ");
            // Whoever inserts takes back all of it or nothing, so no statement has to do so by itself.
            let sql = format!("INSERT OR FAIL INTO {table} ({names}) VALUES {places} {tail}");
            let mut statement = self.statement(&sql)?;
            for rows in rows {
                statement.execute(params_from_iter(rows))?;
            }
        }
        Ok(())
    }

    fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    fn id_column(&self) -> &'static str {
        "INTEGER PRIMARY KEY AUTOINCREMENT"
    }

    fn key_column(&self) -> &'static str {
        // Any other type has an index beside the table.
        "INTEGER PRIMARY KEY"
    }

    fn packed(&self) -> &'static str {
        "WITHOUT ROWID"
    }

    fn version(&mut self) -> Result<usize, StoreError> {
        Ok(usize::try_from(self.number("user_version")?).unwrap_or(usize::MAX))
    }

    fn set_version(&mut self, version: usize) -> Result<(), StoreError> {
        self.batch(&format!("PRAGMA user_version = {version}"))
    }

    fn bytes(&mut self) -> Result<i64, StoreError> {
        let used = self.number("page_count")? - self.number("freelist_count")?;
        Ok(used * self.number("page_size")?)
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        // Whoever will write says so at once, or two of them wait for each other.
        self.batch("BEGIN IMMEDIATE")
    }

    fn others_wrote(&mut self) -> Result<bool, StoreError> {
        let now = self.statement("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        Ok(self.seen.replace(now).is_some_and(|seen| seen != now))
    }

    fn bound(&mut self, bytes_max: u64) -> Result<(), StoreError> {
        let page = u64::try_from(self.number("page_size")?).unwrap_or_default();
        let pages = (bytes_max + bytes_max / SLACK) / page.max(1);
        self.number(&format!("max_page_count = {}", pages.max(64))).map(drop)
    }

    fn lock(&mut self) -> Result<(), StoreError> {
        // Only one connection writes at a time anyway.
        Ok(())
    }
}

fn rows(statement: &mut Statement<'_>, cells: &[Cell<'_>]) -> Result<Vec<Row>, StoreError> {
    let width = statement.column_count();
    let mut found = statement.query(params_from_iter(cells))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let cells = (0..width).map(|at| row.get_ref(at).map(cell));
        rows.push(Row::new(cells.collect::<Result<_, _>>()?));
    }
    Ok(rows)
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Int(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
        })
    }
}

fn cell(value: ValueRef<'_>) -> Cell<'static> {
    match value {
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Cell::Text(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()))
        }
        #[expect(clippy::cast_possible_truncation, reason = "sums and averages of whole numbers")]
        ValueRef::Real(value) => Cell::Int(value as i64),
        ValueRef::Null => Cell::Null,
    }
}

/// Makes a folder that only its owner can look into.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Lets only its owner read a file. Texts of calls may stand in it.
fn make_private(path: &Path) {
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        // Where the file system has no modes there is nothing to set.
        let _ = std::fs::set_permissions(path, mode);
    }
    #[cfg(not(unix))]
    let _ = path;
}
