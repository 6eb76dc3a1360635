//! Where everything lies in the table.
//!
//! | What | `pk` | `sk` |
//! | --- | --- | --- |
//! | Send | `TRIGGER#{account}#{trigger}` | `SEND#{leg}` |
//! | Account | `ACCOUNT#{id}` | `META` |
//! | Campaign | `ACCOUNT#{id}` | `CAMPAIGN#{order}#{campaign}` |
//! | Campaign at a version | `CAMPAIGN#{account}#{campaign}` | `VERSION#{version}` |
//! | An account's gate: hour, hold | `SLOTS#{account}` | `GATE` |
//! | The stack's stop | `STACK` | `STOP` |
//! | A month's count | `USAGE#stack` | `{year}-{month}` |
//! | What is known of a person | `CONTACT#{account}#{user}` | `CONTACT` |
//! | Who got what goes out once per person | `CONTACT#{account}#{user}` | `ONCE#{campaign}` |
//! | Which accounts there are | `STACK` | `ACCOUNT#{id}` |
//! | Heartbeat | `WORKER` | `HEARTBEAT` |
//! | Alert | `ALERTS` | `{time}#{kind}#{subject}` |
//! | What proved a Send | `MSG#{message id}` | `PROOF` |
//! | The reel a campaign is bound to | `ACCOUNT#{id}` | `REEL#{campaign}#{since when it waited}` |
//! | Ads of an account's posts | `ADS#{account}` | `{post}#{ad}` |
//! | The last sweeps | `SWEEPS` | `STACK`, `ACCOUNT#{id}` |
//! | Until when webhook events are on the queue | `STACK` | `EVENTS` |
//! | Tracked link | `LINK#{slug}` | `LINK` |
//! | An account's tracked links | `LINKS#{account}` | `{campaign}#{slug}` |
//! | Clicks of a day | `CLICKS#{slug}#{shard}` | `{day}` |
//! | Who clicked on a day | `VISITORS#{slug}#{shard}` | `{day}#{hash}` |
//! | The key under which they are hashed | `DAYKEYS` | `{day}` |
//! | Webhook event | `EVENT#{minute}` | `{id}`, and `{id}#{nn}` for what did not fit into it |
//!
//! Ids have no `#` in them ([`openreply_domain::ids`] sees to that), so no key can pass for another.

use super::Item;
use aws_sdk_dynamodb::types::AttributeValue;
use openreply_domain::campaign::CampaignRef;
use openreply_domain::gate::Hold;
use openreply_domain::ids::{AccountId, CampaignId, MessageId, UserId};
use openreply_domain::links::{Day, Slug, TrackedLink, Visitor};
use openreply_domain::pulse::Alert;
use openreply_domain::send::Leg;
use openreply_domain::time::Timestamp;
use openreply_domain::trigger::TriggerKey;

/// The row of an account itself, among its campaigns.
pub(super) const META: &str = "META";
/// What campaigns' rows begin with.
pub(super) const CAMPAIGN: &str = "CAMPAIGN#";
/// The partition of what exists once per stack.
pub(super) const STACK: &str = "STACK";
/// What the rows begin with that say which accounts there are.
pub(super) const ACCOUNT: &str = "ACCOUNT#";

/// The row of an account's gate.
pub(super) const GATE: &str = "GATE";
/// The row of the stack's stop.
pub(super) const STOP: &str = "STOP";

/// The key of an account's gate.
pub(super) fn gate(account: &AccountId) -> Item {
    key(format!("SLOTS#{account}"), GATE.to_owned())
}

/// The key of the stack's stop.
pub(super) fn stop() -> Item {
    key(STACK.to_owned(), STOP.to_owned())
}

/// The partition of the `due` index in which the gates stand that have a hold, each at the end of its hold.
pub(super) const HOLDS: &str = "HOLDS";
/// The partition of the alerts, oldest first.
pub(super) const ALERTS: &str = "ALERTS";

/// The key of the heartbeat.
pub(super) fn heartbeat() -> Item {
    key("WORKER".to_owned(), "HEARTBEAT".to_owned())
}

/// The key of an alert: the same for each copy of it.
pub(super) fn alert(alert: &Alert) -> Item {
    key(ALERTS.to_owned(), alert.name())
}

/// Where a gate with this hold stands in the `due` index. A hold without an end stands at the end of time.
pub(super) fn held_until(hold: &Hold) -> AttributeValue {
    millis(hold.until.unwrap_or(Timestamp::MAX))
}

/// What the rows begin with that bind campaigns to reels, among an account's campaigns.
pub(super) const REEL: &str = "REEL#";
/// The partition of the last sweeps.
pub(super) const SWEEPS: &str = "SWEEPS";

/// The key of what binds a campaign to its reel.
pub(super) fn reel(account_id: &AccountId, campaign: &CampaignId, since: Timestamp) -> Item {
    key(account(account_id), format!("{REEL}{}", reel_of(campaign, since)))
}

/// How a binding is named within its account.
pub(super) fn reel_of(campaign: &CampaignId, since: Timestamp) -> String {
    format!("{campaign}#{}", since.as_millisecond())
}

/// The key of what a message proved.
pub(super) fn proof(message: &MessageId) -> Item {
    key(format!("MSG#{message}"), "PROOF".to_owned())
}

/// The partition of the ads of an account's posts.
pub(super) fn ads(account: &AccountId) -> String {
    format!("ADS#{account}")
}

/// The key of the last sweep of an account, or of the stack.
pub(super) fn sweep(account_id: Option<&AccountId>) -> Item {
    key(SWEEPS.to_owned(), account_id.map_or_else(|| STACK.to_owned(), account))
}

/// The key of the moment until when webhook events are on the queue.
pub(super) fn events_checked() -> Item {
    key(STACK.to_owned(), "EVENTS".to_owned())
}

/// The row of what is known of a person.
pub(super) const CONTACT: &str = "CONTACT";

/// The key of what is known of a person.
pub(super) fn contact(account: &AccountId, user: &UserId) -> Item {
    key(format!("CONTACT#{account}#{user}"), CONTACT.to_owned())
}

/// The key of the trigger for which a person got a campaign's message that goes out once.
pub(super) fn once(account: &AccountId, campaign: &CampaignId, user: &UserId) -> Item {
    key(format!("CONTACT#{account}#{user}"), format!("ONCE#{campaign}"))
}

/// The key of a tracked link.
pub(super) fn link(slug: &Slug) -> Item {
    key(format!("LINK#{slug}"), "LINK".to_owned())
}

/// The partition of an account's tracked links.
pub(super) fn links(account: &AccountId) -> String {
    format!("LINKS#{account}")
}

/// The key of a tracked link among its account's.
pub(super) fn listed_link(link: &TrackedLink) -> Item {
    key(links(&link.account), format!("{}#{}", link.campaign, link.slug))
}

/// The partition of the clicks on a link, by part of its visitors.
pub(super) fn clicks_of(slug: &Slug, shard: u8) -> String {
    format!("CLICKS#{slug}#{shard}")
}

/// The key of the clicks of a day.
pub(super) fn clicks(slug: &Slug, shard: u8, day: &Day) -> Item {
    key(clicks_of(slug, shard), day.as_str().to_owned())
}

/// The key of somebody who clicked on a day.
pub(super) fn visitor(slug: &Slug, shard: u8, day: &Day, visitor: &Visitor) -> Item {
    key(format!("VISITORS#{slug}#{shard}"), format!("{}#{visitor}", day.as_str()))
}

/// The key of the row that holds the key of a day.
pub(super) fn day_key(day: &Day) -> Item {
    key("DAYKEYS".to_owned(), day.as_str().to_owned())
}

/// The key of a month's count.
pub(super) fn month(month: &str) -> Item {
    key("USAGE#stack".to_owned(), month.to_owned())
}

/// The key of a row.
pub(super) fn key(pk: String, sk: String) -> Item {
    [("pk".to_owned(), AttributeValue::S(pk)), ("sk".to_owned(), AttributeValue::S(sk))].into()
}

/// Only the key of a row that holds more.
pub(super) fn of(mut item: Item) -> Item {
    item.retain(|name, _| name == "pk" || name == "sk");
    item
}

/// The key of a Send.
pub(super) fn send(trigger: &TriggerKey, leg: &Leg) -> Item {
    key(format!("TRIGGER#{}#{trigger}", trigger.account), format!("SEND#{leg}"))
}

/// The partition of the `log` index that holds an account's Sends.
pub(super) fn log(account: &AccountId) -> String {
    format!("LOG#{account}")
}

/// The partition of the `due` index that holds what waits on an account.
pub(super) fn due(account: &AccountId) -> String {
    format!("DUE#{account}")
}

/// The partition of an account and its campaigns.
pub(super) fn account(id: &AccountId) -> String {
    format!("{ACCOUNT}{id}")
}

/// The key of a campaign as it stands now. File order is the order of these keys.
pub(super) fn campaign(account_id: &AccountId, order: u32, id: &CampaignId) -> Item {
    key(account(account_id), format!("{CAMPAIGN}{order:06}#{id}"))
}

/// The key of a campaign's immutable copy.
pub(super) fn version(account: &AccountId, campaign: &CampaignRef) -> Item {
    key(format!("CAMPAIGN#{account}#{}", campaign.id), format!("VERSION#{:08}", campaign.version))
}

/// The partition of the webhook events of one minute, in UTC.
pub(super) fn events(received_at: Timestamp) -> String {
    format!("EVENT#{}", received_at.strftime("%Y-%m-%dT%H:%M"))
}

/// A row's key for people.
pub(super) fn shown(item: &Item) -> String {
    let part = |name| item.get(name).and_then(|value| value.as_s().ok()).map_or("?", String::as_str);
    format!("{} / {}", part("pk"), part("sk"))
}

/// A text of a row.
pub(super) fn text<'a>(item: &'a Item, name: &str) -> Option<&'a str> {
    item.get(name)?.as_s().ok().map(String::as_str)
}

/// A whole number of a row.
pub(super) fn number(item: &Item, name: &str) -> Option<i64> {
    item.get(name)?.as_n().ok()?.parse().ok()
}

/// Milliseconds since the epoch, as every time in the table but the one of [`expiry`].
pub(super) fn millis(moment: Timestamp) -> AttributeValue {
    AttributeValue::N(moment.as_millisecond().to_string())
}

/// Seconds since the epoch: what DynamoDB's time to live understands.
pub(super) fn expiry(moment: Timestamp) -> AttributeValue {
    AttributeValue::N(moment.as_second().to_string())
}
