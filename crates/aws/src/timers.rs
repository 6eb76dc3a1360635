//! Timers on AWS: one-time EventBridge schedules, and an SQS delay queue for less than a minute.
//!
//! A schedule fires within a minute after its moment, at least once, and deletes itself. Its name follows from
//! the timer's, so setting a timer twice meets the first one, which stands. It puts the very same body on the
//! FIFO queue whenever it fires, so that the queue's content-based deduplication swallows a double.

use crate::failure::Failure;
use aws_sdk_scheduler::error::ProvideErrorMetadata;
use aws_sdk_scheduler::types::{
    ActionAfterCompletion, FlexibleTimeWindow, FlexibleTimeWindowMode, SqsParameters, Target,
};
use openreply_app::job::Delayed;
use openreply_app::ports::{Clock, DelayQueue, Enqueue, QueueError, Timer, TimerError, Timers};
use openreply_domain::time::{SignedDuration, Timestamp};
use sha2::{Digest, Sha256};

/// Below this, the delay queue: a schedule could be as late again.
const SCHEDULE_FROM: SignedDuration = SignedDuration::from_mins(1);

/// What the template tells of the stack's timers.
#[derive(Debug, Clone)]
pub struct SchedulerSettings {
    /// The schedule group that the stack's schedules live in.
    pub group: String,
    /// The role that lets a schedule put a message on the queue.
    pub role_arn: String,
    /// The FIFO queue.
    pub queue_arn: String,
    /// The delay queue.
    pub delay_queue_url: String,
}

/// Sets timers with EventBridge Scheduler and the delay queue.
#[derive(Debug, Clone)]
pub struct SchedulerTimers<C = crate::SystemClock> {
    scheduler: aws_sdk_scheduler::Client,
    sqs: aws_sdk_sqs::Client,
    settings: SchedulerSettings,
    clock: C,
}

impl<C: Clock> SchedulerTimers<C> {
    /// Timers of a stack.
    pub fn new(
        scheduler: aws_sdk_scheduler::Client,
        sqs: aws_sdk_sqs::Client,
        settings: SchedulerSettings,
        clock: C,
    ) -> Self {
        Self { scheduler, sqs, settings, clock }
    }

    async fn delay(&self, body: String, wait: SignedDuration) -> Result<(), TimerError> {
        // Up to the next whole second: never before its time.
        let seconds = u64::try_from(wait.as_millis()).unwrap_or(0).div_ceil(1000);
        let request = self.sqs.send_message().queue_url(&self.settings.delay_queue_url);
        request
            .message_body(body)
            .delay_seconds(i32::try_from(seconds).unwrap_or(i32::MAX))
            .send()
            .await
            .map_err(|error| failed(&Failure::of(&error)))?;
        Ok(())
    }

    async fn schedule(&self, timer: &Timer, body: String) -> Result<(), TimerError> {
        let group = SqsParameters::builder().message_group_id(timer.identity().group).build();
        let target = Target::builder()
            .arn(&self.settings.queue_arn)
            .role_arn(&self.settings.role_arn)
            .input(body)
            .sqs_parameters(group)
            .build()
            .map_err(|error| TimerError(error.to_string()))?;
        let window = FlexibleTimeWindow::builder()
            .mode(FlexibleTimeWindowMode::Off)
            .build()
            .map_err(|error| TimerError(error.to_string()))?;
        let made = self
            .scheduler
            .create_schedule()
            .group_name(&self.settings.group)
            .name(schedule_name(timer))
            .schedule_expression(at_expression(timer.due_at))
            .schedule_expression_timezone("UTC")
            .flexible_time_window(window)
            .action_after_completion(ActionAfterCompletion::Delete)
            .target(target)
            .send()
            .await;
        match made {
            Ok(_) => Ok(()),
            // Set before, by us or by a try whose answer was lost: it stands.
            Err(error) if error.code() == Some("ConflictException") => Ok(()),
            Err(error) if error.code() == Some("ResourceNotFoundException") => Err(TimerError(format!(
                "ResourceNotFoundException: there is no schedule group {}; deploy the stack's template again",
                self.settings.group
            ))),
            Err(error) => Err(failed(&Failure::of(&error))),
        }
    }
}

impl<C: Clock> Timers for SchedulerTimers<C> {
    async fn set(&self, timer: &Timer) -> Result<(), TimerError> {
        let unwritable = |error: serde_json::Error| TimerError(error.to_string());
        let wait = timer.due_at.duration_since(self.clock.now());
        if wait < SCHEDULE_FROM {
            let identity = timer.identity();
            let delayed = Delayed { group: identity.group, dedup: identity.dedup, job: timer.job() };
            self.delay(serde_json::to_string(&delayed).map_err(unwritable)?, wait).await
        } else {
            self.schedule(timer, serde_json::to_string(&timer.job()).map_err(unwritable)?).await
        }
    }
}

impl<C: Clock> DelayQueue for SchedulerTimers<C> {
    async fn delay(&self, entry: &Enqueue, due_at: Timestamp) -> Result<(), QueueError> {
        let Enqueue { identity, job } = entry.clone();
        let delayed = Delayed { group: identity.group, dedup: identity.dedup, job };
        let body = serde_json::to_string(&delayed).map_err(|error| QueueError(error.to_string()))?;
        let wait = due_at.duration_since(self.clock.now());
        self.delay(body, wait).await.map_err(|error| QueueError(error.0))
    }
}

fn failed(failure: &Failure) -> TimerError {
    TimerError(format!("{}: {}", failure.code, failure.hint))
}

/// The one place where schedules are named: 64 hex digits of the timer's name, which may be longer than a
/// schedule's and have other characters.
#[must_use]
pub fn schedule_name(timer: &Timer) -> String {
    hex::encode(Sha256::digest(timer.name().as_bytes()))
}

/// The moment as a schedule takes it, in whole seconds of UTC, rounded up: never before its time.
fn at_expression(due_at: Timestamp) -> String {
    let seconds = due_at.as_millisecond().div_euclid(1000) + i64::from(due_at.as_millisecond() % 1000 != 0);
    let whole = Timestamp::from_second(seconds).unwrap_or(due_at);
    format!("at({})", whole.strftime("%Y-%m-%dT%H:%M:%S"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use openreply_domain::ids::{CampaignId, UserId};
    use openreply_domain::send::{Leg, SendKey};

    fn timer(leg: Leg, wake: u32) -> Timer {
        Timer {
            key: SendKey { trigger: "comment:17841400000000001:180".parse().unwrap(), leg },
            user: UserId::parse("900").unwrap(),
            wake,
            due_at: Timestamp::from_millisecond(1_796_054_400_001).unwrap(),
        }
    }

    #[test]
    fn a_schedule_is_named_by_its_timer_and_fits() {
        let name = schedule_name(&timer(Leg::Dm, 1));
        assert!(name.len() <= 64 && name.bytes().all(|b| b.is_ascii_alphanumeric()));
        assert_eq!(name, schedule_name(&timer(Leg::Dm, 1)));
        assert_ne!(name, schedule_name(&timer(Leg::Dm, 2)));
        assert_ne!(name, schedule_name(&timer(Leg::PublicReply(CampaignId::parse("guide").unwrap()), 1)));
    }

    #[test]
    fn a_moment_is_rounded_up_to_whole_seconds() {
        assert_eq!(at_expression(timer(Leg::Dm, 1).due_at), "at(2026-11-30T16:00:01)");
    }
}
