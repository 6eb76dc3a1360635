//! The key of the day: made by whoever is first, read once a day by everybody else.

use openreply_app::ports::{LedgerError, Links, Random};
use openreply_domain::links::{Day, DayKey};
use std::sync::{Mutex, PoisonError};

/// The key that was read last, and whose day it is.
#[derive(Default)]
pub(crate) struct KeyOfTheDay(Mutex<Option<(Day, DayKey)>>);

impl KeyOfTheDay {
    /// The key of a day.
    pub(crate) async fn of(
        &self,
        day: &Day,
        links: &impl Links,
        random: &impl Random,
    ) -> Result<DayKey, LedgerError> {
        if let Some(key) = self.known(day) {
            return Ok(key);
        }
        let key = links.day_key(day, &fresh(random)).await?;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((day.clone(), key));
        Ok(key)
    }

    fn known(&self, day: &Day) -> Option<DayKey> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(of, _)| of == day).map(|(_, key)| *key)
    }
}

fn fresh(random: &impl Random) -> DayKey {
    let mut key = DayKey::default();
    for part in key.chunks_exact_mut(8) {
        part.copy_from_slice(&random.number().to_be_bytes());
    }
    key
}
