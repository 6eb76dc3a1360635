//! What every implementation of a port must do, whatever it is made of.
//!
//! A suite is a list of cases; each takes an implementation, fresh and empty, and fails by panicking. The macros
//! [`ledger_contract!`](crate::ledger_contract), [`queue_contract!`](crate::queue_contract),
//! [`timers_contract!`](crate::timers_contract) and [`vault_contract!`](crate::vault_contract) make each case a test of its own for one implementation. They take
//! an `async fn() -> Option<…>`; `None` skips, for an implementation that is not at hand.

pub mod depths;
pub mod ledger;
pub mod links;
pub mod pulse;
pub mod queue;
pub mod reader;
pub mod sweep_queue;
pub mod timers;
pub mod vault;

/// Makes each case of a suite a test.
#[doc(hidden)]
#[macro_export]
macro_rules! contract_cases {
    ($suite:ident, $make:path: $($case:ident),* $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $case() {
                if let Some(port) = $make().await {
                    $suite::$case(&port).await;
                }
            }
        )*
    };
}

/// Holds a ledger to its contract. Give it an `async fn() -> Option<impl Ledger>`.
#[macro_export]
macro_rules! ledger_contract {
    ($make:path) => {
        use $crate::contract::ledger as suite;
        $crate::contract_cases! { suite, $make:
            exactly_one_of_fifty_claims_wins,
            a_write_happens_exactly_when_what_it_relies_on_holds,
            a_write_that_is_repeated_finds_itself,
            a_send_lives_from_waiting_to_sent,
            a_send_reads_back_as_it_was_written,
            a_match_of_five_hundred_campaigns_fits,
            just_the_sends_that_exist_are_read,
            sends_of_other_triggers_are_not_read,
            an_event_reads_back_byte_for_byte,
            an_event_says_where_it_stands,
            an_event_that_was_never_recorded_cannot_be_marked,
            events_are_filed_by_the_minute,
            an_account_reads_back,
            an_account_without_its_own_row_is_none,
            a_token_is_replaced,
            accounts_are_listed_once_each,
            campaigns_come_in_file_order,
            campaigns_swap_places,
            five_hundred_large_campaigns_come_whole,
            a_version_never_changes,
            deliveries_come_oldest_first,
            deliveries_come_from_a_moment_on,
            deliveries_keep_their_place_whatever_becomes_of_them,
            exactly_one_of_fifty_gates_wins,
            a_gate_is_written_one_revision_after_the_other,
            a_gate_reads_back_as_it_was_written,
            exactly_one_of_fifty_stops_wins,
            a_stop_is_written_one_revision_after_the_other,
            a_stop_reads_back_as_it_was_written,
            a_trigger_is_read_with_its_gate_and_the_stop,
            a_month_gives_exactly_what_its_limit_says,
            a_unit_that_is_given_back_is_given_again,
            a_new_month_begins_at_nothing,
            a_month_is_never_below_nothing,
            nothing_is_written_when_something_beside_the_send_moved,
            what_was_never_written_does_not_hold,
            a_send_is_written_with_what_holds_beside_it,
            a_send_that_is_not_as_expected_is_told_first,
            nobody_is_parked_for_a_hold_that_was_lifted,
            one_of_many_sends_is_written_with_a_gate,
            a_contact_is_written_one_revision_after_the_other,
            a_contact_is_written_with_a_send,
            what_goes_out_once_per_person_is_taken_by_one_trigger,
            a_send_begins_with_the_settle_of_another,
            what_waits_comes_by_its_due_time,
            only_what_is_open_waits,
            what_no_longer_waits_is_gone,
        }
    };
}

/// Holds what sweeps ask of a ledger to its contract. Give it an `async fn() -> Option<impl SweepLedger>`.
#[macro_export]
macro_rules! sweep_ledger_contract {
    ($make:path) => {
        use $crate::contract::ledger as sweep_suite;
        $crate::contract_cases! { sweep_suite, $make:
            what_nobody_settled_comes_when_it_should_be_looked_at,
            many_messages_are_read_at_once,
            what_was_sent_to_somebody_is_gone_through_until_nobody_asks_for_more,
            a_message_proves_one_send_at_most,
            a_campaign_is_bound_to_one_reel_for_good,
            ads_are_remembered_by_account,
            the_last_sweep_of_each_account_reads_back,
            how_far_events_were_checked_reads_back,
        }
    };
}

/// Holds the queue of sweeps to its contract. Give it an `async fn() -> Option<impl SweepQueueBench>`.
#[macro_export]
macro_rules! sweep_queue_contract {
    ($make:path) => {
        use $crate::contract::sweep_queue as suite;
        $crate::contract_cases! { suite, $make:
            every_order_arrives,
            nothing_is_ordered_for_nothing,
        }
    };
}

/// Holds a queue to its contract. Give it an `async fn() -> Option<impl QueueBench>`.
#[macro_export]
macro_rules! queue_contract {
    ($make:path) => {
        use $crate::contract::queue as suite;
        $crate::contract_cases! { suite, $make:
            nothing_is_enqueued_for_nothing,
            a_group_keeps_its_order,
            everybody_of_many_arrives_once,
            a_copy_counts_as_taken_and_does_not_arrive,
            the_same_id_in_another_group_is_no_copy,
            any_text_arrives_as_it_was,
            what_goes_back_comes_again_soon,
            a_receipt_that_is_no_longer_good_is_passed_over,
        }
    };
}

/// Holds timers to their contract. Give it an `async fn() -> Option<impl TimersBench>`.
#[macro_export]
macro_rules! timers_contract {
    ($make:path) => {
        use $crate::contract::timers as suite;
        $crate::contract_cases! { suite, $make:
            a_timer_that_was_set_stands,
            a_timer_that_is_set_again_is_one_timer,
            every_wake_of_every_send_has_its_own_timer,
        }
    };
}

/// Holds a ledger's pulse to its contract. Give it an `async fn() -> Option<impl Ledger + Pulse>`.
#[macro_export]
macro_rules! pulse_contract {
    ($make:path) => {
        use $crate::contract::pulse as suite;
        $crate::contract_cases! { suite, $make:
            a_stack_that_never_lived_says_so,
            the_last_heartbeat_stands,
            an_occasion_is_one_alert,
            the_newest_alerts_come_first,
            accounts_are_held_as_long_as_their_gates_say,
        }
    };
}

/// Holds what counts messages, and what delays them, to their contract. Give it an
/// `async fn() -> Option<impl DepthsBench>`.
#[macro_export]
macro_rules! depths_contract {
    ($make:path) => {
        use $crate::contract::depths as suite;
        $crate::contract_cases! { suite, $make:
            empty_queues_count_nothing,
            each_message_is_counted_where_it_is,
            dead_letters_are_counted,
        }
    };
}

/// Holds a reader to its contract. Give it an `async fn() -> Option<impl ReaderBench>`.
#[macro_export]
macro_rules! reader_contract {
    ($make:path) => {
        use $crate::contract::reader as suite;
        $crate::contract_cases! { suite, $make:
            comments_come_newest_first_to_the_last_page,
            a_post_without_comments_is_one_empty_page,
            replies_come_with_their_comment_and_then_page_by_page,
            own_media_come_newest_first_without_ads,
            a_conversation_shows_its_newest_messages,
            replies_under_a_comment_say_which_are_ours,
            trouble_is_told_as_what_it_is,
            another_token_is_a_dead_one,
            what_is_not_there_is_refused,
            every_read_tells_what_is_used,
        }
    };
}

/// Holds tracked links to their contract. Give it an `async fn() -> Option<impl Links>`.
#[macro_export]
macro_rules! links_contract {
    ($make:path) => {
        use $crate::contract::links as suite;
        $crate::contract_cases! { suite, $make:
            a_link_leads_where_it_was_said_to,
            links_are_listed_by_account,
            a_day_has_one_key,
            clicks_are_counted_by_day_and_visitor,
            fifty_clicks_at_once_are_fifty,
        }
    };
}

/// Holds a vault to its contract. Give it an `async fn() -> Option<Vaults<impl Vault>>`.
#[macro_export]
macro_rules! vault_contract {
    ($make:path) => {
        use $crate::contract::vault as suite;
        $crate::contract_cases! { suite, $make:
            a_token_opens_for_its_account,
            no_other_account_opens_it,
            another_key_is_named,
            any_damage_is_told,
            a_seal_shows_nothing,
        }
    };
}
