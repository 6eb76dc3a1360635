//! No call waits longer than the budget of time counts on.

use crate::config;
use aws_sdk_dynamodb::Client;
use openreply_app::ports::{Ledger, LedgerError};
use openreply_aws::{DynamoLedger, LEDGER_CALL};
use openreply_domain::ids::AccountId;
use openreply_testkit::sockets::{Script, ScriptedServer};
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_nobody_answers_ends_within_its_bound() {
    let server = ScriptedServer::start(vec![Script::Silence]).await.unwrap();
    let ledger = DynamoLedger::new(Client::new(&config(&server).await), "ledger");
    let account = AccountId::parse("1").unwrap();
    let call = ledger.account(&account);
    let answer = tokio::time::timeout(LEDGER_CALL.unsigned_abs() + Duration::from_millis(500), call).await;
    let error = answer.expect("the bound holds").unwrap_err();
    assert!(matches!(error, LedgerError::Transient { .. }), "{error}");
    assert!(server.received().len() > 1, "it was tried again while there was time");
}
