//! What `docs/ARCHITECTURE.md` promises about the code itself: who may import whom, what the core may not
//! name, and that what the documents point to is there.
//!
//! Guarantees: a package that no rule knows fails, so a new crate has to say where it stands.

#![cfg(test)]

mod documents;
mod imports;
mod sources;
mod workspace;
