//! Where the workspace is, and what Cargo knows of it.

use crate::process;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The workspace's root.
pub(crate) fn root() -> Result<PathBuf, String> {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask …`")?;
    let xtask = PathBuf::from(xtask);
    xtask.parent().map(PathBuf::from).ok_or_else(|| format!("{} is no crate of a workspace", xtask.display()))
}

/// The Cargo that runs this task, in the workspace's root.
pub(crate) fn cargo() -> Result<Command, String> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root()?);
    Ok(cargo)
}

/// `cargo metadata`: every package that the workspace uses, on any platform.
pub(crate) fn metadata() -> Result<Value, String> {
    let text = process::output(cargo()?.args(["metadata", "--format-version", "1", "--locked"]))?;
    serde_json::from_str(&text).map_err(|error| format!("`cargo metadata` cannot be read: {error}"))
}

/// The folder that builds go to.
pub(crate) fn target() -> Result<PathBuf, String> {
    let metadata = metadata()?;
    let folder = metadata["target_directory"].as_str().ok_or("`cargo metadata` names no target folder")?;
    Ok(PathBuf::from(folder))
}
