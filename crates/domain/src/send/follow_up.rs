//! The Send that begins with the delivery of another.

use super::{Conversation, Leg, Says, Send, SendKey, State, WaitingFor};
use crate::campaign::CampaignContent;
use crate::slots::minute_of;
use crate::time::{SignedDuration, Timestamp, after};
use crate::trigger::TriggerKey;

/// The follow-up that a delivered message promises: once per person and campaign, of the version that was sent.
#[must_use]
pub fn follow_up(sent: &Send, content: &CampaignContent, now: Timestamp) -> Option<Send> {
    let gives = match &sent.key.leg {
        Leg::Dm => sent.says == Says::Link,
        Leg::Reveal => true,
        Leg::PublicReply(_) | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp => false,
    };
    let promised = content.follow_up.as_ref().filter(|_| gives)?;
    let campaign = sent.campaign.clone()?;
    let trigger = TriggerKey::follow_up(&sent.key.trigger.account, &sent.user, &campaign.id);
    let conversation = sent.conversation.clone().unwrap_or_else(|| Conversation {
        root: sent.key.trigger.clone(),
        asked_by: sent.key.trigger.clone(),
        is_first_contact: false,
        checks: 0,
        closes_at: now,
    });
    let key = SendKey { trigger, leg: Leg::FollowUp };
    let (user, username) = (sent.user.clone(), sent.username.clone());
    let due_at = after(now, SignedDuration::from_mins(promised.after_minutes.into()));
    let reason = format!("it follows {} minutes after {}", promised.after_minutes, sent.key.trigger);
    Some(Send {
        state: State::Open { waiting_for: WaitingFor::Delay, due_at, reason },
        // Named by its time: the timer of a settle that crashed before it was written is another timer.
        wake: u32::try_from(minute_of(due_at)).unwrap_or(1),
        keyword: sent.keyword,
        conversation: Some(conversation),
        ..Send::new(key, Some(campaign), user, username, now)
    })
}
