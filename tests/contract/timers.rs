//! The timers' contract, and the delay queue of the near ones.

use crate::aws;
use aws_sdk_scheduler::types::ActionAfterCompletion;
use aws_sdk_sqs::types::QueueAttributeName;
use openreply_app::job::{Delayed, Job};
use openreply_app::ports::{Clock, Timer, Timers};
use openreply_aws::{SchedulerSettings, SchedulerTimers, SystemClock};
use openreply_domain::ids::UserId;
use openreply_domain::send::{Leg, SendKey};
use openreply_domain::time::{SignedDuration, Timestamp, after};
use openreply_testkit::contract::timers::TimersBench;
use openreply_testkit::memory::{ManualClock, MemoryTimers};
use openreply_testkit::timers_contract;

struct InMemory(MemoryTimers);

impl TimersBench for InMemory {
    type Timers = MemoryTimers;

    fn timers(&self) -> &MemoryTimers {
        &self.0
    }

    fn now(&self) -> Timestamp {
        ManualClock::default().now()
    }

    async fn standing(&self) -> Vec<(Timestamp, Job)> {
        self.0.all().into_iter().map(|timer| (timer.due_at, timer.job())).collect()
    }
}

struct OnScheduler {
    scheduler: aws_sdk_scheduler::Client,
    sqs: aws_sdk_sqs::Client,
    settings: SchedulerSettings,
    timers: SchedulerTimers,
}

impl OnScheduler {
    /// A schedule group and queues like the stack's.
    async fn at(endpoint: &str) -> Self {
        let config = aws::config(endpoint).await;
        let (scheduler, sqs) = (aws_sdk_scheduler::Client::new(&config), aws_sdk_sqs::Client::new(&config));
        let group = aws::unique("timers");
        scheduler.create_schedule_group().name(&group).send().await.unwrap();
        let create = sqs.create_queue().queue_name(format!("{group}.fifo"));
        let fifo = create.attributes(QueueAttributeName::FifoQueue, "true").send().await.unwrap();
        let delay = sqs.create_queue().queue_name(&group).send().await.unwrap();
        let settings = SchedulerSettings {
            role_arn: "arn:aws:iam::000000000000:role/timers".to_owned(),
            queue_arn: arn(&sqs, &fifo.queue_url.unwrap()).await,
            delay_queue_url: delay.queue_url.unwrap(),
            group,
        };
        let timers = SchedulerTimers::new(scheduler.clone(), sqs.clone(), settings.clone(), SystemClock);
        Self { scheduler, sqs, settings, timers }
    }
}

async fn arn(sqs: &aws_sdk_sqs::Client, url: &str) -> String {
    let asked = sqs.get_queue_attributes().queue_url(url).attribute_names(QueueAttributeName::QueueArn);
    asked.send().await.unwrap().attributes.unwrap().remove(&QueueAttributeName::QueueArn).unwrap()
}

impl TimersBench for OnScheduler {
    type Timers = SchedulerTimers;

    fn timers(&self) -> &SchedulerTimers {
        &self.timers
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(SystemClock.now().as_second() + 1).unwrap()
    }

    async fn standing(&self) -> Vec<(Timestamp, Job)> {
        let listed = self.scheduler.list_schedules().group_name(&self.settings.group).send().await.unwrap();
        let mut standing = Vec::new();
        for schedule in listed.schedules {
            let asked = self.scheduler.get_schedule().group_name(&self.settings.group);
            let schedule = asked.name(schedule.name.unwrap()).send().await.unwrap();
            assert_eq!(schedule.action_after_completion, Some(ActionAfterCompletion::Delete));
            let target = schedule.target.unwrap();
            assert_eq!(target.arn, self.settings.queue_arn);
            assert!(target.sqs_parameters.unwrap().message_group_id.is_some());
            let at = schedule.schedule_expression.unwrap();
            let at = at.strip_prefix("at(").and_then(|at| at.strip_suffix(')')).unwrap();
            standing.push((
                format!("{at}Z").parse().unwrap(),
                serde_json::from_str(&target.input.unwrap()).unwrap(),
            ));
        }
        standing
    }
}

mod in_memory {
    use super::{InMemory, MemoryTimers, timers_contract};

    async fn make() -> Option<InMemory> {
        Some(InMemory(MemoryTimers::default()))
    }

    timers_contract! { make }
}

mod on_the_emulator {
    use super::{OnScheduler, aws, timers_contract};

    async fn make() -> Option<OnScheduler> {
        Some(OnScheduler::at(&aws::emulator()?).await)
    }

    timers_contract! { make }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_near_timer_comes_from_the_delay_queue_and_not_before_its_time() {
    let Some(endpoint) = aws::emulator() else { return };
    let bench = OnScheduler::at(&endpoint).await;
    let timer = Timer {
        key: SendKey { trigger: "comment:17841400000000001:179".parse().unwrap(), leg: Leg::Dm },
        user: UserId::parse("900").unwrap(),
        wake: 1,
        due_at: after(SystemClock.now(), SignedDuration::from_millis(1_500)),
    };
    bench.timers.set(&timer).await.unwrap();
    assert_eq!(bench.standing().await, [], "no schedule");
    let receive = bench.sqs.receive_message().queue_url(&bench.settings.delay_queue_url);
    let received = receive.wait_time_seconds(6).send().await.unwrap().messages.unwrap_or_default();
    assert!(SystemClock.now() >= timer.due_at);
    let delayed: Delayed = serde_json::from_str(received[0].body.as_deref().unwrap()).unwrap();
    let identity = timer.identity();
    assert_eq!(delayed, Delayed { group: identity.group, dedup: identity.dedup, job: timer.job() });
}
