//! The queue, when SQS takes a part or nothing.

use crate::{bodies, config, json, refusal};
use aws_sdk_sqs::Client;
use openreply_app::job::Job;
use openreply_app::ports::{Enqueue, Queue, Refused};
use openreply_aws::SqsQueue;
use openreply_domain::ids::{AccountId, MessageId, UserId};
use openreply_domain::time::{SignedDuration, from_millis};
use openreply_domain::trigger::{Message, QueueIdentity, Trigger};
use openreply_testkit::sockets::{Script, ScriptedServer};
use serde_json::{Value, json};

const URL: &str = "https://sqs.eu-central-1.amazonaws.com/1/deliveries.fifo";

async fn queue(scripts: Vec<Script>) -> (SqsQueue, ScriptedServer) {
    let server = ScriptedServer::start(scripts).await.unwrap();
    (SqsQueue::new(Client::new(&config(&server).await), URL), server)
}

fn jobs(count: usize, user: impl Fn(usize) -> usize) -> Vec<Enqueue> {
    let job = |n: usize| {
        let trigger = Trigger::Message(Message {
            account: AccountId::parse("1").unwrap(),
            id: MessageId::parse(format!("mid.{n}")).unwrap(),
            from: UserId::parse(format!("90{}", user(n))).unwrap(),
            text: None,
            at: None,
        });
        let received_at = from_millis(1_796_054_400_000);
        Enqueue { identity: QueueIdentity::of(&trigger), job: Job::Ingested { trigger, received_at } }
    };
    (0..count).map(job).collect()
}

/// SQS's answer: these entries taken, those not.
fn answer(taken: &[usize], failed: &[(usize, &str)]) -> Script {
    let taken: Vec<Value> = taken
        .iter()
        .map(|n| json!({ "Id": n.to_string(), "MessageId": "m", "MD5OfMessageBody": "0".repeat(32) }))
        .collect();
    let failed: Vec<Value> = failed
        .iter()
        .map(|(n, code)| json!({ "Id": n.to_string(), "Code": code, "SenderFault": false, "Message": "no" }))
        .collect();
    json(200, &json!({ "Successful": taken, "Failed": failed }))
}

fn refused(of: &[(usize, &str)]) -> Vec<Refused> {
    of.iter().map(|(index, code)| Refused { index: *index, code: (*code).to_owned() }).collect()
}

#[tokio::test]
async fn an_entry_says_what_it_is_and_whose_order_it_keeps() {
    let (queue, server) = queue(vec![answer(&[0, 1], &[])]).await;
    let jobs = jobs(2, |n| n);
    assert_eq!(queue.enqueue(&jobs).await, Ok(Vec::new()));
    let sent = &bodies(&server)[0];
    assert_eq!(sent["QueueUrl"], URL);
    for (entry, job) in sent["Entries"].as_array().unwrap().iter().zip(&jobs) {
        assert_eq!(entry["MessageGroupId"], job.identity.group);
        assert_eq!(entry["MessageDeduplicationId"], job.identity.dedup);
        assert_eq!(serde_json::from_str::<Job>(entry["MessageBody"].as_str().unwrap()).unwrap(), job.job);
    }
}

#[tokio::test]
async fn entries_that_are_refused_or_not_named_are_told_by_their_place() {
    let (queue, _server) = queue(vec![answer(&[0, 2], &[(3, "InternalError")])]).await;
    let told = queue.enqueue(&jobs(5, |n| n)).await.unwrap();
    assert_eq!(told, refused(&[(1, "NotAnswered"), (3, "InternalError"), (4, "NotAnswered")]));
}

#[tokio::test]
async fn behind_a_refused_entry_the_rest_of_its_group_waits_and_others_go_on() {
    // Twenty-four of one person and one of another: three calls in one lane, one in the other.
    let user = |n: usize| usize::from(n == 12);
    let server =
        ScriptedServer::start_with(|_| json(200, &json!({ "Successful": [], "Failed": [] }))).await.unwrap();
    let queue = SqsQueue::new(Client::new(&config(&server).await), URL);
    let told = queue.enqueue(&jobs(25, user)).await.unwrap();
    let codes: Vec<&str> = told.iter().map(|refused| refused.code.as_str()).collect();
    assert_eq!(told.iter().map(|refused| refused.index).collect::<Vec<_>>(), (0..25).collect::<Vec<_>>());
    assert!(codes[..10].iter().all(|code| *code == "NotAnswered"), "{codes:?}");
    assert!(
        codes[10..].iter().enumerate().all(|(n, code)| (*code == "BehindRefused") == (n != 2)),
        "{codes:?}"
    );
    assert_eq!(server.received().len(), 2, "what waits is not sent");
}

#[tokio::test]
async fn a_call_that_fails_refuses_its_entries_with_the_code_and_ends_the_lane() {
    let cases = [
        (
            refusal(400, "AWS.SimpleQueueService.NonExistentQueue", ""),
            "AWS.SimpleQueueService.NonExistentQueue",
            4,
        ),
        (refusal(403, "AccessDenied", ""), "AccessDenied", 4),
        (refusal(500, "InternalFailure", ""), "InternalFailure", 12),
        (Script::ResetAfterRead, "DispatchFailure", 12),
    ];
    for (script, code, calls) in cases {
        let (queue, server) = queue(vec![script.clone()]).await;
        let told = queue.enqueue(&jobs(45, |n| n)).await.unwrap();
        assert_eq!(told.len(), 45);
        assert!(told.iter().all(|refused| refused.code == code), "{script:?}: {:?}", told[0]);
        assert_eq!(
            server.received().len(),
            calls,
            "one call and its retries in each of four lanes: {script:?}"
        );
    }
}

#[tokio::test]
async fn messages_go_back_by_tens_and_a_stale_receipt_is_no_trouble() {
    let gone = json!({ "Successful": [], "Failed": [
        { "Id": "0", "Code": "ReceiptHandleIsInvalid", "SenderFault": true, "Message": "gone" },
    ] });
    let (queue, server) = queue(vec![json(200, &gone)]).await;
    let receipts: Vec<String> = (0..12).map(|n| format!("receipt-{n}")).collect();
    queue.return_soon(&receipts, SignedDuration::from_secs(10)).await.unwrap();
    let asked = bodies(&server);
    assert_eq!(
        asked.iter().map(|body| body["Entries"].as_array().unwrap().len()).collect::<Vec<_>>(),
        [10, 2]
    );
    assert_eq!(
        asked[1]["Entries"][1],
        json!({ "Id": "1", "ReceiptHandle": "receipt-11", "VisibilityTimeout": 10 })
    );
}

#[tokio::test]
async fn messages_that_sqs_could_not_give_back_are_told() {
    let trouble = json!({ "Successful": [], "Failed": [
        { "Id": "0", "Code": "InternalError", "SenderFault": false, "Message": "no" },
    ] });
    for script in [json(200, &trouble), refusal(403, "AccessDenied", "")] {
        let (queue, _server) = queue(vec![script]).await;
        assert!(queue.return_soon(&["receipt".to_owned()], SignedDuration::from_secs(10)).await.is_err());
    }
}
