//! Where the store of this user is.

use std::env;
use std::path::PathBuf;

use toolmend::{Keep, StoreSettings};
use toolmend_store::{Place, Store, StoreError};

use crate::console::{Console, YELLOW};
use crate::exit::Failure;

/// The file in the user's state folder.
const FILE: &str = "toolmend/calls.db";

/// The place that the settings name, or the user's own; `None` where nothing is kept.
pub(crate) fn place(settings: &StoreSettings) -> Option<Place> {
    match &settings.place {
        Some(named) => Place::read(named),
        None => default_file().map(Place::File),
    }
}

fn default_file() -> Option<PathBuf> {
    let folder =
        |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").filter(|path| path.is_absolute());
    let home = || folder("HOME").map(|home| home.join(".local/state"));
    state.or_else(home).or_else(|| folder("LOCALAPPDATA")).map(|folder| folder.join(FILE))
}

/// Opens the store for the proxy. One that nobody named may fail: the proxy is what matters.
pub(crate) fn open(
    settings: &StoreSettings,
    console: &mut Console,
) -> Result<Option<Store>, Failure> {
    let Some(place) = place(settings).filter(|_| settings.keep != Keep::None) else {
        return Ok(None);
    };
    match Store::open(&place, settings) {
        Ok(store) => Ok(Some(store)),
        Err(error) if settings.place.is_some() => Err(failure(&place, &error)),
        Err(error) => {
            console.tell(&format!("{YELLOW}Nothing is kept:{YELLOW:#} {place}: {error}\n"));
            Ok(None)
        }
    }
}

/// A store for the demo, in a folder of its own.
pub(crate) fn open_demo(settings: &StoreSettings) -> Option<Store> {
    // What another process with this number left is not of this demo.
    remove_demo();
    Store::open(&Place::File(demo_folder().join("calls.db")), settings).ok()
}

/// Removes the store of the demo; where there was none, nothing is removed.
pub(crate) fn remove_demo() {
    let _ = std::fs::remove_dir_all(demo_folder());
}

fn demo_folder() -> PathBuf {
    env::temp_dir().join(format!("toolmend-demo-{}", std::process::id()))
}

/// Opens a store to look into it.
pub(crate) fn open_existing(settings: &StoreSettings) -> Result<Store, Failure> {
    let Some(place) = place(settings) else {
        return Err(Failure::Usage("the settings say that nothing is kept".to_owned()));
    };
    if let Place::File(path) = &place
        && !path.exists()
    {
        let message = format!("{place}: there is no store yet; `toolmend proxy` makes one");
        return Err(Failure::Usage(message));
    }
    Store::open(&place, settings).map_err(|error| failure(&place, &error))
}

pub(crate) fn failure(place: &Place, error: &StoreError) -> Failure {
    let error = std::io::Error::other(error.to_string());
    Failure::Io(format!("cannot use the store {place}"), error)
}
