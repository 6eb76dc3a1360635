//! What several of the suites share. The suites themselves are the test targets of this package.

pub mod meter;
