//! The months' counts: never more than the limit, whoever asks at the same time.
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use futures_util::future::join_all;
use openreply_app::ports::Ledger;

const MONTH: &str = "2026-11";

/// How many of fifty that ask at once are given a unit.
async fn given(ledger: &impl Ledger, month: &str, limit: u32) -> usize {
    let answers = join_all((0..50).map(|_| ledger.take_month(month, limit))).await;
    answers.into_iter().filter(|taken| *taken.as_ref().unwrap()).count()
}

/// Of fifty that ask at once, as many as the limit says; and as many more once it is raised.
pub async fn a_month_gives_exactly_what_its_limit_says(ledger: &impl Ledger) {
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 0);
    assert_eq!(given(ledger, MONTH, 7).await, 7);
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 7);
    assert_eq!(given(ledger, MONTH, 7).await, 0);
    assert_eq!(given(ledger, MONTH, 10).await, 3, "the limit was raised");
    assert_eq!(given(ledger, MONTH, 4).await, 0, "the limit was lowered below what is used");
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 10);
}

/// What is given back is there for somebody else, once.
pub async fn a_unit_that_is_given_back_is_given_again(ledger: &impl Ledger) {
    assert_eq!(given(ledger, MONTH, 7).await, 7);
    for _ in 0..2 {
        ledger.return_month(MONTH).await.unwrap();
    }
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 5);
    assert_eq!(given(ledger, MONTH, 7).await, 2);
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 7);
}

/// Each calendar month counts by itself: no job resets anything.
pub async fn a_new_month_begins_at_nothing(ledger: &impl Ledger) {
    assert_eq!(given(ledger, MONTH, 7).await, 7);
    assert_eq!(ledger.month_used("2026-12").await.unwrap(), 0);
    assert_eq!(given(ledger, "2026-12", 3).await, 3);
    ledger.return_month(MONTH).await.unwrap();
    assert_eq!(ledger.month_used("2026-12").await.unwrap(), 3);
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 6);
}

/// Giving back more than was taken makes no room above the limit.
pub async fn a_month_is_never_below_nothing(ledger: &impl Ledger) {
    ledger.return_month(MONTH).await.unwrap();
    assert!(ledger.take_month(MONTH, 1).await.unwrap());
    for _ in 0..3 {
        ledger.return_month(MONTH).await.unwrap();
    }
    assert_eq!(ledger.month_used(MONTH).await.unwrap(), 0);
    assert_eq!(given(ledger, MONTH, 7).await, 7);
}
