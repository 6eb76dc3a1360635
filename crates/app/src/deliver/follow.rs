//! The follow gate: what a campaign gives, it gives to followers.
//!
//! Instagram says yes, no, or nothing, and its no lags by up to a minute. So at first contact anything but a yes
//! makes a request to follow; after an answer or a tap a no is looked at again after 20 and 40 seconds, with a
//! word meanwhile, before the request is made again; and a nothing then lets the person through. What goes out
//! meanwhile is written before the wait is: a crash in between repeats the question, and no message.

use super::leg::LegEnd;
use super::{Back, Deliver, Turn};
use crate::ports::{Host, Messenger};
use openreply_domain::campaign::{CampaignContent, FollowGate};
use openreply_domain::message::Follow;
use openreply_domain::send::{
    Conversation, Expect, Leg, Says, Send, SendKey, WaitingFor, await_answer, park,
};
use openreply_domain::time::{SignedDuration, after};
use openreply_domain::trigger::TriggerKey;
use secrecy::SecretString;
use std::pin::Pin;

/// How often a no is looked at again, and after how long each time.
const CHECKS: u32 = 2;
const CHECK_AFTER: SignedDuration = SignedDuration::from_secs(20);

impl<H: Host> Deliver<H> {
    /// Decides what a Send says, and whether it goes. `Err`: it waits; its Send is written.
    pub(super) async fn pass_follow_gate(
        &self,
        send: Send,
        expect: &Expect,
        content: Option<&CampaignContent>,
        token: &SecretString,
        turn: &Turn,
    ) -> Result<Result<Send, LegEnd>, Back> {
        let gate = content.and_then(|content| content.follow_gate.as_ref());
        let opens = content.is_some_and(|content| content.opening.is_some());
        match (&send.key.leg, gate) {
            (Leg::Dm, _) if opens => Ok(Ok(Send { says: Says::Opening, ..send })),
            (Leg::Dm, Some(_)) => {
                let says = match self.follows(&send, token, turn).await? {
                    Follow::Yes => Says::Link,
                    Follow::No | Follow::Unknown => Says::FollowPrompt,
                };
                Ok(Ok(Send { says, ..send }))
            }
            (Leg::Reveal, Some(gate)) => {
                self.reveal_to_followers(send, expect, (content, gate), token, turn).await
            }
            (Leg::Dm, None) => Ok(Ok(Send { says: Says::Link, ..send })),
            (
                Leg::PublicReply(_) | Leg::Reveal | Leg::FollowPrompt | Leg::Acknowledgement | Leg::FollowUp,
                _,
            ) => Ok(Ok(send)),
        }
    }

    async fn reveal_to_followers(
        &self,
        send: Send,
        expect: &Expect,
        (content, gate): (Option<&CampaignContent>, &FollowGate),
        token: &SecretString,
        turn: &Turn,
    ) -> Result<Result<Send, LegEnd>, Back> {
        let Some(conversation) = send.conversation.clone() else { return Ok(Ok(send)) };
        let is_first_contact = conversation.is_first_contact;
        match (self.follows(&send, token, turn).await?, is_first_contact) {
            (Follow::Yes, _) | (Follow::Unknown, false) => return Ok(Ok(send)),
            (Follow::No, false) if conversation.checks < CHECKS => {
                if gate.acknowledgement.is_some() {
                    let aside = aside(&send, &conversation.root, Leg::Acknowledgement, &conversation);
                    self.beside(aside, turn).await?;
                }
                let checks = conversation.checks + 1;
                let send = Send { conversation: Some(Conversation { checks, ..conversation }), ..send };
                let due_at = Some(after(self.now(), CHECK_AFTER));
                let reason = "Instagram does not show yet that the person follows; it is asked again";
                let parked = park(&send, WaitingFor::Follow, due_at, reason, self.now());
                return self.write(parked, expect, Vec::new(), content).await.map(Err);
            }
            (Follow::No, false) | (Follow::No | Follow::Unknown, true) => {}
        }
        let prompt = aside(&send, &conversation.asked_by, Leg::FollowPrompt, &conversation);
        self.beside(prompt, turn).await?;
        let parked = await_answer(&send, self.now(), "the person does not follow yet, and was asked to");
        self.write(parked, expect, Vec::new(), content).await.map(Err)
    }

    async fn follows(&self, send: &Send, token: &SecretString, turn: &Turn) -> Result<Follow, Back> {
        if !self.has_time(turn, self.budget.whole_send() + self.budget.send) {
            return Err(Back::NoTime);
        }
        Ok(self.host.messenger().follows(&send.key.trigger.account, &send.user, token).await)
    }

    /// A message that goes out beside another, once. On the heap, because it may be asked for within an attempt.
    fn beside<'a>(
        &'a self,
        send: Send,
        turn: &'a Turn,
    ) -> Pin<Box<dyn Future<Output = Result<(), Back>> + std::marker::Send + 'a>> {
        Box::pin(self.begin_or_go_on(send, turn))
    }
}

/// A message that belongs to the same conversation.
fn aside(send: &Send, trigger: &TriggerKey, leg: Leg, conversation: &Conversation) -> Send {
    let key = SendKey { trigger: trigger.clone(), leg };
    let (user, username) = (send.user.clone(), send.username.clone());
    Send {
        keyword: send.keyword,
        conversation: Some(Conversation { checks: 0, ..conversation.clone() }),
        ..Send::new(key, send.campaign.clone(), user, username, send.updated_at)
    }
}
