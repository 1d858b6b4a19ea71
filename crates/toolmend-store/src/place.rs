//! Where a store is.

use std::fmt;
use std::path::PathBuf;

/// Where a store is.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// An SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Server(String),
}

impl Place {
    /// Reads a path or a URL; `None` for the word `none`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        match text {
            "none" => None,
            url if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                Some(Self::Server(url.to_owned()))
            }
            path => Some(Self::File(PathBuf::from(path))),
        }
    }
}

/// The password of a URL is nobody's business.
impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(formatter, "{}", path.display()),
            Self::Server(url) => {
                let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
                let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
                let bare = rest.split('?').next().unwrap_or(rest);
                write!(formatter, "{scheme}://{bare}")
            }
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn a_password_is_not_shown() {
        let place = Place::read("postgres://me:secret@db.example:5432/calls?password=secret");
        assert_eq!(place.unwrap().to_string(), "postgres://db.example:5432/calls");
    }

    #[test]
    fn none_is_no_place() {
        assert_eq!(Place::read("none"), None);
        assert_eq!(Place::read("a.db"), Some(Place::File("a.db".into())));
    }
}
