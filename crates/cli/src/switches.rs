//! `openreply stop`, `start` and `lift`: the switches of a person.

use crate::say;
use crate::stack::Stack;
use openreply_app::ports::Clock;
use openreply_app::resume;
use openreply_aws::SystemClock;
use openreply_domain::ids::AccountId;

/// Stops everything. Asks for nothing but the ledger: whatever else is in trouble, sending can be stopped.
pub(crate) async fn stop(stack: &Stack) -> Result<(), String> {
    resume::stop(&stack.ledger(), SystemClock.now()).await.map_err(stack.trouble())?;
    say(&format!(
        "stopped: nothing is sent; what comes in waits. Go on with: openreply start --stack {}",
        stack.name()
    ));
    Ok(())
}

/// Ends the stop.
pub(crate) async fn start(stack: &Stack) -> Result<(), String> {
    let queue = stack.queue().await?;
    let woken = resume::start(&stack.ledger(), &queue, &stack.events(), SystemClock.now())
        .await
        .map_err(stack.trouble())?;
    say(&format!("started: {woken} deliveries that waited go on"));
    Ok(())
}

/// Whose hold is lifted.
#[derive(Debug, Clone)]
pub(crate) enum Held {
    /// That of the whole app.
    App,
    /// That of an account.
    Account(AccountId),
}

impl std::str::FromStr for Held {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "app" {
            return Ok(Self::App);
        }
        AccountId::parse(text)
            .map(Self::Account)
            .map_err(|error| format!("expected `app` or an account id: it {error}"))
    }
}

/// Lifts a hold.
pub(crate) async fn lift(held: &Held, stack: &Stack) -> Result<(), String> {
    let (ledger, queue, events) = (stack.ledger(), stack.queue().await?, stack.events());
    let now = SystemClock.now();
    let woken = match held {
        Held::App => resume::lift_app(&ledger, &queue, &events, now).await,
        Held::Account(id) => resume::lift(&ledger, &queue, &events, id, now).await,
    };
    let woken = woken.map_err(stack.trouble())?;
    say(&format!("lifted: {woken} deliveries that waited go on"));
    Ok(())
}
