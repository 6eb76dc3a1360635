//! What a campaign must be.

use super::{Checked, Listed, flows, instagram_id, link, message, text, words};
use crate::campaign_file::problem::{Place, Problems, Reported};
use crate::campaign_file::reading::{List, Located, quoted};
use crate::campaign_file::{FileCampaign, limits, wire};
use openreply_domain::campaign::{CampaignContent, Link, Post};
use openreply_domain::ids::{AccountId, CampaignId, IdError, MediaId};
use openreply_domain::matching::MatchMode;
use openreply_domain::rendering::{self, MAX_REPLY_CHARS};

/// The words for the ways to match.
pub(in crate::campaign_file) const MATCH_MODES: [(&str, MatchMode); 3] =
    [("whole_word", MatchMode::WholeWord), ("partial", MatchMode::Partial), ("any_word", MatchMode::AnyWord)];

pub(super) type CheckedCampaign = Checked<CampaignId, FileCampaign>;

pub(super) fn check(
    campaign: Located<wire::Campaign>,
    listed: Option<&Listed>,
    problems: &mut Problems,
) -> CheckedCampaign {
    let Located { place, value: mut campaign } = campaign;
    let owner = (wire::Campaign::WHAT, place);
    let id = std::mem::take(&mut campaign.id).required("id", owner, problems);
    let id = id.and_then(|text| campaign_id(&text, problems));
    let value = rest(campaign, place, &id, listed, problems);
    Checked { id, value }
}

/// All but the id. Every part is checked before any that is wrong ends it.
fn rest(
    campaign: wire::Campaign,
    place: Place,
    id: &Result<Located<CampaignId>, Reported>,
    listed: Option<&Listed>,
    problems: &mut Problems,
) -> Result<FileCampaign, Reported> {
    let owner = (wire::Campaign::WHAT, place);
    let account = campaign
        .account
        .required("account", owner, problems)
        .and_then(|text| account(&text, listed, problems));
    let name = campaign.name.optional().and_then(|name| {
        name.map(|name| text::short(name, "name", limits::NAME_CHARS, problems)).transpose()
    });
    let post = campaign.post.optional().and_then(|text| post(text, problems));
    let match_mode = campaign.match_mode.optional().and_then(|text| match_mode(text, problems));
    let keywords = campaign.keywords.optional();
    let keywords =
        match_mode.and_then(|mode| keywords.and_then(|list| self::keywords(list, mode, place, problems)));
    let links = campaign.links.optional().and_then(|list| links(list, problems));
    let buttons = campaign.buttons.optional();
    let of = message::Of {
        links: links.as_deref().ok(),
        keywords: keywords.as_deref().ok(),
        buttons: is_set(&buttons),
    };
    let dm = campaign.dm.required("dm", owner, problems);
    let dm = dm.and_then(|text| message::check(text, "dm", message::Kind::Gives, of, problems));
    let public_replies = campaign.public_replies.optional().and_then(|list| public_replies(list, problems));
    let dm_trigger = campaign.dm_trigger.optional();
    let (opening, gate) = (campaign.opening.optional(), campaign.follow_gate.optional());
    let opens = !matches!((&opening, &gate), (Ok(None), Ok(None))) || is_set(&dm_trigger);
    let is_first = matches!(opening, Ok(None));
    let opening = opening.and_then(|opening| flows::opening(opening, of, problems));
    let follow_gate = gate.and_then(|gate| flows::follow_gate(gate, is_first, of, problems));
    let follow_up =
        campaign.follow_up.optional().and_then(|later| flows::follow_up(later, opens, of, problems));
    let repeat = campaign.repeat.optional().and_then(|text| flows::repeat(text, problems));
    let active = campaign.active.optional();
    let backfill = campaign.backfill.optional();

    let id = id.as_ref().map(|id| id.value.clone()).map_err(|reported| *reported)?;
    let content = CampaignContent {
        name: name?.unwrap_or_else(|| id.as_str().to_owned()),
        post: post?,
        match_mode: match_mode?,
        keywords: keywords?,
        dm: dm?,
        links: links?,
        public_replies: public_replies?,
        opening: opening?,
        follow_gate: follow_gate?,
        follow_up: follow_up?,
        dm_trigger: dm_trigger?.is_some_and(|set| set.value),
        buttons: buttons?.is_some_and(|set| set.value),
        repeat: repeat?,
    };
    let active = active?.is_none_or(|active| active.value);
    let backfill = backfill?.is_some_and(|backfill| backfill.value);
    Ok(FileCampaign { id, account: account?, active, backfill, content })
}

fn is_set(key: &Result<Option<Located<bool>>, Reported>) -> bool {
    key.as_ref().is_ok_and(|found| found.as_ref().is_some_and(|set| set.value))
}

fn campaign_id(text: &Located<String>, problems: &mut Problems) -> Result<Located<CampaignId>, Reported> {
    let found = match CampaignId::parse(text.value.as_str()) {
        Ok(value) => return Ok(Located { place: text.place, value }),
        Err(IdError::Empty) => "nothing".to_owned(),
        Err(IdError::TooLong) => "more".to_owned(),
        Err(IdError::Character) => quoted(&text.value, "another character"),
    };
    let expected = "1 to 64 characters, each one of a-z, 0-9 and -";
    Err(problems.add(text.place, format!("`id`: expected {expected}; found {found}")))
}

fn account(
    text: &Located<String>,
    listed: Option<&Listed>,
    problems: &mut Problems,
) -> Result<AccountId, Reported> {
    if let Some(id) = listed.and_then(|listed| listed.by_username(&text.value)) {
        let message = format!("`account`: found the account's user name, expected its id, {id}");
        return Err(problems.add(text.place, message));
    }
    let refuse = |why: &str| format!("`account`: expected the id of one of the accounts, found {why}");
    let id = instagram_id(text, |text| AccountId::parse(text), refuse, problems)?;
    match listed {
        Some(listed) if listed.complete && !listed.accounts.contains_key(&id) => {
            Err(problems
                .add(text.place, format!("`account`: {id} is not one of the `accounts` of this file")))
        }
        Some(_) | None => Ok(id),
    }
}

fn post(text: Option<Located<String>>, problems: &mut Problems) -> Result<Post, Reported> {
    let Some(text) = text else { return Ok(Post::Any) };
    match text.value.as_str() {
        wire::POST_ANY => Ok(Post::Any),
        wire::POST_NEXT_REEL => Ok(Post::NextReel),
        _ => {
            let refuse = |why: &str| {
                format!("`post`: expected any, next_reel or the id of a post (not its link), found {why}")
            };
            instagram_id(&text, |text| MediaId::parse(text), refuse, problems).map(Post::Media)
        }
    }
}

fn match_mode(text: Option<Located<String>>, problems: &mut Problems) -> Result<MatchMode, Reported> {
    let Some(text) = text else { return Ok(MatchMode::WholeWord) };
    let found = MATCH_MODES.iter().find(|(word, _)| *word == text.value);
    found.map(|(_, mode)| *mode).ok_or_else(|| {
        let words = MATCH_MODES.map(|(word, _)| word).join(", ");
        let found = quoted(&text.value, "something else");
        problems.add(text.place, format!("`match`: expected one of {words}; found {found}"))
    })
}

fn keywords(
    list: Option<Located<List<wire::Keyword>>>,
    mode: MatchMode,
    campaign: Place,
    problems: &mut Problems,
) -> Result<Vec<String>, Reported> {
    let place = list.as_ref().map_or(campaign, |list| list.place);
    let written = list.as_ref().map_or(0, |list| list.value.written);
    match mode {
        MatchMode::AnyWord if written > 0 => {
            return Err(
                problems.add(place, "`keywords`: expected none, because any_word takes every comment")
            );
        }
        MatchMode::WholeWord | MatchMode::Partial if written == 0 => {
            let expected = format!("expected 1 to {} keywords, or `match: any_word`", limits::KEYWORDS);
            return Err(problems.add(place, format!("`keywords`: {expected}; found none")));
        }
        MatchMode::AnyWord | MatchMode::WholeWord | MatchMode::Partial => {}
    }
    let Some(list) = list else { return Ok(Vec::new()) };
    let most = words::Most { words: limits::KEYWORDS, chars: limits::KEYWORD_CHARS };
    let checked = words::check(list, "keywords", most, problems)?;
    Ok(checked.into_iter().map(|keyword| keyword.value).collect())
}

fn links(list: Option<Located<List<wire::Link>>>, problems: &mut Problems) -> Result<Vec<Link>, Reported> {
    let Some(Located { place, value: list }) = list else { return Ok(Vec::new()) };
    if list.written > limits::LINKS {
        let message = format!("`links`: expected at most {}, found {}", limits::LINKS, list.written);
        return Err(problems.add(place, message));
    }
    let checked: Vec<_> = list.items.into_iter().map(|wire| link::check(wire, problems)).collect();
    checked.into_iter().collect()
}

fn public_replies(
    list: Option<Located<List<String>>>,
    problems: &mut Problems,
) -> Result<Vec<String>, Reported> {
    let Some(Located { place, value: list }) = list else { return Ok(Vec::new()) };
    if list.written > limits::PUBLIC_REPLIES {
        let most = limits::PUBLIC_REPLIES;
        let message = format!("`public_replies`: expected at most {most}, found {}", list.written);
        return Err(problems.add(place, message));
    }
    let checked: Vec<_> = list.items.into_iter().map(|reply| public_reply(reply, problems)).collect();
    checked.into_iter().collect()
}

fn public_reply(reply: Located<String>, problems: &mut Problems) -> Result<String, Reported> {
    const KEY: &str = "public_replies";
    let Located { place, value: reply } = reply;
    text::message(&reply, KEY, &text::IN_PUBLIC_REPLIES, place, problems)?;
    text::at_most(&reply, KEY, MAX_REPLY_CHARS, place, problems)?;
    if rendering::public_reply(&reply, None).is_empty() {
        return Err(problems.add(place, format!("`{KEY}`: {}", text::NAME_ALONE)));
    }
    Ok(reply)
}
