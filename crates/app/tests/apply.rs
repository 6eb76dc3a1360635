//! A campaign file becomes what the ledger holds, whatever it held before.

#![expect(clippy::unwrap_used, reason = "a test may stop where it stands")]

use openreply_app::apply::{Applied, ApplyError, Change, apply};
use openreply_app::campaign_file::{TokenError, parse};
use openreply_app::ports::{Clock, Ledger, Links, Vault};
use openreply_domain::campaign::{Account, CampaignRef};
use openreply_domain::ids::{AccountId, CampaignId};
use openreply_domain::links::Slug;
use openreply_domain::time::{SignedDuration, after};
use openreply_testkit::faults::{Fault, FaultPlan, Faulty};
use openreply_testkit::memory::{ManualClock, MemoryLedger, MemoryVault};
use secrecy::ExposeSecret;

const BAKERY: &str = "17841400000000001";
const FLORIST: &str = "17841400000000002";

/// An account of a file: its id and its token.
fn account(id: &str, token: &str) -> String {
    format!("{{ id: \"{id}\", username: u{id}, token: {token} }}")
}

/// A campaign of a file: its id, its account and what it says.
fn campaign(id: &str, account: &str, dm: &str) -> String {
    format!("{{ id: {id}, account: \"{account}\", keywords: [LINK], dm: \"{dm}\" }}")
}

fn file(accounts: &[String], campaigns: &[String]) -> String {
    format!("accounts: [{}]\ncampaigns: [{}]\n", accounts.join(", "), campaigns.join(", "))
}

/// A file of the bakery with one token and these campaigns.
fn bakery(campaigns: &[(&str, &str)]) -> String {
    let campaigns: Vec<String> = campaigns.iter().map(|(id, dm)| campaign(id, BAKERY, dm)).collect();
    file(&[account(BAKERY, "token-1")], &campaigns)
}

#[derive(Default)]
struct Stage {
    clock: ManualClock,
    ledger: MemoryLedger,
    vault: MemoryVault,
}

impl Stage {
    async fn try_apply(&self, text: &str, plan: &FaultPlan) -> Result<Applied, ApplyError> {
        let ledger = Faulty { port: self.ledger.clone(), plan: plan.clone() };
        apply(&ledger, &self.vault, &parse(text).unwrap(), self.clock.now(), |_| None).await
    }

    /// Applies a file. Returns what it did to each campaign, and the names of its writes.
    async fn apply(&self, text: &str) -> (Vec<(String, Change)>, Vec<&'static str>) {
        let plan = FaultPlan::default();
        let applied = self.try_apply(text, &plan).await.unwrap();
        let changes = applied.campaigns.into_iter().map(|(_, id, change)| (id.to_string(), change));
        (changes.collect(), plan.calls().into_iter().filter(|call| call.starts_with("put_")).collect())
    }

    async fn account(&self, id: &str) -> Account {
        self.ledger.account(&AccountId::parse(id).unwrap()).await.unwrap().unwrap()
    }

    /// The campaigns of an account in the order of the ledger: id, version, whether it is active.
    async fn campaigns(&self, id: &str) -> Vec<(String, u32, bool)> {
        let campaigns = self.account(id).await.campaigns;
        campaigns.into_iter().map(|c| (c.id.to_string(), c.version, c.active)).collect()
    }

    /// What a version of a campaign says.
    async fn said(&self, id: &str, version: u32) -> String {
        let campaign = CampaignRef { id: CampaignId::parse(id).unwrap(), version };
        let account = AccountId::parse(BAKERY).unwrap();
        self.ledger.campaign_version(&account, &campaign).await.unwrap().unwrap().dm
    }

    async fn token(&self, id: &str) -> (String, u32) {
        let account = self.account(id).await;
        let token = self.vault.open(&account.id, &account.token.sealed).unwrap();
        (token.expose_secret().to_owned(), account.token.version)
    }
}

fn changes(expected: &[(&str, Change)]) -> Vec<(String, Change)> {
    expected.iter().map(|(id, change)| ((*id).to_owned(), *change)).collect()
}

fn row(id: &str, version: u32, active: bool) -> (String, u32, bool) {
    (id.to_owned(), version, active)
}

#[tokio::test]
async fn a_file_that_is_applied_again_writes_nothing() {
    let stage = Stage::default();
    let text = bakery(&[("a", "one"), ("b", "two")]);
    let (done, writes) = stage.apply(&text).await;
    assert_eq!(done, changes(&[("a", Change::Added), ("b", Change::Added)]));
    assert_eq!(writes, ["put_account", "put_campaign", "put_campaign"]);
    let (done, writes) = stage.apply(&text).await;
    assert_eq!(done, changes(&[("a", Change::Unchanged), ("b", Change::Unchanged)]));
    assert!(writes.is_empty(), "{writes:?}");
}

#[tokio::test]
async fn a_link_is_known_before_a_campaign_can_promise_it_and_for_ever() {
    let stage = Stage::default();
    let with = |url: &str| {
        let guide = format!(
            "{{ id: guide, account: \"{BAKERY}\", keywords: [LINK], dm: hi, links: [{{ url: \"{url}\" }}] }}"
        );
        file(&[account(BAKERY, "token-1")], &[guide])
    };
    let leads_to = async |url: &str| {
        let slug = Slug::of(&AccountId::parse(BAKERY).unwrap(), &CampaignId::parse("guide").unwrap(), url);
        stage.ledger.link(&slug).await.unwrap().map(|link| link.url)
    };
    let (_, writes) = stage.apply(&with("https://example.com/1")).await;
    assert_eq!(writes, ["put_account", "put_link", "put_campaign"]);
    let (_, writes) = stage.apply(&with("https://example.com/1")).await;
    assert!(writes.is_empty(), "{writes:?}");
    let (_, writes) = stage.apply(&with("https://example.com/2")).await;
    assert_eq!(writes, ["put_link", "put_campaign"]);
    assert_eq!(leads_to("https://example.com/1").await.as_deref(), Some("https://example.com/1"));
    assert_eq!(leads_to("https://example.com/2").await.as_deref(), Some("https://example.com/2"));
}

#[tokio::test]
async fn a_changed_campaign_is_a_new_version_and_the_old_one_stays_readable() {
    let stage = Stage::default();
    stage.apply(&bakery(&[("a", "first"), ("b", "same")])).await;
    let (done, writes) = stage.apply(&bakery(&[("a", "second"), ("b", "same")])).await;
    assert_eq!(done, changes(&[("a", Change::Changed { version: 2 }), ("b", Change::Unchanged)]));
    assert_eq!(writes, ["put_campaign"]);
    // What it said before is a version of its own again: versions only rise.
    let (done, _) = stage.apply(&bakery(&[("a", "first"), ("b", "same")])).await;
    assert_eq!(done[0], ("a".to_owned(), Change::Changed { version: 3 }));
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 3, true), row("b", 1, true)]);
    assert_eq!([stage.said("a", 1).await, stage.said("a", 2).await], ["first", "second"]);
}

#[tokio::test]
async fn file_order_is_campaign_order_and_a_new_place_is_no_new_version() {
    let stage = Stage::default();
    stage.apply(&bakery(&[("a", "1"), ("b", "2"), ("c", "3")])).await;
    let (done, _) = stage.apply(&bakery(&[("c", "3"), ("a", "1"), ("b", "2")])).await;
    assert_eq!(done, changes(&[("c", Change::Moved), ("a", Change::Moved), ("b", Change::Moved)]));
    assert_eq!(stage.campaigns(BAKERY).await, [row("c", 1, true), row("a", 1, true), row("b", 1, true)]);
    // Moved and changed at once: changed says it.
    let (done, _) = stage.apply(&bakery(&[("a", "1"), ("c", "new"), ("b", "2")])).await;
    assert_eq!(
        done,
        changes(&[("a", Change::Moved), ("c", Change::Changed { version: 2 }), ("b", Change::Unchanged)])
    );
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 1, true), row("c", 2, true), row("b", 1, true)]);
}

#[tokio::test]
async fn what_is_gone_from_the_file_rests_and_comes_back_at_its_version() {
    let stage = Stage::default();
    stage.apply(&bakery(&[("a", "1"), ("b", "2")])).await;
    let without = bakery(&[("b", "2")]);
    let (done, _) = stage.apply(&without).await;
    assert_eq!(done, changes(&[("b", Change::Moved), ("a", Change::Deactivated)]));
    let mut campaigns = stage.campaigns(BAKERY).await;
    campaigns.sort();
    assert_eq!(campaigns, [row("a", 1, false), row("b", 1, true)]);
    let (done, writes) = stage.apply(&without).await;
    assert_eq!((done, writes), (changes(&[("b", Change::Unchanged)]), vec![]), "it rests already");
    let (done, _) = stage.apply(&bakery(&[("a", "1"), ("b", "2")])).await;
    assert_eq!(done, changes(&[("a", Change::Moved), ("b", Change::Moved)]));
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 1, true), row("b", 1, true)]);
}

#[tokio::test]
async fn a_campaign_that_the_file_rests_keeps_its_version() {
    let stage = Stage::default();
    let text = bakery(&[("a", "1")]);
    stage.apply(&text).await;
    let resting = text.replace("dm: \"1\"", "dm: \"1\", active: false");
    assert_eq!(stage.apply(&resting).await.0, changes(&[("a", Change::Moved)]));
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 1, false)]);
    assert_eq!(stage.apply(&resting).await.1, Vec::<&str>::new());
}

#[tokio::test]
async fn an_account_that_is_gone_from_the_file_rests_with_all_its_campaigns() {
    let stage = Stage::default();
    let accounts = [account(BAKERY, "token-1"), account(FLORIST, "token-2")];
    let campaigns = [campaign("a", BAKERY, "1"), campaign("x", FLORIST, "2"), campaign("y", FLORIST, "3")];
    stage.apply(&file(&accounts, &campaigns)).await;
    let (done, writes) = stage.apply(&file(&accounts[..1], &campaigns[..1])).await;
    assert_eq!(
        done,
        changes(&[("a", Change::Unchanged), ("x", Change::Deactivated), ("y", Change::Deactivated)])
    );
    assert_eq!(writes, ["put_campaign", "put_campaign"]);
    assert_eq!(stage.campaigns(FLORIST).await, [row("x", 1, false), row("y", 1, false)]);
    assert_eq!(stage.token(FLORIST).await, ("token-2".to_owned(), 1), "what it promised may still be owed");
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 1, true)]);
}

#[tokio::test]
async fn a_campaign_that_changes_its_account_rests_where_it_was() {
    let stage = Stage::default();
    let accounts = [account(BAKERY, "token-1"), account(FLORIST, "token-2")];
    stage.apply(&file(&accounts, &[campaign("a", BAKERY, "1")])).await;
    let (done, _) = stage.apply(&file(&accounts, &[campaign("a", FLORIST, "1")])).await;
    assert_eq!(done, changes(&[("a", Change::Deactivated), ("a", Change::Added)]));
    assert_eq!(stage.campaigns(BAKERY).await, [row("a", 1, false)]);
    assert_eq!(stage.campaigns(FLORIST).await, [row("a", 1, true)]);
}

#[tokio::test]
async fn a_token_is_replaced_only_by_another() {
    let mut stage = Stage::default();
    let with = |token| file(&[account(BAKERY, token)], &[campaign("a", BAKERY, "1")]);
    stage.apply(&with("token-1")).await;
    let sealed = stage.account(BAKERY).await.token;
    assert!(!sealed.sealed.contains("token-1"));
    assert_eq!(stage.apply(&with("token-1")).await.1, Vec::<&str>::new());
    assert_eq!(stage.account(BAKERY).await.token, sealed);
    assert_eq!(stage.apply(&with("token-2")).await.1, ["put_account"]);
    assert_eq!(stage.token(BAKERY).await, ("token-2".to_owned(), 2));
    // A user name is not a token.
    let renamed = with("token-2").replace(&format!("u{BAKERY}"), "bakery");
    assert_eq!(stage.apply(&renamed).await.1, ["put_account"]);
    assert_eq!(stage.token(BAKERY).await, ("token-2".to_owned(), 2));
    assert_eq!(stage.account(BAKERY).await.username, "bakery");
    // What the key held here cannot open is stored again.
    stage.vault = MemoryVault::new("another key");
    assert_eq!(stage.apply(&renamed).await.1, ["put_account"]);
    assert_eq!(stage.token(BAKERY).await, ("token-2".to_owned(), 3));
}

#[tokio::test]
async fn a_token_ends_sixty_days_after_it_was_stored_or_when_the_file_says() {
    let stage = Stage::default();
    let with = |token| file(&[account(BAKERY, token)], &[campaign("a", BAKERY, "1")]);
    let days = |days: i64| SignedDuration::from_hours(24 * days);
    let stored = stage.clock.now();
    stage.apply(&with("token-1")).await;
    let end = async |stage: &Stage| stage.account(BAKERY).await.token.ends_by.unwrap();
    assert_eq!(end(&stage).await, after(stored, days(60)));
    // The same token, later: it got no younger.
    stage.clock.advance(days(10));
    assert_eq!(stage.apply(&with("token-1")).await.1, Vec::<&str>::new());
    assert_eq!(end(&stage).await, after(stored, days(60)));
    // A person knows better, and is still believed when the file says no more of it.
    let said = with("token-1").replace("token: token-1", "token: token-1, token_ends: 2027-01-29");
    for text in [&said, &with("token-1")] {
        stage.apply(text).await;
        assert_eq!(end(&stage).await.to_string(), "2027-01-29T00:00:00Z");
        assert_eq!(stage.token(BAKERY).await, ("token-1".to_owned(), 1), "it is the same token");
    }
    stage.apply(&with("token-2")).await;
    assert_eq!(end(&stage).await, after(stored, days(70)));
}

/// Whoever applied another file was cut off after the version and before the campaign.
#[tokio::test]
async fn a_version_that_was_left_behind_blocks_no_other_file() {
    let stage = Stage::default();
    stage.apply(&bakery(&[("a", "one")])).await;
    let (id, campaign) = (AccountId::parse(BAKERY).unwrap(), CampaignId::parse("a").unwrap());
    let mut left = stage.account(BAKERY).await.campaigns[0].content.clone();
    left.dm = "never applied".to_owned();
    stage.ledger.leave_version(&id, &CampaignRef { id: campaign, version: 2 }, left);
    let (done, _) = stage.apply(&bakery(&[("a", "two"), ("b", "new")])).await;
    assert_eq!(done, changes(&[("a", Change::Changed { version: 3 }), ("b", Change::Added)]));
    assert_eq!((stage.said("a", 2).await, stage.said("a", 3).await), ("never applied".into(), "two".into()));
    assert_eq!(stage.apply(&bakery(&[("a", "two"), ("b", "new")])).await.1, Vec::<&str>::new());
}

#[tokio::test]
async fn a_missing_token_is_an_error_before_anything_is_written() {
    let stage = Stage::default();
    let text = file(
        &[account(FLORIST, "token-2"), account(BAKERY, "x").replace("token: x", "token_env: BAKERY_TOKEN")],
        &[campaign("a", BAKERY, "1")],
    );
    let plan = FaultPlan::default();
    let error = stage.try_apply(&text, &plan).await.unwrap_err();
    assert!(matches!(&error, ApplyError::Token(TokenError::NotSet { .. })), "{error:?}");
    assert!(error.to_string().contains("BAKERY_TOKEN is not set"), "{error}");
    assert!(plan.calls().is_empty(), "{:?}", plan.calls());

    let file = parse(&text).unwrap();
    let env = |name: &str| (name == "BAKERY_TOKEN").then(|| "token-env".to_owned());
    apply(&stage.ledger, &stage.vault, &file, stage.clock.now(), env).await.unwrap();
    assert_eq!(stage.token(BAKERY).await, ("token-env".to_owned(), 1));
}

#[tokio::test]
async fn a_file_that_was_cut_off_anywhere_is_finished_by_applying_it_again() {
    let before = file(
        &[account(BAKERY, "token-1"), account(FLORIST, "token-2")],
        &[campaign("a", BAKERY, "1"), campaign("b", BAKERY, "2"), campaign("x", FLORIST, "3")],
    );
    let after = file(
        &[account(BAKERY, "token-9")],
        &[campaign("c", BAKERY, "new"), campaign("b", BAKERY, "changed")],
    );
    let applied = |plan: FaultPlan| {
        let (before, after) = (before.clone(), after.clone());
        async move {
            let stage = Stage::default();
            stage.apply(&before).await;
            let cut_off = stage.try_apply(&after, &plan).await;
            if let Err(error) = &cut_off {
                assert!(error.to_string().ends_with("apply it again"), "{error}");
            }
            stage.apply(&after).await;
            let state = (stage.account(BAKERY).await, stage.account(FLORIST).await);
            (cut_off.is_err(), state, stage.token(BAKERY).await, plan.calls().len())
        }
    };
    let (failed, whole, token, calls) = applied(FaultPlan::default()).await;
    assert!(!failed && token == ("token-9".to_owned(), 2) && calls == 10, "{calls}");
    for call in 0..calls {
        for fault in [Fault::Refuse, Fault::LoseAnswer] {
            let (failed, state, _, _) = applied(FaultPlan::new([(call, fault)])).await;
            assert!(failed, "call {call}");
            assert_eq!(state, whole, "{fault:?} at call {call}");
        }
    }
}
