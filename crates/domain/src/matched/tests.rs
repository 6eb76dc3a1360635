use super::{Matched, PreparedCampaign};
use crate::campaign::{Campaign, CampaignContent, Post};
use crate::ids::{AccountId, CampaignId, CommentId, MediaId, UserId};
use crate::matching::MatchMode;
use crate::trigger::Comment;
use std::collections::BTreeMap;

fn media(id: &str) -> MediaId {
    MediaId::parse(id).unwrap()
}

/// A campaign that every "LINK" under any post meets.
fn campaign(id: &str, replies: usize) -> Campaign {
    Campaign {
        id: CampaignId::parse(id).unwrap(),
        order: 0,
        version: 7,
        active: true,
        active_since: None,
        backfill: false,
        reel_since: None,
        bound: None,
        content: CampaignContent {
            name: id.to_owned(),
            post: Post::Any,
            match_mode: MatchMode::WholeWord,
            keywords: vec!["LINK".to_owned()],
            dm: "Hi".to_owned(),
            links: Vec::new(),
            public_replies: (0..replies).map(|nth| format!("variation {nth}")).collect(),
            ..CampaignContent::default()
        },
    }
}

fn at(post: Post) -> Campaign {
    let mut campaign = campaign("bound", 0);
    campaign.content.post = post;
    campaign
}

fn comment(text: &str) -> Comment {
    Comment {
        account: AccountId::parse("17841400000000001").unwrap(),
        id: CommentId::parse("179").unwrap(),
        from: UserId::parse("900").unwrap(),
        username: None,
        media: Some(media("55")),
        original_media: None,
        parent: None,
        text: text.to_owned(),
    }
}

fn find(campaigns: &[Campaign], comment: &Comment, chance: u64) -> Option<Matched> {
    let prepared: Vec<_> = campaigns.iter().cloned().map(PreparedCampaign::new).collect();
    Matched::find(&prepared, comment, chance)
}

/// The ids of the winner, the losers and those that owe a public reply.
fn names(matched: &Matched) -> (&str, Vec<&str>, Vec<&str>) {
    (
        matched.winner.id.as_str(),
        matched.losers.iter().map(|loser| loser.id.as_str()).collect(),
        matched.public_replies.iter().map(|reply| reply.campaign.id.as_str()).collect(),
    )
}

#[test]
fn the_first_in_the_file_wins_and_every_other_match_is_named() {
    let mut other = campaign("other", 1);
    other.content.keywords = vec!["PRICE".to_owned()];
    let mut resting = campaign("resting", 1);
    resting.active = false;
    let file = [resting, other, campaign("b", 0), campaign("a", 2), campaign("c", 1)];

    let matched = find(&file, &comment("the link please"), 1).unwrap();
    assert_eq!(names(&matched), ("b", vec!["a", "c"], vec!["a", "c"]));
    assert!(matched.losers.iter().chain([&matched.winner]).all(|campaign| campaign.version == 7));
    let matched = find(&file, &comment("link, price"), 1).unwrap();
    assert_eq!(names(&matched), ("other", vec!["b", "a", "c"], vec!["other", "a", "c"]));
    assert_eq!(find(&file, &comment("hello"), 1), None);
    assert_eq!(find(&[], &comment("link"), 1), None);
    assert_eq!(find(&file[..1], &comment("link"), 1), None, "what rests takes no comment");
}

#[test]
fn a_post_is_covered_by_its_own_media_or_the_post_that_an_ad_promotes() {
    let on = |media: Option<MediaId>, original_media: Option<MediaId>| Comment {
        media,
        original_media,
        ..comment("link")
    };
    let plain = on(Some(media("55")), None);
    let ad = on(Some(media("77")), Some(media("55")));
    let other_ad = on(Some(media("77")), Some(media("56")));
    let unnamed = on(None, None);
    // Which of these comments meet a campaign at this post.
    let table = [
        (Post::Any, [true, true, true, true]),
        (Post::Media(media("55")), [true, true, false, false]),
        (Post::Media(media("77")), [false, true, true, false]),
        (Post::Media(media("56")), [false, false, true, false]),
        (Post::NextReel, [false; 4]),
    ];
    for (post, expected) in table {
        for (comment, expected) in [&plain, &ad, &other_ad, &unnamed].into_iter().zip(expected) {
            let met = find(&[at(post.clone())], comment, 1).is_some();
            assert_eq!(met, expected, "{post:?} under {:?} {:?}", comment.media, comment.original_media);
        }
    }
}

#[test]
fn under_a_reply_nothing_is_published_and_the_direct_message_goes() {
    let reply = Comment { parent: Some(CommentId::parse("178").unwrap()), ..comment("link") };
    let matched = find(&[campaign("a", 2), campaign("b", 2)], &reply, 1).unwrap();
    assert_eq!(names(&matched), ("a", vec!["b"], vec![]));
}

#[test]
fn the_same_chance_picks_the_same_variations() {
    let file: Vec<Campaign> = (0..70).map(|nth| campaign(&format!("c{nth}"), 1 + nth % 10)).collect();
    for chance in [0, 1, 41, u64::MAX, 0x9E37_79B9_7F4A_7C15] {
        let matched = find(&file, &comment("link"), chance).unwrap();
        assert_eq!(Some(&matched), find(&file, &comment("link"), chance).as_ref());
        assert_eq!(matched.public_replies.len(), file.len());
        for (nth, reply) in matched.public_replies.iter().enumerate() {
            assert!((reply.variation as usize) < 1 + nth % 10, "{reply:?} has no such variation");
            assert_eq!(matched.public_reply(&reply.campaign.id), Some(reply));
        }
    }
    let matched = find(&[campaign("a", 2)], &comment("link"), 1).unwrap();
    assert_eq!(matched.public_reply(&CampaignId::parse("b").unwrap()), None);
}

#[test]
fn every_variation_has_its_fair_share_and_replies_vary_on_their_own() {
    let file = [campaign("a", 3), campaign("b", 3)];
    let mut shares: [BTreeMap<u32, u32>; 2] = Default::default();
    let mut pairs: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut chance = 1_u64;
    for _ in 0..9_000 {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let replies = find(&file, &comment("link"), chance).unwrap().public_replies;
        for (share, reply) in shares.iter_mut().zip(&replies) {
            *share.entry(reply.variation).or_default() += 1;
        }
        *pairs.entry((replies[0].variation, replies[1].variation)).or_default() += 1;
    }
    for share in shares {
        assert!(share.len() == 3 && share.values().all(|count| (2_700..3_300).contains(count)), "{share:?}");
    }
    assert!(pairs.len() == 9 && pairs.values().all(|count| (800..1_200).contains(count)), "{pairs:?}");
}

#[test]
fn a_match_reads_back_and_empty_lists_take_no_room() {
    let matched = find(&[campaign("a", 2), campaign("b", 0)], &comment("link"), 1).unwrap();
    let item = serde_json::to_string(&matched).unwrap();
    assert_eq!(serde_json::from_str::<Matched>(&item).unwrap(), matched);
    let alone = find(&[campaign("a", 0)], &comment("link"), 1).unwrap();
    assert_eq!(serde_json::to_string(&alone).unwrap(), r#"{"winner":{"id":"a","version":7},"keyword":0}"#);
}
