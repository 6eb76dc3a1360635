//! What the Graph API tells of a person: whether they follow the account.

use super::reads::Query;
use super::refusal::Refusal;
use super::world::World;
use openreply_domain::ids::{AccountId, UserId};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use serde_json::{Value, json};

/// Follow status lags: false 17 s after a real follow, true by about 68 s. Here it is true from 60 s on.
const FOLLOW_LAG: SignedDuration = SignedDuration::from_secs(60);

/// `GET /{igsid}?fields=is_user_follow_business`: true or false once the person wrote to the account or tapped;
/// before, an error that asks for their consent. `owner` is whose token it was, where that is known; a person
/// has an id of their own for each account, so mostly the id alone tells.
pub(super) fn profile(
    world: &World,
    now: Timestamp,
    owner: Option<&AccountId>,
    user: &str,
    query: &Query,
) -> Result<(AccountId, Value), Refusal> {
    let user = UserId::parse(user).map_err(|_| Refusal::UnknownObject)?;
    let knows = |id: &&AccountId| world.conversation(id, &user).is_some();
    let any = || world.accounts().keys().find(knows);
    let account = owner.filter(knows).or_else(any).ok_or(Refusal::UnknownObject)?;
    let wrote = world.conversation(account, &user).is_some_and(|found| found.last_inbound_at.is_some());
    if !wrote {
        return Err(Refusal::NoConsent);
    }
    let shows = world.follows_since(account, &user).is_some_and(|since| now >= after(since, FOLLOW_LAG));
    let mut seen = json!({ "id": user });
    for field in query.get("fields").unwrap_or_default().split(',') {
        if field == "is_user_follow_business" {
            seen[field] = shows.into();
        }
    }
    Ok((account.clone(), seen))
}
