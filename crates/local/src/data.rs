//! The data folder: the database, the sealing key and the fake Instagram's journal.
//!
//! One process at a time: a second one would believe that the first one's sends were abandoned.

use openreply_aws::SealingKey;
use openreply_testkit::instagram::{Change, World};
use secrecy::ExposeSecret;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder, held by this process.
#[derive(Debug)]
pub(crate) struct DataDir {
    path: PathBuf,
    /// Held, not read: the lock goes with the process, also when it is killed.
    _lock: File,
}

impl DataDir {
    /// Makes the folder if need be, and takes hold of it.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let failed = |error: io::Error| format!("cannot use the data folder {}: {error}", path.display());
        fs::create_dir_all(path).map_err(failed)?;
        let lock = File::create(path.join("lock")).map_err(failed)?;
        lock.try_lock().map_err(|_| {
            format!(
                "another process is running on the data folder {}; stop it, or choose another folder with --data",
                path.display()
            )
        })?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The database's file.
    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("openreply.sqlite")
    }

    /// The key that seals tokens here; made on the first start.
    pub(crate) fn sealing_key(&self) -> Result<SealingKey, String> {
        let file = self.path.join("sealing.key");
        let failed =
            |error: &dyn std::fmt::Display| format!("cannot use the key file {}: {error}", file.display());
        match fs::read_to_string(&file) {
            Ok(text) => SealingKey::parse(text.trim_end_matches('\n')).map_err(|error| failed(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let key = SealingKey::generate();
                let mut options = OpenOptions::new();
                options.write(true).create_new(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
                // Whole or not at all: a kill in between must leave no key that cannot be read.
                let unfinished = self.path.join("sealing.key.new");
                drop(fs::remove_file(&unfinished));
                let mut out = options.open(&unfinished).map_err(|error| failed(&error))?;
                writeln!(out, "{}", key.to_text().expose_secret()).map_err(|error| failed(&error))?;
                fs::rename(&unfinished, &file).map_err(|error| failed(&error))?;
                Ok(key)
            }
            Err(error) => Err(failed(&error)),
        }
    }

    /// The fake Instagram's world as it was left.
    pub(crate) fn world(&self) -> Result<World, String> {
        let mut world = World::default();
        let file = self.path.join("instagram.jsonl");
        let failed = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", file.display());
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(world),
            Err(error) => return Err(failed(&error)),
        };
        let mut good = 0;
        for line in text.split_inclusive('\n') {
            let Ok(change) = serde_json::from_str::<Change>(line) else { break };
            world.apply(&change);
            good += line.len();
        }
        if good < text.len() {
            // A kill can cut off the last line. What it told of had not been answered yet.
            let cut = OpenOptions::new().write(true).open(&file).and_then(|open| open.set_len(good as u64));
            cut.map_err(|error| failed(&error))?;
        }
        Ok(world)
    }

    /// Where the fake Instagram writes down what happens.
    pub(crate) fn journal(&self) -> Result<impl Fn(&Change) + Send + 'static, String> {
        let file = self.path.join("instagram.jsonl");
        let out = OpenOptions::new().append(true).create(true).open(&file);
        let out = out.map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        Ok(move |change: &Change| {
            let written = serde_json::to_vec(change).map_err(io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                (&out).write_all(&line)
            });
            if let Err(error) = written {
                tracing::error!(%error, "the fake Instagram could not write down what happened");
            }
        })
    }
}
