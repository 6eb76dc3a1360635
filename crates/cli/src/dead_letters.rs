//! `openreply dead-letters`: what nobody could deal with, and another try.
//!
//! Guarantees: a list shows ids, ages and triggers, and nobody's text; what is redriven comes under an id that no
//! earlier copy can swallow, and leaves the dead letters only once the queue has it; the ledger decides again on
//! each, so nothing is sent twice.

use crate::say;
use crate::stack::{Stack, StackName};
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::{Message, MessageSystemAttributeName};
use clap::Subcommand;
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{Clock, Enqueue, Queue};
use openreply_app::sweep::SweepOrder;
use openreply_aws::{SqsQueue, SystemClock};
use openreply_domain::time::{Timestamp, from_millis};
use openreply_domain::trigger::QueueIdentity;

/// The queues that dead letters lie on, as the template names them.
const QUEUES: [&str; 3] = ["deliveries-dead.fifo", "delay-dead", "sweeps-dead"];
/// How long a message that is looked at stays hidden from others.
const LOOK_SECONDS: i32 = 60;

/// What can be asked of dead letters.
#[derive(Debug, Subcommand)]
pub(crate) enum DeadLetters {
    /// Lists them.
    List {
        #[command(flatten)]
        stack: StackName,
    },
    /// Puts them on the deliveries queue again.
    Redrive {
        #[command(flatten)]
        stack: StackName,
    },
}

/// What a dead letter asks for.
#[derive(Debug, Clone, PartialEq)]
enum Letter {
    /// A job, and whose order it keeps where the message itself does not say so.
    Job { job: Box<Job>, group: Option<String> },
    /// A sweep. A later round does the same.
    Sweep(SweepOrder),
    /// Nothing that this version understands.
    Unreadable,
}

impl Letter {
    fn read(body: &str) -> Self {
        if let Ok(Delayed { group, job, .. }) = serde_json::from_str(body) {
            return Self::Job { job: Box::new(job), group: Some(group) };
        }
        if let Ok(job) = serde_json::from_str(body) {
            return Self::Job { job: Box::new(job), group: None };
        }
        serde_json::from_str(body).map_or(Self::Unreadable, Self::Sweep)
    }

    /// What it is about, without what anybody wrote.
    fn subject(&self) -> String {
        match self {
            Self::Job { job, .. } => match job.as_ref() {
                Job::Ingested { trigger, .. } => trigger.key().to_string(),
                Job::Missed { comment, .. } => format!("{} (missed)", comment.key()),
                Job::Wake { key, wake } => format!("{} {} (wake {wake})", key.trigger, key.leg),
                Job::Settle { key, .. } => format!("{} {} (outcome)", key.trigger, key.leg),
                Job::Beat { id, .. } => format!("beat {id}"),
            },
            Self::Sweep(order) => match &order.account {
                Some(account) => format!("sweep of {account}"),
                None => "sweep of the stack".to_owned(),
            },
            Self::Unreadable => "nothing that this version understands".to_owned(),
        }
    }

    /// What to put on the deliveries queue again, under an id that is new. `None`: nothing, another one comes.
    fn again(self, group: Option<&str>, id: &str, now: Timestamp) -> Result<Option<Enqueue>, &'static str> {
        match self {
            // A beat of long ago says nothing, and rounds of sweeps come by themselves.
            Self::Sweep(_) => Ok(None),
            Self::Unreadable => Err("it is left where it is: redrive it with the version that wrote it"),
            Self::Job { job, .. } if matches!(*job, Job::Beat { .. }) => Ok(None),
            Self::Job { job, group: own } => {
                let group = own.or(group.map(str::to_owned)).ok_or("it does not say whose order it keeps")?;
                let dedup = format!("redrive_{}_{id}", now.as_millisecond());
                Ok(Some(Enqueue { identity: QueueIdentity { group, dedup }, job: *job }))
            }
        }
    }
}

/// Does what was asked.
pub(crate) async fn run(command: DeadLetters) -> Result<(), String> {
    match command {
        DeadLetters::List { stack } => list(&stack.find().await?).await,
        DeadLetters::Redrive { stack } => redrive(&stack.find().await?).await,
    }
}

async fn list(stack: &Stack) -> Result<(), String> {
    let client = stack.sqs();
    let mut count = 0;
    for name in QUEUES {
        let url = stack.queue_url(name).await?;
        let messages = receive_all(&client, &url).await?;
        count += messages.len();
        for message in &messages {
            say(&line(name, message, SystemClock.now()));
        }
        // They are visible again at once.
        for receipt in messages.iter().filter_map(|message| message.receipt_handle.as_ref()) {
            let request = client.change_message_visibility().queue_url(&url).receipt_handle(receipt);
            request.visibility_timeout(0).send().await.map_err(|error| fault(name, &error))?;
        }
    }
    say(&format!(
        "{count} dead letters; behind one of a person, further ones of the same person may wait unseen"
    ));
    Ok(())
}

async fn redrive(stack: &Stack) -> Result<(), String> {
    let (client, deliveries) = (stack.sqs(), stack.queue().await?);
    let (mut again, mut dropped, mut left) = (0, 0, 0);
    for name in QUEUES {
        let url = stack.queue_url(name).await?;
        loop {
            let messages = receive(&client, &url).await?;
            if messages.is_empty() {
                break;
            }
            for message in messages {
                match put_back(&client, &url, &deliveries, &message).await? {
                    Put::Again => again += 1,
                    Put::Dropped => dropped += 1,
                    Put::Left(why) => {
                        left += 1;
                        say(&format!("{}: {why}", line(name, &message, SystemClock.now())));
                    }
                }
            }
        }
    }
    say(&format!(
        "{again} are on the queue again, {dropped} were dropped (sweeps and beats come by themselves), {left} are left"
    ));
    if left == 0 { Ok(()) } else { Err(format!("{left} dead letters could not be redriven")) }
}

enum Put {
    Again,
    Dropped,
    Left(String),
}

/// The message leaves the dead letters only once the deliveries queue has it.
async fn put_back(
    client: &Client,
    url: &str,
    deliveries: &SqsQueue,
    message: &Message,
) -> Result<Put, String> {
    let id = message.message_id.as_deref().unwrap_or("unknown");
    let group = attribute(message, &MessageSystemAttributeName::MessageGroupId);
    let letter = Letter::read(message.body.as_deref().unwrap_or(""));
    let put = match letter.again(group, id, SystemClock.now()) {
        Err(why) => return Ok(Put::Left(why.to_owned())),
        Ok(None) => Put::Dropped,
        Ok(Some(entry)) => match deliveries.enqueue(&[entry]).await {
            Ok(refused) if refused.is_empty() => Put::Again,
            Ok(refused) => return Ok(Put::Left(format!("the queue refused it ({})", refused[0].code))),
            Err(error) => return Ok(Put::Left(error.to_string())),
        },
    };
    let receipt = message.receipt_handle.as_deref().unwrap_or("");
    let deleted = client.delete_message().queue_url(url).receipt_handle(receipt).send().await;
    deleted.map_err(|error| fault(url, &error))?;
    Ok(put)
}

async fn receive_all(client: &Client, url: &str) -> Result<Vec<Message>, String> {
    let mut all = Vec::new();
    loop {
        let some = receive(client, url).await?;
        if some.is_empty() {
            return Ok(all);
        }
        all.extend(some);
    }
}

async fn receive(client: &Client, url: &str) -> Result<Vec<Message>, String> {
    let answer = client
        .receive_message()
        .queue_url(url)
        .max_number_of_messages(10)
        .visibility_timeout(LOOK_SECONDS)
        .wait_time_seconds(1)
        .message_system_attribute_names(MessageSystemAttributeName::All)
        .send()
        .await
        .map_err(|error| fault(url, &error))?;
    Ok(answer.messages.unwrap_or_default())
}

fn attribute<'a>(message: &'a Message, name: &MessageSystemAttributeName) -> Option<&'a str> {
    message.attributes.as_ref()?.get(name).map(String::as_str)
}

fn line(queue: &str, message: &Message, now: Timestamp) -> String {
    let sent = attribute(message, &MessageSystemAttributeName::SentTimestamp);
    let age = sent.and_then(|sent| sent.parse().ok()).map(|sent| now.duration_since(from_millis(sent)));
    let age = age.map_or("?".to_owned(), |age| format!("{} min", age.as_mins()));
    let receives = attribute(message, &MessageSystemAttributeName::ApproximateReceiveCount).unwrap_or("?");
    let subject = Letter::read(message.body.as_deref().unwrap_or("")).subject();
    let id = message.message_id.as_deref().unwrap_or("?");
    format!("{queue}  {id}  {age} old, received {receives} times  {subject}")
}

fn fault<E: aws_sdk_sqs::error::ProvideErrorMetadata>(
    queue: &str,
    error: &aws_sdk_sqs::error::SdkError<E>,
) -> String {
    use aws_sdk_sqs::error::ProvideErrorMetadata as _;
    let code = error.code().unwrap_or("AWS could not be reached");
    format!("{queue}: {code}; what was not done is still among the dead letters")
}

#[cfg(test)]
mod tests {
    use super::*;
    use openreply_domain::ids::{AccountId, CommentId, UserId};
    use openreply_domain::trigger::{Comment, Trigger};

    fn now() -> Timestamp {
        from_millis(1_796_054_400_000)
    }

    fn ingested() -> Job {
        let comment = Comment {
            account: AccountId::parse("17841400000000001").unwrap(),
            id: CommentId::parse("179").unwrap(),
            from: UserId::parse("900").unwrap(),
            username: None,
            media: None,
            original_media: None,
            parent: None,
            text: "my secret wish".to_owned(),
        };
        Job::Ingested { trigger: Trigger::Comment(comment), received_at: now() }
    }

    #[test]
    fn each_letter_is_put_back_where_it_belongs_under_a_new_id() {
        let (group, own) = ("17841400000000001:900".to_owned(), "17841400000000001:901".to_owned());
        let delayed = Delayed { group: own.clone(), dedup: "old".to_owned(), job: ingested() };
        let beat = Job::Beat { id: "b".to_owned(), due_at: None, echo: true };
        let order = SweepOrder { account: None, round: now() };
        let json = |value: &dyn Fn() -> serde_json::Value| value().to_string();
        for (body, wanted) in [
            (json(&|| serde_json::to_value(ingested()).unwrap()), Ok(Some(group.clone()))),
            (json(&|| serde_json::to_value(&delayed).unwrap()), Ok(Some(own))),
            (json(&|| serde_json::to_value(&beat).unwrap()), Ok(None)),
            (json(&|| serde_json::to_value(&order).unwrap()), Ok(None)),
            ("{}".to_owned(), Err(())),
            ("no JSON".to_owned(), Err(())),
        ] {
            let again = Letter::read(&body).again(Some(&group), "id-7", now());
            let found = again.map(|entry| {
                entry.map(|entry| {
                    assert_eq!(entry.identity.dedup, "redrive_1796054400000_id-7");
                    assert_eq!(entry.job, ingested());
                    entry.identity.group
                })
            });
            assert_eq!(found.map_err(|_| ()), wanted, "{body}");
        }
    }

    #[test]
    fn a_line_names_the_trigger_and_quotes_nobody() {
        let body = serde_json::to_string(&ingested()).unwrap();
        let message = Message::builder()
            .message_id("id-7")
            .body(body)
            .attributes(MessageSystemAttributeName::SentTimestamp, "1796054100000")
            .attributes(MessageSystemAttributeName::ApproximateReceiveCount, "51")
            .build();
        let shown = line("delay-dead", &message, now());
        assert_eq!(shown, "delay-dead  id-7  5 min old, received 51 times  comment:17841400000000001:179");
    }
}
