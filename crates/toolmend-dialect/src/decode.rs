//! Reads the bodies of calls: four kinds, whatever marks stand around them.

pub(crate) mod envelope;
pub(crate) mod header;
pub(crate) mod json;
pub(crate) mod map;
mod parameters;
pub(crate) mod plain;
pub(crate) mod python;
pub(crate) mod tags;
mod value_end;

pub use parameters::read_parameters;
