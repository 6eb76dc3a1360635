//! Moments and spans. Milliseconds since the epoch in the ledger, RFC 3339 UTC for people.

pub use jiff::{SignedDuration, Timestamp};

/// `moment` plus `span`, held at the end of time instead of overflowing.
#[must_use]
pub fn after(moment: Timestamp, span: SignedDuration) -> Timestamp {
    moment.checked_add(span).unwrap_or(if span.is_negative() { Timestamp::MIN } else { Timestamp::MAX })
}

/// From milliseconds since the epoch; what is out of range becomes the nearest moment that is in it.
#[must_use]
pub fn from_millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap_or(if millis < 0 { Timestamp::MIN } else { Timestamp::MAX })
}

/// serde for a moment as milliseconds since the epoch: ledger items and queue messages.
pub mod millis {
    use super::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer};

    /// Writes milliseconds.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(moment.as_millisecond())
    }

    /// Reads milliseconds.
    ///
    /// # Errors
    /// When it is no number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(deserializer).map(super::from_millis)
    }

    /// The same for a moment that may be absent.
    pub mod option {
        use super::Timestamp;
        use serde::{Deserialize, Deserializer, Serializer};

        /// Writes milliseconds, or nothing.
        ///
        /// # Errors
        /// Those of the serializer.
        pub fn serialize<S: Serializer>(
            moment: &Option<Timestamp>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match moment {
                Some(moment) => serializer.serialize_some(&moment.as_millisecond()),
                None => serializer.serialize_none(),
            }
        }

        /// Reads milliseconds, or nothing.
        ///
        /// # Errors
        /// When it is neither.
        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Timestamp>, D::Error> {
            Ok(Option::<i64>::deserialize(deserializer)?.map(super::super::from_millis))
        }
    }
}
