//! Packages: what `sam build` makes of the functions.

use crate::python::Environment;
use crate::{process, workspace};
use std::path::Path;
use std::process::Command;

/// A processor that Lambda offers, by its name in the template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
#[value(rename_all = "verbatim")]
pub(crate) enum Architecture {
    /// Graviton.
    #[value(name = "arm64")]
    Arm64,
    /// Intel and AMD.
    #[value(name = "x86_64")]
    X86_64,
}

impl Architecture {
    fn name(self) -> &'static str {
        match self {
            Self::Arm64 => "arm64",
            Self::X86_64 => "x86_64",
        }
    }

    /// This machine's, if what it builds can run on Lambda at all.
    pub(crate) fn of_this_machine() -> Option<Self> {
        match (std::env::consts::OS, std::env::consts::ARCH) {
            ("linux", "x86_64") => Some(Self::X86_64),
            ("linux", "aarch64") => Some(Self::Arm64),
            _ => None,
        }
    }
}

/// Where `sam build` takes the executables from.
pub(crate) enum Executables<'a> {
    /// Built by the Makefile with the `lambda` profile, for any architecture.
    FromSource,
    /// Already built for this architecture, in this folder.
    Prebuilt(&'a Path),
}

/// Builds what is deployed and says how.
pub(crate) fn package(architecture: Architecture) -> Result<(), String> {
    let folder = workspace::root()?.join(".aws-sam").join("build");
    sam_build(architecture, &Executables::FromSource, &folder)?;
    println!(
        "next: sam deploy --config-env dev (for x86_64, add Architecture=x86_64 to its parameter_overrides)"
    );
    Ok(())
}

/// `sam build` into a folder.
pub(crate) fn sam_build(
    architecture: Architecture,
    executables: &Executables<'_>,
    folder: &Path,
) -> Result<(), String> {
    let mut sam = sam()?;
    sam.arg("build").arg("--build-dir").arg(folder);
    sam.arg("--parameter-overrides").arg(format!("Architecture={}", architecture.name()));
    sam.env("OPENREPLY_ARCHITECTURE", architecture.name());
    match executables {
        Executables::FromSource => sam.env_remove("OPENREPLY_PREBUILT"),
        Executables::Prebuilt(built) => sam.env("OPENREPLY_PREBUILT", built),
    };
    process::run(&mut sam)
}

/// `sam validate --lint`, and cfn-lint with its own defaults.
pub(crate) fn validate() -> Result<(), String> {
    process::run(sam()?.args(["validate", "--lint"]))?;
    let cfn_lint = Environment::Sam.program("cfn-lint")?;
    process::run(Command::new(cfn_lint).current_dir(workspace::root()?).arg("template.yaml"))
}

/// The SAM command line: in the root, without telemetry, and in some region, as it will not run without one.
fn sam() -> Result<Command, String> {
    let mut sam = Command::new(Environment::Sam.program("sam")?);
    sam.current_dir(workspace::root()?).env("SAM_CLI_TELEMETRY", "0").env("AWS_DEFAULT_REGION", "us-east-1");
    Ok(sam)
}
