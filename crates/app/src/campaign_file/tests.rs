//! Whole files: good ones, bad ones, and any text at all.

mod any_text;
mod bad_files;
mod good_files;
mod schema;
