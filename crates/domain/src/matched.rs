//! Which campaigns a comment meets, and who wins its one direct message.
//!
//! Instagram grants one private reply per comment over all campaigns, so the first campaign in file order
//! wins it and stays the winner; the others are recorded as skipped. The first Send that is written carries
//! the whole [`Matched`], so that a redelivery after an edit continues that match and never makes a new one.

use crate::campaign::{Campaign, CampaignRef};
use crate::ids::CampaignId;
use crate::matching::{FoldedText, Keywords};
use crate::time::Timestamp;
use crate::trigger::Comment;
use serde::{Deserialize, Serialize};

/// A campaign with its keywords made ready, once per load of the account instead of once per comment.
#[derive(Debug, Clone)]
pub struct PreparedCampaign {
    /// The campaign.
    pub campaign: Campaign,
    keywords: Keywords,
}

impl PreparedCampaign {
    /// Makes the keywords ready.
    #[must_use]
    pub fn new(campaign: Campaign) -> Self {
        let keywords = Keywords::new(campaign.content.match_mode, &campaign.content.keywords);
        Self { campaign, keywords }
    }

    /// The keyword that a comment meets, if it meets the campaign at all.
    fn meets(&self, comment: &Comment, text: &FoldedText) -> Option<Met> {
        let covered = self.campaign.active && self.campaign.covers(comment);
        if covered { self.finds(text) } else { None }
    }

    /// The keyword that a direct message meets, if the campaign listens to direct messages at all.
    fn hears(&self, text: &FoldedText) -> Option<Met> {
        if self.campaign.active && self.campaign.content.dm_trigger { self.finds(text) } else { None }
    }

    fn finds(&self, text: &FoldedText) -> Option<Met> {
        let nth = self.keywords.find(text)?;
        let keyword = u32::try_from(nth).ok().filter(|_| !self.campaign.content.keywords.is_empty());
        Some(Met { keyword })
    }
}

/// That a campaign was met.
#[derive(Debug, Clone, Copy)]
struct Met {
    keyword: Option<u32>,
}

/// The match of one comment, as the first Send carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matched {
    /// The campaign that sends the direct message.
    pub winner: CampaignRef,
    /// Which of the winner's keywords was met, counted from 0. None for a campaign that takes any word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keyword: Option<u32>,
    /// The campaigns that matched too and may not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losers: Vec<CampaignRef>,
    /// The public replies that are owed, in file order. None under a reply to a comment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub public_replies: Vec<PublicReply>,
}

/// A public reply that a matching campaign owes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicReply {
    /// Whose reply.
    pub campaign: CampaignRef,
    /// Which of its variations, counted from 0.
    pub variation: u32,
}

impl Matched {
    /// Matches a comment against an account's campaigns, which must be in file order. `chance` picks the
    /// variations of public replies; the same chance picks the same ones. `None`: nothing matched.
    #[must_use]
    pub fn find(campaigns: &[PreparedCampaign], comment: &Comment, chance: u64) -> Option<Self> {
        Self::find_among(campaigns.iter(), comment, chance)
    }

    /// The same for a comment that a sweep found, which was written at `written_at`: only those campaigns count
    /// that took comments then.
    #[must_use]
    pub fn find_missed(
        campaigns: &[PreparedCampaign],
        comment: &Comment,
        written_at: Timestamp,
        chance: u64,
    ) -> Option<Self> {
        let took = campaigns.iter().filter(|prepared| prepared.campaign.takes_missed(written_at));
        Self::find_among(took, comment, chance)
    }

    fn find_among<'a>(
        campaigns: impl Iterator<Item = &'a PreparedCampaign>,
        comment: &Comment,
        chance: u64,
    ) -> Option<Self> {
        let text = FoldedText::new(&comment.text);
        let mut met = campaigns.filter_map(|one| Some((&one.campaign, one.meets(comment, &text)?)));
        let (first, Met { keyword }) = met.next()?;
        let rest: Vec<&Campaign> = met.map(|(campaign, _)| campaign).collect();
        let top_level = comment.parent.is_none();
        let public_replies = std::iter::once(&first)
            .chain(&rest)
            .filter(|campaign| top_level && !campaign.content.public_replies.is_empty())
            .enumerate()
            .map(|(nth, campaign)| PublicReply {
                campaign: campaign.reference(),
                variation: pick(chance, nth, campaign.content.public_replies.len()),
            })
            .collect();
        Some(Self {
            winner: first.reference(),
            keyword,
            losers: rest.into_iter().map(Campaign::reference).collect(),
            public_replies,
        })
    }

    /// Matches a direct message. The first campaign in file order that listens to direct messages and meets it
    /// wins; there are no losers, because nothing else was promised.
    #[must_use]
    pub fn find_for_message(campaigns: &[PreparedCampaign], text: &str) -> Option<Self> {
        let text = FoldedText::new(text);
        let met = campaigns.iter().find_map(|one| Some((&one.campaign, one.hears(&text)?)));
        met.map(|(campaign, Met { keyword })| Self {
            winner: campaign.reference(),
            keyword,
            losers: Vec::new(),
            public_replies: Vec::new(),
        })
    }

    /// The public reply that `campaign` owes, if any.
    #[must_use]
    pub fn public_reply(&self, campaign: &CampaignId) -> Option<&PublicReply> {
        self.public_replies.iter().find(|reply| reply.campaign.id == *campaign)
    }
}

/// One of `count` variations for the `nth` reply under one comment. Spreads one chance over several replies.
fn pick(chance: u64, nth: usize, count: usize) -> u32 {
    let spread = chance.rotate_left((nth as u32 % 64) * 7).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    (spread % count as u64) as u32
}

#[cfg(test)]
mod tests;
