//! The campaign file's JSON Schema, for editors.
//!
//! It is made from the keys that the reader reads and the limits that the checks hold. What cannot be said in
//! a schema (an id that is listed, the bytes of a message) only the reader checks.

use super::wire;
use schemars::generate::SchemaSettings;

/// The schema that `infra/campaign-file.schema.json` holds.
#[must_use]
pub fn json_schema() -> serde_json::Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<wire::File>().to_value()
}
