//! What a comment costs in calls of AWS, units of DynamoDB and calls of Instagram.
//!
//! The real functions run over the real ledger on an embedded DynamoDB, the real Graph client on a fake
//! Instagram. Every request is counted as it leaves, those that fail and those that are tried again included.
//! Calls are the unit of thrift: one costs more than all our own code, and it is what the bill counts. The
//! tests name each call, so that one more is a decision and never an accident.

#![cfg(test)]

mod meter;
mod product;

use meter::Spent;
use product::{Product, comment};
use std::io::Write;

/// Write units of a plain comment with a short text, index entries included: two for the webhook's event,
/// one for the hour gate, three for the claim, two for the settle.
const WRITE_UNITS: f64 = 8.0;

/// One line per figure, written past the test harness, which shows the output of failures only.
fn tell(what: &str, spent: &Spent) {
    let Spent { calls, writes, reads, graph } = spent;
    let line = format!(
        "thrift: {what}: {} AWS calls ({}), {writes} write units, {reads} read units, {graph} Graph calls\n",
        calls.len(),
        calls.join(", "),
    );
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_costs_the_webhook_three_calls() {
    let product = Product::start().await;
    let spent = product.webhook(&comment("1", "LINK please")).await;
    tell("webhook, one comment", &spent);
    assert_eq!(spent.calls, ["PutItem", "SendMessageBatch", "UpdateItem"], "record, enqueue, mark");
    assert_eq!(spent.graph, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_message_costs_the_consumer_five_calls_cold_and_four_warm() {
    let product = Product::start().await;
    for (state, id, expected) in [
        ("cold", "1", vec!["BatchGetItem", "Query", "PutItem", "PutItem", "PutItem"]),
        // The account with its campaigns was loaded a moment ago.
        ("warm", "2", vec!["BatchGetItem", "PutItem", "PutItem", "PutItem"]),
    ] {
        let webhook = product.webhook(&comment(id, "LINK please")).await;
        let spent = product.consumer().await;
        tell(&format!("consumer, {state}, comment to message"), &spent);
        assert_eq!(spent.calls, expected, "{state}: read, (account), hour gate, claim, settle");
        assert_eq!(spent.graph, 1, "{state}");

        let whole = webhook + spent;
        tell(&format!("comment to message, {state}, in all"), &whole);
        assert!(whole.writes <= WRITE_UNITS, "{state}: {} write units", whole.writes);
        assert_eq!(product.messages_of(id), 1, "{state}: and the message is there");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_duplicate_costs_one_read_and_no_write() {
    let product = Product::start().await;
    product.webhook(&comment("1", "LINK please")).await;
    let batch = product.receive();
    product.invoke(batch.clone()).await;
    for when in ["at once", "with a stale account"] {
        let spent = product.invoke(batch.clone()).await;
        tell(&format!("known duplicate, {when}"), &spent);
        assert_eq!((spent.calls.as_slice(), spent.writes), (&["BatchGetItem".to_owned()][..], 0.0), "{when}");
        assert_eq!(spent.graph, 0, "{when}");
        product.let_caches_go_stale();
    }
    assert_eq!(product.messages_of("1"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_that_matches_nothing_writes_nothing_in_the_consumer() {
    let product = Product::start().await;
    for (state, id, expected) in
        [("cold", "1", vec!["BatchGetItem", "Query"]), ("warm", "2", vec!["BatchGetItem"])]
    {
        product.webhook(&comment(id, "How lovely!")).await;
        let spent = product.consumer().await;
        tell(&format!("consumer, {state}, no match"), &spent);
        assert_eq!(spent.calls, expected, "{state}");
        assert_eq!((spent.writes, spent.graph), (0.0, 0), "{state}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_or_starts_nothing_costs_no_call() {
    let product = Product::start().await;
    let forged = product.webhook_signed_with("another secret", &comment("1", "LINK")).await;
    let echo = product.webhook(&product::echo()).await;
    for (what, spent) in [("webhook, wrong signature", forged), ("webhook, an echo", echo)] {
        tell(what, &spent);
        assert!(spent.calls.is_empty(), "{what}: {:?}", spent.calls);
    }
}

/// Each minute, also while nobody comments: what the sign of life costs is what an idle stack costs.
#[tokio::test(flavor = "multi_thread")]
async fn a_sign_of_life_costs_one_write_and_a_look_at_it_four_reads() {
    let product = Product::start().await;
    product.beat().await;
    let beat = product.consumer().await;
    tell("consumer, a beat", &beat);
    assert_eq!(
        (beat.calls, beat.writes),
        (vec!["UpdateItem".to_owned()], 1.0),
        "and one message for its echo"
    );
    let (asked, measured) = product.look().await;
    tell("health, asked", &asked);
    tell("health, the minute measured", &measured);
    let sorted = |spent: &Spent| {
        let mut calls = spent.calls.clone();
        calls.sort_unstable();
        calls
    };
    assert_eq!(
        sorted(&asked),
        ["BatchGetItem", "GetItem", "Query", "Query"],
        "stop, heartbeat, holds, alerts"
    );
    assert_eq!(sorted(&measured), ["BatchGetItem", "GetItem", "Query"], "stop, heartbeat, holds");
    assert!(asked.reads <= 4.0 && measured.reads <= 3.0 && asked.writes + measured.writes == 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_costs_one_read_and_a_click_two_writes_beside_it() {
    let product = Product::start().await;
    let (links, path) = product.links();
    let preview = product.follow(&links, &path, "facebookexternalhit/1.1").await;
    tell("redirect of a preview", &preview);
    assert_eq!((preview.calls, preview.reads), (vec!["GetItem".to_owned()], 1.0));
    for (state, expected) in [
        // Whoever is first on a day makes the key under which the day's visitors are hashed.
        ("first of the day", vec!["GetItem", "PutItem", "UpdateItem", "UpdateItem"]),
        ("any other", vec!["GetItem", "UpdateItem", "UpdateItem"]),
    ] {
        let click = product.follow(&links, &path, "Mozilla/5.0 (iPhone) Instagram 350.0").await;
        tell(&format!("redirect of a click, {state}"), &click);
        assert_eq!(click.calls, expected, "{state}: link, (key of the day), visitor, count");
    }
}

/// Told, not judged: a test machine's speed is its own affair.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::disallowed_methods, reason = "how long it takes is what is told")]
async fn how_long_a_redirect_takes_is_told() {
    const TIMES: u32 = 200;
    let product = Product::start().await;
    let (links, path) = product.links();
    for (what, agent) in
        [("a preview", "facebookexternalhit/1.1"), ("a click", "Mozilla/5.0 Instagram 350.0")]
    {
        let began = std::time::Instant::now();
        for _ in 0..TIMES {
            product.follow(&links, &path, agent).await;
        }
        let each = began.elapsed() / TIMES;
        let line = format!("thrift: a redirect of {what} takes {each:?} over an embedded DynamoDB\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
}

/// Whatever there is to look at: one batch read of the ledger for each page of comments, and one write in the end.
#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_reads_the_ledger_once_for_each_page_of_comments() {
    let product = Product::start().await;
    product.unheard(1);
    let one = product.sweep().await;
    tell("sweep, one missed comment", &one);
    let count = |spent: &Spent, name: &str| spent.calls.iter().filter(|call| *call == name).count();
    assert_eq!((one.graph, count(&one, "PutItem")), (2, 1), "the posts, and one page");
    assert!(one.calls.len() <= 12, "{:?}", one.calls);
    product.unheard(129);
    let many = product.sweep().await;
    tell("sweep, 130 missed comments", &many);
    assert_eq!(many.graph, 4, "the posts, and three pages");
    assert_eq!(count(&many, "BatchGetItem"), count(&one, "BatchGetItem") + 2, "one for each further page");
    assert_eq!(count(&many, "SendMessageBatch"), 3, "thirty of them");
    assert_eq!(many.calls.len(), one.calls.len() + 4);
}
