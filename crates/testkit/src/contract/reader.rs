//! The contract of [`Reader`], held over the world of a fake Instagram.
//!
//! What a throttled caller is asked to wait is said in headers that the fake does not write: the Graph client's own
//! tests hold that.

#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use crate::instagram::{CallKind, FakeInstagram, Fault, NewComment};
use crate::memory::ManualClock;
use openreply_app::ports::{Clock, Own, ReadError, ReadTrouble, Reader, SeenMedia, SeenReply, Usage};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use openreply_domain::time::{SignedDuration, Timestamp};
use secrecy::SecretString;

const ACCOUNT: &str = "17841400000000001";
const POST: &str = "18000000000000055";
const PERSON: &str = "900";
const TOKEN: &str = "reader-token";

/// A reader, and the Instagram that it reads.
pub trait ReaderBench: Send + Sync {
    /// What is tested.
    type Reader: Reader;

    /// What is tested. It gives up on an answer that does not come.
    fn reader(&self) -> &Self::Reader;
    /// What it reads.
    fn instagram(&self) -> &FakeInstagram<ManualClock>;
    /// Instagram's clock.
    fn clock(&self) -> &ManualClock;
}

fn account() -> AccountId {
    AccountId::parse(ACCOUNT).unwrap()
}

/// The account as Instagram calls it.
fn own(id: &AccountId) -> Own<'_> {
    Own { id, username: "bakery" }
}

fn media(id: &str) -> MediaId {
    MediaId::parse(id).unwrap()
}

fn user(id: &str) -> UserId {
    UserId::parse(id).unwrap()
}

fn token() -> SecretString {
    SecretString::from(TOKEN)
}

/// A second passes, so that what comes after is newer. Instagram tells whole seconds.
fn tick(bench: &impl ReaderBench) -> Timestamp {
    bench.clock().advance(SignedDuration::from_secs(1));
    bench.clock().now()
}

fn set_up(bench: &impl ReaderBench) {
    bench.instagram().name_account(&account(), "bakery");
    bench.instagram().set_token(&account(), token());
}

/// Somebody writes under the post, a second after whatever was before.
fn write(bench: &impl ReaderBench, from: &str, text: &str, parent: Option<&CommentId>) -> SeenReply {
    let at = tick(bench);
    let username = Some(format!("name{from}"));
    let id = bench.instagram().comment(NewComment {
        account: account(),
        media: media(POST),
        from: user(from),
        username: username.clone(),
        text: text.to_owned(),
        parent: parent.cloned(),
    });
    SeenReply { id, from: Some(user(from)), username, at, text: text.to_owned() }
}

/// Page after page, the comments of a post come newest first, each once, and replies are none of them.
pub async fn comments_come_newest_first_to_the_last_page(bench: &impl ReaderBench) {
    set_up(bench);
    let mut written: Vec<SeenReply> =
        (0..120).map(|number| write(bench, PERSON, &format!("LINK {number} ü"), None)).collect();
    write(bench, "901", "a reply", Some(&written[60].id));
    written.reverse();
    let (mut seen, mut pages, mut after) = (Vec::new(), 0, None);
    loop {
        let page = bench.reader().comments(&token(), &media(POST), after.as_deref()).await.unwrap();
        assert_eq!(page.unreadable, 0);
        assert!(!page.comments.is_empty(), "a page was promised");
        seen.extend(page.comments.into_iter().map(|seen| seen.comment));
        (pages, after) = (pages + 1, page.next);
        if after.is_none() {
            break;
        }
        assert!(pages < 120, "it never ends");
    }
    assert_eq!(seen, written);
    assert!(pages > 1, "a page has its limit");
}

/// A post without a comment has one page with nothing on it.
pub async fn a_post_without_comments_is_one_empty_page(bench: &impl ReaderBench) {
    set_up(bench);
    bench.instagram().publish(&account(), &media(POST), false);
    let page = bench.reader().comments(&token(), &media(POST), None).await.unwrap();
    assert_eq!((page.comments, page.next), (vec![], None));
}

/// A comment comes with the replies under it: who, what and when. Where there are more than come with it, the rest
/// is behind its cursor, and no reply comes twice.
pub async fn replies_come_with_their_comment_and_then_page_by_page(bench: &impl ReaderBench) {
    set_up(bench);
    let (busy, quiet) = (write(bench, PERSON, "LINK", None), write(bench, "902", "nice", None));
    let mut written: Vec<SeenReply> =
        (0..130).map(|number| write(bench, "901", &format!("me too {number}"), Some(&busy.id))).collect();
    written.push(write(bench, ACCOUNT, "Here you are", Some(&busy.id)));
    let page = bench.reader().comments(&token(), &media(POST), None).await.unwrap();
    let [first, second] = &page.comments[..] else { unreachable!("two comments: {page:?}") };
    assert_eq!((&first.comment, &first.replies, &first.more_replies), (&quiet, &vec![], &None));
    assert_eq!(second.comment, busy);
    let (mut seen, mut after, mut pages) = (second.replies.clone(), second.more_replies.clone(), 0);
    while let Some(cursor) = after {
        let page = bench.reader().replies(&token(), &busy.id, Some(&cursor)).await.unwrap();
        assert!(!page.replies.is_empty(), "a page was promised");
        seen.extend(page.replies);
        (pages, after) = (pages + 1, page.next);
        assert!(pages < 130, "it never ends");
    }
    assert!(pages > 1, "a page has its limit");
    assert_eq!(seen, written);
}

/// An account's own posts come newest first, each once and with what it is; an ad is none of them, nor is what
/// another account published.
pub async fn own_media_come_newest_first_without_ads(bench: &impl ReaderBench) {
    set_up(bench);
    let mut published = Vec::new();
    for number in 0..60 {
        let (id, is_reel) = (media(&format!("1800{number}")), number % 3 == 0);
        let published_at = tick(bench);
        bench.instagram().publish(&account(), &id, is_reel);
        published.push(SeenMedia { id, published_at, is_reel });
    }
    tick(bench);
    bench.instagram().advertise(&account(), &media("19001"));
    let other = AccountId::parse("17841400000000002").unwrap();
    bench.instagram().set_token(&other, SecretString::from("another-token"));
    bench.instagram().publish(&other, &media("19002"), true);
    published.reverse();
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = bench.reader().own_media(&token(), &account(), after.as_deref()).await.unwrap();
        assert!(!page.media.is_empty(), "a page was promised");
        seen.extend(page.media);
        (pages, after) = (pages + 1, page.next);
        if after.is_none() {
            break;
        }
        assert!(pages < 60, "it never ends");
    }
    assert!(pages > 1, "a page has its limit");
    assert_eq!(seen, published);
}

/// Of a conversation the 20 newest messages are shown, newest first, and nobody else's.
pub async fn a_conversation_shows_its_newest_messages(bench: &impl ReaderBench) {
    set_up(bench);
    let write = |from: &str, number: usize| {
        let (at, text) = (tick(bench), format!("message {number} 🥐"));
        let id = bench.instagram().message(&account(), &user(from), None, &text);
        Shown { id, at, text, ours: false }
    };
    let mut written: Vec<Shown> = (0..25).map(|number| write(PERSON, number)).collect();
    write("901", 25);
    written.reverse();
    written.truncate(20);
    let (seen, _) = bench.reader().conversation(&token(), own(&account()), &user(PERSON)).await.unwrap();
    assert_eq!(seen, written);
    let (nothing, _) = bench.reader().conversation(&token(), own(&account()), &user("903")).await.unwrap();
    assert_eq!(nothing, []);
}

/// From the first on, the replies under a comment say whose they are, and with their ids they are evidence.
pub async fn replies_under_a_comment_say_which_are_ours(bench: &impl ReaderBench) {
    set_up(bench);
    let comment = write(bench, PERSON, "LINK", None);
    let page = bench.reader().replies(&token(), &comment.id, None).await.unwrap();
    assert_eq!((page.replies, page.next), (vec![], None));
    let written =
        [write(bench, "901", "me too", Some(&comment.id)), write(bench, ACCOUNT, "Sent!", Some(&comment.id))];
    let page = bench.reader().replies(&token(), &comment.id, None).await.unwrap();
    let seen: Vec<Shown> = page.replies.iter().map(|reply| reply.shown(own(&account())).unwrap()).collect();
    let seen: Vec<_> =
        seen.iter().map(|shown| (shown.id.as_str(), shown.at, shown.text.as_str(), shown.ours)).collect();
    let wanted: Vec<_> = written
        .iter()
        .zip([false, true])
        .map(|(reply, ours)| (reply.id.as_str(), reply.at, reply.text.as_str(), ours))
        .collect();
    assert_eq!(seen, wanted);
}

/// Every read once, with this token, of what is there: what each met.
async fn every_read(
    bench: &impl ReaderBench,
    token: &SecretString,
    comment: &CommentId,
    before: impl Fn(),
) -> Vec<Result<Usage, ReadError>> {
    let reader = bench.reader();
    let mut met = Vec::new();
    before();
    met.push(reader.comments(token, &media(POST), None).await.map(|page| page.usage));
    before();
    met.push(reader.own_media(token, &account(), None).await.map(|page| page.usage));
    before();
    met.push(reader.conversation(token, own(&account()), &user(PERSON)).await.map(|(_, usage)| usage));
    before();
    met.push(reader.replies(token, comment, None).await.map(|page| page.usage));
    before();
    let reply = bench.instagram().snapshot().replies(comment).next().unwrap().0.to_string();
    met.push(reader.replies(token, comment, Some(&reply)).await.map(|page| page.usage));
    met
}

fn a_comment_with_a_reply(bench: &impl ReaderBench) -> CommentId {
    set_up(bench);
    let comment = write(bench, PERSON, "LINK", None).id;
    write(bench, "901", "me too", Some(&comment));
    comment
}

/// What went wrong is told, by every read, and nothing is tried again.
pub async fn trouble_is_told_as_what_it_is(bench: &impl ReaderBench) {
    let comment = a_comment_with_a_reply(bench);
    for (fault, wanted) in [
        (Fault::error(400, 190, Some(463), "dead"), ReadTrouble::TokenDead),
        (Fault::error(400, 4, None, "too many"), ReadTrouble::Throttled { retry_after_seconds: None }),
        (Fault::error(400, 80002, None, "too many"), ReadTrouble::Throttled { retry_after_seconds: None }),
        (Fault::error(403, 10, None, "may not"), ReadTrouble::Refused { code: 10 }),
        (Fault::error(500, 1, None, "unknown"), ReadTrouble::Unreachable),
        (Fault::html(502), ReadTrouble::Unreachable),
        (Fault::hang(), ReadTrouble::Unreachable),
    ] {
        let before = bench.instagram().count(CallKind::Read);
        let fail = || bench.instagram().fail_next_of(CallKind::Read, 1, &fault);
        let met = every_read(bench, &token(), &comment, fail).await;
        assert_eq!(met.len(), 5);
        for met in met {
            assert_eq!(met.map_err(|error| error.trouble), Err(wanted.clone()), "{fault:?}");
        }
        assert_eq!(bench.instagram().count(CallKind::Read) - before, 5, "one call a read: {fault:?}");
    }
}

/// A token that is not the account's shows nothing.
pub async fn another_token_is_a_dead_one(bench: &impl ReaderBench) {
    let comment = a_comment_with_a_reply(bench);
    let another = SecretString::from("another-token");
    for met in every_read(bench, &another, &comment, || ()).await {
        assert_eq!(met.map_err(|error| error.trouble), Err(ReadTrouble::TokenDead));
    }
}

/// What is not there is refused, which is not the same as showing nothing.
pub async fn what_is_not_there_is_refused(bench: &impl ReaderBench) {
    a_comment_with_a_reply(bench);
    let reader = bench.reader();
    let (nowhere, stranger) = (CommentId::parse("404").unwrap(), AccountId::parse("404").unwrap());
    for met in [
        reader.comments(&token(), &media("404"), None).await.map(|_| ()),
        reader.replies(&token(), &nowhere, None).await.map(|_| ()),
        reader.replies(&token(), &nowhere, Some("1")).await.map(|_| ()),
        reader.conversation(&token(), own(&stranger), &user(PERSON)).await.map(|_| ()),
        reader.comments(&token(), &media(POST), Some("no cursor")).await.map(|_| ()),
    ] {
        let trouble = met.map_err(|error| error.trouble);
        assert!(matches!(trouble, Err(ReadTrouble::Refused { .. })), "{trouble:?}");
    }
}

/// Every read tells how much of the account's calls is used.
pub async fn every_read_tells_what_is_used(bench: &impl ReaderBench) {
    let comment = a_comment_with_a_reply(bench);
    for percent in [7, 41, 100] {
        bench.instagram().use_up(percent);
        let met = every_read(bench, &token(), &comment, || ()).await;
        assert_eq!(met, vec![Ok(Usage(percent)); 5]);
    }
}
