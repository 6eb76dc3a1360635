//! The Python environments: made from hashed requirements, made again when those change.

use crate::{process, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An environment of its own for each tool, as each pins its own version of what they share.
#[derive(Clone, Copy)]
pub(crate) enum Environment {
    /// The AWS emulator.
    Emulator,
    /// The SAM command line and cfn-lint.
    Sam,
}

impl Environment {
    const ALL: [Self; 2] = [Self::Emulator, Self::Sam];

    fn name(self) -> &'static str {
        match self {
            Self::Emulator => "emulator",
            Self::Sam => "sam",
        }
    }

    /// A program of the environment, which is made if it is missing or out of date.
    pub(crate) fn program(self, name: &str) -> Result<PathBuf, String> {
        Ok(self.prepare()?.join("bin").join(name))
    }

    fn prepare(self) -> Result<PathBuf, String> {
        let folder = workspace::root()?.join(".venv").join(self.name());
        let requirements = workspace::root()?.join(format!("infra/requirements/{}.txt", self.name()));
        let wanted =
            fs::read(&requirements).map_err(|error| format!("{}: {error}", requirements.display()))?;

        // Written last, so it says that everything before it succeeded.
        let installed = folder.join("requirements.txt");
        let python = folder.join("bin/python");
        if fs::read(&installed).is_ok_and(|text| text == wanted) && works(&python) {
            return Ok(folder);
        }

        println!("making .venv/{}: this takes a minute, once", self.name());
        process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)).map_err(
            |problem| {
                format!(
                    "{problem}\nPython 3.11 or newer is needed, with its `venv` module (Debian: python3-venv)"
                )
            },
        )?;
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
        // The file names all that is needed; asked to resolve it again, pip trips over extras that are pinned.
        process::run(pip.args(["--no-deps", "--require-hashes", "--requirement"]).arg(&requirements))?;
        fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
        Ok(folder)
    }
}

/// Makes every environment that is missing or out of date.
pub(crate) fn prepare() -> Result<(), String> {
    Environment::ALL.into_iter().try_for_each(|environment| environment.prepare().map(drop))
}

/// An environment whose Python was removed or replaced does not run any more.
fn works(python: &Path) -> bool {
    Command::new(python).arg("--version").output().is_ok_and(|output| output.status.success())
}
