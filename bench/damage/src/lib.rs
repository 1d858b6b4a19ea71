//! Makes good tool arguments and breaks them as models do.
