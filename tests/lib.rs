//! Nothing of its own: the suites are the test targets of this package.
