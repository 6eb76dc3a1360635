//! How people opt out must be told by words that mean one thing.

use super::{message, words};
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::{Key, Located};
use crate::campaign_file::{limits, wire};
use openreply_domain::campaign::OptOut;

pub(super) fn check(opt_out: Key<wire::OptOut>, problems: &mut Problems) -> Result<OptOut, Reported> {
    let Some(Located { place, value: opt_out }) = opt_out.optional()? else { return Ok(OptOut::default()) };
    let default = OptOut::default();
    let stop = listed(opt_out.stop_words, "stop_words", default.stop_words, place, problems);
    let start = listed(opt_out.start_words, "start_words", default.start_words, place, problems);
    let confirmation = opt_out.confirmation.optional().and_then(|text| match text {
        None => Ok(default.confirmation),
        Some(text) => message::of_the_account(text, "confirmation", problems),
    });
    let (stop, start) = (stop?, start?);
    for word in &start {
        if let Some(same) = stop.iter().find(|stop| words::are_the_same(&stop.value, &word.value)) {
            // A default stands nowhere in the file: then the place of the other word tells.
            let at = if word.place == place { same.place } else { word.place };
            let message = "one of these words stands in the other list too; each means one thing";
            return Err(problems.add(at, format!("`start_words`, `stop_words`: {message}")));
        }
    }
    let only = |words: Vec<Located<String>>| words.into_iter().map(|word| word.value).collect();
    Ok(OptOut { stop_words: only(stop), start_words: only(start), confirmation: confirmation? })
}

fn listed(
    list: Key<wire::Words>,
    key: &str,
    default: Vec<String>,
    owner: Place,
    problems: &mut Problems,
) -> Result<Vec<Located<String>>, Reported> {
    let Some(Located { place, value: wire::Words(list) }) = list.optional()? else {
        return Ok(default.into_iter().map(|value| Located { place: owner, value }).collect());
    };
    if list.written == 0 {
        let message = "expected one word at least, or no such key: then it has its default";
        return Err(problems.add(place, format!("`{key}`: {message}")));
    }
    let most = words::Most { words: limits::WORDS, chars: limits::WORD_CHARS };
    words::check(Located { place, value: list }, key, most, problems)
}
