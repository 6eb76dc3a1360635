//! Accounts and campaigns.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use super::samples::{account, campaign, update};
use futures_util::future::join_all;
use openreply_app::ports::{AccountUpdate, Ledger, LedgerError};
use openreply_domain::campaign::{Account, Campaign, CampaignContent, CampaignRef, Post};
use openreply_domain::ids::MediaId;
use openreply_domain::matching::MatchMode;
use openreply_domain::token::SealedToken;

/// The ids of the first account's campaigns, in the order they come.
async fn order(ledger: &impl Ledger) -> Vec<String> {
    let found = ledger.account(&account(1)).await.unwrap().unwrap();
    found.campaigns.iter().map(|campaign| campaign.id.to_string()).collect()
}

/// With all its campaigns, inactive ones and every kind of post included.
pub async fn an_account_reads_back(ledger: &impl Ledger) {
    assert_eq!(ledger.account(&account(1)).await.unwrap(), None);
    let AccountUpdate { id, username, opt_out, token } = update(account(1));
    ledger.put_account(&update(account(1))).await.unwrap();
    let media = Post::Media(MediaId::parse("1800").unwrap());
    let mut campaigns: Vec<Campaign> = Vec::new();
    for (n, post) in (0..).zip([Post::Any, Post::NextReel, media]) {
        let mut next = campaign(n, n);
        next.active = n != 1;
        next.content.post = post;
        ledger.put_campaign(&account(1), &next, None).await.unwrap();
        campaigns.push(next);
    }
    let mut bare = campaign(3, 3);
    bare.content = CampaignContent {
        name: String::new(),
        match_mode: MatchMode::AnyWord,
        keywords: Vec::new(),
        links: Vec::new(),
        public_replies: Vec::new(),
        ..bare.content
    };
    ledger.put_campaign(&account(1), &bare, None).await.unwrap();
    campaigns.push(bare);
    let expected = Account { id, username, opt_out, token, campaigns };
    assert_eq!(ledger.account(&account(1)).await.unwrap(), Some(expected));
    assert_eq!(ledger.account(&account(11)).await.unwrap(), None);
}

/// Campaigns alone make no account.
pub async fn an_account_without_its_own_row_is_none(ledger: &impl Ledger) {
    ledger.put_campaign(&account(1), &campaign(1, 0), None).await.unwrap();
    assert_eq!(ledger.account(&account(1)).await.unwrap(), None);
    ledger.put_account(&update(account(1))).await.unwrap();
    assert_eq!(order(ledger).await, ["campaign-1"]);
}

/// Without a word about its campaigns.
pub async fn a_token_is_replaced(ledger: &impl Ledger) {
    ledger.put_account(&update(account(1))).await.unwrap();
    ledger.put_campaign(&account(1), &campaign(1, 0), None).await.unwrap();
    let token = SealedToken { sealed: "v1.0badcafe.bmV3".to_owned(), version: 2, ends_by: None };
    let renewed = AccountUpdate { username: "bakery2".to_owned(), token, ..update(account(1)) };
    ledger.put_account(&renewed).await.unwrap();
    let found = ledger.account(&account(1)).await.unwrap().unwrap();
    assert_eq!((found.username, found.token), (renewed.username, renewed.token));
    assert_eq!(found.campaigns, [campaign(1, 0)]);
}

/// However often they are stored.
pub async fn accounts_are_listed_once_each(ledger: &impl Ledger) {
    assert_eq!(ledger.account_ids().await.unwrap(), []);
    for n in [2, 1, 11, 2] {
        ledger.put_account(&update(account(n))).await.unwrap();
    }
    assert_eq!(ledger.account_ids().await.unwrap(), [account(1), account(11), account(2)]);
}

/// By number, whenever they were stored, and after they moved.
pub async fn campaigns_come_in_file_order(ledger: &impl Ledger) {
    ledger.put_account(&update(account(1))).await.unwrap();
    for (n, at) in [(1, 10), (2, 9), (3, 100), (4, 1_000_000), (5, 999_999)] {
        ledger.put_campaign(&account(1), &campaign(n, at), None).await.unwrap();
    }
    assert_eq!(order(ledger).await, ["campaign-2", "campaign-1", "campaign-3", "campaign-5", "campaign-4"]);
    ledger.put_campaign(&account(1), &campaign(3, 0), Some(100)).await.unwrap();
    ledger.put_campaign(&account(1), &campaign(1, 10), Some(10)).await.unwrap();
    assert_eq!(order(ledger).await, ["campaign-3", "campaign-2", "campaign-1", "campaign-5", "campaign-4"]);
}

/// Each takes the other's place, one after the other, and a repeated move changes nothing.
pub async fn campaigns_swap_places(ledger: &impl Ledger) {
    ledger.put_account(&update(account(1))).await.unwrap();
    for n in [0, 1] {
        ledger.put_campaign(&account(1), &campaign(n, n), None).await.unwrap();
    }
    for _ in 0..2 {
        ledger.put_campaign(&account(1), &campaign(0, 1), Some(0)).await.unwrap();
    }
    ledger.put_campaign(&account(1), &campaign(1, 0), Some(1)).await.unwrap();
    assert_eq!(order(ledger).await, ["campaign-1", "campaign-0"]);
}

/// More than a page of DynamoDB, which is 1 MB.
pub async fn five_hundred_large_campaigns_come_whole(ledger: &impl Ledger) {
    let id = account(1);
    ledger.put_account(&update(id.clone())).await.unwrap();
    let large = |n| {
        let mut large = campaign(n, n);
        large.content.keywords = (0..50).map(|k| format!("{k:0100}")).collect();
        large
    };
    let campaigns: Vec<Campaign> = (0..500).map(large).collect();
    for some in campaigns.chunks(25) {
        for written in join_all(some.iter().map(|next| ledger.put_campaign(&id, next, None))).await {
            written.unwrap();
        }
    }
    let found = ledger.account(&account(1)).await.unwrap().unwrap();
    assert_eq!(found.campaigns.len(), 500);
    assert!(found.campaigns == campaigns);
}

/// It stays when the campaign goes on, and cannot be written over; the same content again is no trouble.
pub async fn a_version_never_changes(ledger: &impl Ledger) {
    let first = campaign(1, 0);
    let mut second = Campaign { version: 2, ..first.clone() };
    second.content.dm = "Something else".to_owned();
    for next in [&first, &first, &second] {
        ledger.put_campaign(&account(1), next, None).await.unwrap();
    }
    let forged = Campaign { content: second.content.clone(), ..first.clone() };
    let answer = ledger.put_campaign(&account(1), &forged, None).await;
    assert!(matches!(answer, Err(LedgerError::Permanent { .. })), "{answer:?}");

    let version = async |n| {
        let wanted = CampaignRef { version: n, ..first.reference() };
        ledger.campaign_version(&account(1), &wanted).await.unwrap()
    };
    assert_eq!(version(1).await.as_ref(), Some(&first.content));
    assert_eq!(version(2).await.as_ref(), Some(&second.content));
    assert_eq!(version(3).await, None);
    assert_eq!(ledger.campaign_version(&account(11), &first.reference()).await.unwrap(), None);
    ledger.put_account(&update(account(1))).await.unwrap();
    assert_eq!(ledger.account(&account(1)).await.unwrap().unwrap().campaigns, [second]);
}
