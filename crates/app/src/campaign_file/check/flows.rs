//! What the messages around a campaign's direct message must be.

use super::message::{self, Kind, Of};
use super::{text, words};
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::{Key, Located, quoted};
use crate::campaign_file::{limits, wire};
use openreply_domain::campaign::{Asks, FollowGate, FollowUp, Opening, Repeat};

/// The words for how often one person may get a direct message.
pub(in crate::campaign_file) const REPEATS: [(&str, Repeat); 2] =
    [("every_comment", Repeat::EveryComment), ("once_per_person", Repeat::OncePerPerson)];

const SPENDS: &str = "Instagram refuses a first message with a button to people who do not follow the account, and \
                      the comment can then get no other message; `reply_words` reach everybody";

pub(super) fn opening(
    opening: Option<Located<wire::Opening>>,
    of: Of<'_>,
    problems: &mut Problems,
) -> Result<Option<Opening>, Reported> {
    let Some(Located { place, value: opening }) = opening else { return Ok(None) };
    let owner = (wire::Opening::WHAT, place);
    let asks = asks(opening.reply_words, opening.button, problems);
    let text = opening.text.required("text", owner, problems);
    let text = text.and_then(|text| asking(text, asks.as_ref().ok(), of, problems));
    let asks = asks?;
    warn_of_button(&asks, problems);
    Ok(Some(Opening { text: text?, asks: asks.value }))
}

/// `is_first`: nothing precedes it, so it may be the first message.
pub(super) fn follow_gate(
    gate: Option<Located<wire::FollowGate>>,
    is_first: bool,
    of: Of<'_>,
    problems: &mut Problems,
) -> Result<Option<FollowGate>, Reported> {
    let Some(Located { place, value: gate }) = gate else { return Ok(None) };
    let owner = (wire::FollowGate::WHAT, place);
    let asks = asks(gate.reply_words, gate.button, problems);
    let text = gate.text.required("text", owner, problems);
    let text = text.and_then(|text| asking(text, asks.as_ref().ok(), of, problems));
    let acknowledgement = gate.acknowledgement.optional().and_then(|word| {
        let kind = Kind::Precedes { button: false };
        word.map(|word| message::check(word, "acknowledgement", kind, of, problems)).transpose()
    });
    let asks = asks?;
    if is_first {
        warn_of_button(&asks, problems);
    }
    Ok(Some(FollowGate { text: text?, asks: asks.value, acknowledgement: acknowledgement? }))
}

/// `opens`: the campaign has people write or tap before it gives anything.
pub(super) fn follow_up(
    follow_up: Option<Located<wire::FollowUp>>,
    opens: bool,
    of: Of<'_>,
    problems: &mut Problems,
) -> Result<Option<FollowUp>, Reported> {
    let Some(Located { place, value: follow_up }) = follow_up else { return Ok(None) };
    let owner = (wire::FollowUp::WHAT, place);
    let text = follow_up.text.required("text", owner, problems);
    let text = text.and_then(|text| message::check(text, "text", Kind::Follows, of, problems));
    let minutes = follow_up.after_minutes.required("after_minutes", owner, problems);
    let minutes = minutes.and_then(|minutes| after_minutes(&minutes, problems));
    if !opens {
        let message = "it reaches only people who wrote or tapped within 24 hours, and a comment does not count; \
                       with an `opening` or a `follow_gate` everybody did";
        problems.warn(place, format!("`follow_up`: {message}"));
    }
    Ok(Some(FollowUp { text: text?, after_minutes: minutes? }))
}

pub(super) fn repeat(text: Option<Located<String>>, problems: &mut Problems) -> Result<Repeat, Reported> {
    let Some(text) = text else { return Ok(Repeat::default()) };
    let found = REPEATS.iter().find(|(word, _)| *word == text.value);
    found.map(|(_, repeat)| *repeat).ok_or_else(|| {
        let words = REPEATS.map(|(word, _)| word).join(", ");
        let found = quoted(&text.value, "something else");
        problems.add(text.place, format!("`repeat`: expected one of {words}; found {found}"))
    })
}

fn after_minutes(minutes: &Located<u32>, problems: &mut Problems) -> Result<u32, Reported> {
    let (found, most) = (minutes.value, limits::AFTER_MINUTES);
    if !(1..=most).contains(&found) {
        let message = format!("`after_minutes`: expected 1 to {most} (a week), found {found}");
        return Err(problems.add(minutes.place, message));
    }
    if found >= limits::WINDOW_MINUTES {
        let message =
            "by then 24 hours have passed, so it is sent only to people who wrote or tapped meanwhile";
        problems.warn(minutes.place, format!("`after_minutes`: {message}"));
    }
    Ok(found)
}

/// How a message is answered. Nothing said: by whatever the person writes.
fn asks(
    reply_words: Key<wire::Words>,
    button: Key<String>,
    problems: &mut Problems,
) -> Result<Located<Asks>, Reported> {
    match (reply_words.optional()?, button.optional()?) {
        (None, None) => Ok(Located { place: Place::START, value: Asks::Reply(Vec::new()) }),
        (Some(_), Some(button)) => {
            let message = "`button` stands beside `reply_words`; expected only one of the two";
            Err(problems.add(button.place, message))
        }
        (None, Some(button)) => {
            let place = button.place;
            let title = text::short(button, "button", limits::TITLE_CHARS, problems)?;
            Ok(Located { place, value: Asks::Button(title) })
        }
        (Some(words), None) => {
            let (place, list) = (words.place, words.value.0);
            let most = words::Most { words: limits::WORDS, chars: limits::WORD_CHARS };
            let list = words::check(Located { place, value: list }, "reply_words", most, problems)?;
            let words = list.into_iter().map(|word| word.value).collect();
            Ok(Located { place, value: Asks::Reply(words) })
        }
    }
}

/// A text that asks. `asks` is `None` where it is wrong itself.
fn asking(
    text: Located<String>,
    asks: Option<&Located<Asks>>,
    of: Of<'_>,
    problems: &mut Problems,
) -> Result<String, Reported> {
    let button = asks.is_some_and(|asks| matches!(asks.value, Asks::Button(_)));
    let text = message::check(text, "text", Kind::Precedes { button }, of, problems)?;
    if let Some(Located { place, value: Asks::Reply(words) }) = asks {
        let told = words.iter().any(|word| words::contains(&text, word));
        if !words.is_empty() && !told {
            let message = "the text tells none of them; people do not get to know what to answer";
            problems.warn(*place, format!("`reply_words`: {message}"));
        }
    }
    Ok(text)
}

fn warn_of_button(asks: &Located<Asks>, problems: &mut Problems) {
    match asks.value {
        Asks::Button(_) => problems.warn(asks.place, format!("`button`: {SPENDS}")),
        Asks::Reply(_) => {}
    }
}
