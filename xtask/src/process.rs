//! Running other programs: each to its end, with an error that names the command.

use std::process::{Command, Stdio};

/// Runs a command; what it prints is shown as it comes.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let status =
        command.status().map_err(|error| format!("{} could not be started: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed ({status})", shown(command))) }
}

/// Runs a command and returns what it prints; its errors are shown.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{} could not be started: {error}", shown(command)))?;
    if !output.status.success() {
        return Err(format!("{} failed ({})", shown(command), output.status));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| format!("{} printed something else than text", shown(command)))
}

/// The command as a person would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    format!("`{}`", words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{output, run};
    use std::process::Command;

    #[test]
    fn a_failure_names_the_command() {
        let problem = run(Command::new("false").arg("now")).unwrap_err();
        assert!(problem.starts_with("`false now` failed"), "{problem}");
        let problem = output(&mut Command::new("no-such-program")).unwrap_err();
        assert!(problem.starts_with("`no-such-program` could not be started"), "{problem}");
    }

    #[test]
    fn output_is_what_was_printed() {
        assert_eq!(output(Command::new("echo").arg("hello")), Ok("hello\n".to_owned()));
    }
}
