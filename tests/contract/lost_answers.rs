//! A write that happened and whose answer never came: the client's own retry must not take it for a stranger's.

use crate::aws;
use crate::sample::plain_claim;
use aws_sdk_dynamodb::Client;
use openreply_app::ports::{AccountUpdate, Also, Ledger, Written};
use openreply_aws::{DynamoLedger, create_table};
use openreply_domain::campaign::OptOut;
use openreply_domain::gate::AccountGate;
use openreply_domain::ids::{AccountId, ClaimId};
use openreply_domain::send::{Claim, Expect, Leg, Send};
use openreply_domain::token::SealedToken;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Passes everything on to a server; while answers are to be lost, closes the connection instead of answering.
#[derive(Clone)]
struct Lossy {
    address: SocketAddr,
    to_lose: Arc<AtomicUsize>,
}

impl Lossy {
    async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let lossy = Self { address: listener.local_addr().unwrap(), to_lose: Arc::default() };
        let to_lose = Arc::clone(&lossy.to_lose);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass_on(client, server, Arc::clone(&to_lose)));
            }
        });
        lossy
    }

    fn lose(&self, answers: usize) {
        self.to_lose.store(answers, Ordering::SeqCst);
    }

    fn left(&self) -> usize {
        self.to_lose.load(Ordering::SeqCst)
    }
}

async fn pass_on(client: TcpStream, server: SocketAddr, to_lose: Arc<AtomicUsize>) {
    let server = TcpStream::connect(server).await.unwrap();
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let requests = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from_server.read(&mut bytes).await {
        let lost =
            to_lose.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if lost || to_client.write_all(&bytes[..count]).await.is_err() {
            break;
        }
    }
    requests.abort();
}

async fn ledger() -> (DynamoLedger, Lossy) {
    let lossy = Lossy::before(aws::dynamo().await).await;
    let client = Client::new(&aws::config(&format!("http://{}", lossy.address)).await);
    create_table(&client, "ledger").await.unwrap();
    (DynamoLedger::new(client, "ledger"), lossy)
}

fn claimed(claim: &str) -> Send {
    let plain = plain_claim();
    let id = ClaimId::parse(claim).unwrap();
    Send { claim: plain.claim.clone().map(|claim| Claim { id, ..claim }), ..plain }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_whose_answer_was_lost_is_found_to_be_ours() {
    let (ledger, lossy) = ledger().await;
    lossy.lose(1);
    let mine = claimed("mine");
    let answer = ledger.put_send(&mine, &Expect::Absent).await.unwrap();
    assert_eq!(lossy.left(), 0);
    assert_eq!(answer, Written::Refused(Some(Box::new(mine.clone()))), "the SDK's retry meets its own claim");

    let theirs = ledger.put_send(&claimed("theirs"), &Expect::Absent).await.unwrap();
    assert_eq!(theirs, Written::Refused(Some(Box::new(mine))));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_stay_lost_are_trouble_that_may_pass() {
    let (ledger, lossy) = ledger().await;
    lossy.lose(100);
    let answer = ledger.put_send(&claimed("mine"), &Expect::Absent).await;
    let error = answer.unwrap_err();
    assert!(matches!(error, openreply_app::ports::LedgerError::Transient { .. }), "{error}");
    assert_eq!(lossy.left(), 97, "three tries in all");
    lossy.lose(0);
    let found = ledger.sends(&claimed("mine").key.trigger, &[Leg::Dm]).await.unwrap();
    assert_eq!(found, [claimed("mine")], "it was written all the same");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_whose_answer_was_lost_is_done_once() {
    let (ledger, lossy) = ledger().await;
    let account = AccountUpdate {
        id: AccountId::parse("1").unwrap(),
        username: "bakery".to_owned(),
        opt_out: OptOut::default(),
        token: SealedToken { sealed: "v1.0badcafe.c2VhbGVk".to_owned(), version: 1, ends_by: None },
    };
    lossy.lose(1);
    ledger.put_account(&account).await.unwrap();
    assert_eq!(lossy.left(), 0);
    assert_eq!(ledger.account_ids().await.unwrap(), [account.id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settle_whose_answer_was_lost_gives_its_unit_back_once() {
    let (ledger, lossy) = ledger().await;
    for _ in 0..3 {
        assert!(ledger.take_month("2026-11", 3).await.unwrap());
    }
    let gate = AccountGate { revision: 1, ..AccountGate::default() };
    let also = [Also::Gate(gate.clone()), Also::ReturnMonth("2026-11".to_owned())];
    lossy.lose(1);
    let answer = ledger.put_send_with(&claimed("mine"), &Expect::Absent, &also).await.unwrap();
    assert_eq!((lossy.left(), answer), (0, Written::Done), "the SDK's retry is the same transaction");
    assert_eq!(ledger.month_used("2026-11").await.unwrap(), 2);
    let read = ledger.read(&claimed("mine").key.trigger, &[Leg::Dm], &claimed("mine").user).await.unwrap();
    assert_eq!((read.sends, read.standing.gate), (vec![claimed("mine")], gate));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_is_not_below_what_was_sent_after_a_lost_answer() {
    let (ledger, lossy) = ledger().await;
    for _ in 0..3 {
        assert!(ledger.take_month("2026-11", 3).await.unwrap());
    }
    lossy.lose(1);
    ledger.return_month("2026-11").await.unwrap();
    assert_eq!(lossy.left(), 0);
    assert_eq!(ledger.month_used("2026-11").await.unwrap(), 2, "given back once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_whose_answer_was_lost_is_known_to_be_written() {
    let (ledger, lossy) = ledger().await;
    let account = AccountId::parse("1").unwrap();
    let gate = AccountGate { revision: 1, token_version: 4, ..AccountGate::default() };
    lossy.lose(1);
    assert_eq!(ledger.put_gate(&account, &gate).await.unwrap(), None);
    assert_eq!(lossy.left(), 0);
    assert_eq!(
        ledger.put_gate(&account, &gate).await.unwrap(),
        Some(gate),
        "the same again is another write"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_of_the_month_whose_answer_was_lost_is_taken_once() {
    let (ledger, lossy) = ledger().await;
    for used in 1..=2 {
        lossy.lose(1);
        assert!(ledger.take_month("2026-11", 2).await.unwrap(), "the last one too");
        assert_eq!((lossy.left(), ledger.month_used("2026-11").await.unwrap()), (0, used));
    }
    assert!(!ledger.take_month("2026-11", 2).await.unwrap());
}
