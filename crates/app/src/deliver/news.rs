//! What the world is told of deliveries, once the ledger has it.

use super::Deliver;
use crate::ports::{Fact, Facts, Host, Messenger, Outbound};
use crate::pulse::raise;
use openreply_domain::gate::Hold;
use openreply_domain::ids::AccountId;
use openreply_domain::outcome::SendOutcome;
use openreply_domain::pulse::Alert;
use openreply_domain::send::{Send, SendKey};
use openreply_domain::time::Timestamp;

impl<H: Host> Deliver<H> {
    /// What a Send says that was just written. One that waits is no news.
    pub(super) async fn tell(&self, written: &Send) {
        if let Some(fact) = Fact::of(written) {
            self.host.facts().report(self.now(), &fact).await;
        }
    }

    /// That nothing was sent again.
    pub(super) async fn tell_duplicate(&self, key: &SendKey) {
        self.host.facts().report(self.now(), &Fact::DuplicateRefused { key: key.clone() }).await;
    }

    /// How long messages waited on the queue that came off it for the first time, by when each was put there.
    pub async fn tell_received(&self, sent_at: &[Timestamp]) {
        let now = self.now();
        let waited = sent_at.iter().map(|sent_at| now.duration_since(*sent_at)).collect();
        self.host.facts().report(now, &Fact::Received { waited }).await;
    }

    /// Makes the call, and tells how long it took.
    pub(super) async fn call(&self, key: &SendKey, message: Outbound) -> SendOutcome {
        let began = self.now();
        let outcome = self.host.messenger().send(message).await;
        let now = self.now();
        self.host
            .facts()
            .report(now, &Fact::Called { key: key.clone(), took: now.duration_since(began) })
            .await;
        outcome
    }

    /// That an account's hold was written: one alert for each hold.
    pub(super) async fn tell_held(&self, account: &AccountId, hold: &Hold) {
        let now = self.now();
        let fact = Fact::AccountHeld { account: account.clone(), hold: hold.clone() };
        self.host.facts().report(now, &fact).await;
        raise(self.host.ledger(), self.host.facts(), Alert::account_held(account, hold), now).await;
    }

    /// That somebody was to get more messages than anybody gets: one alert an hour.
    pub(super) async fn tell_fuse(&self, account: &AccountId) {
        let now = self.now();
        raise(self.host.ledger(), self.host.facts(), Alert::fuse(account, now), now).await;
    }

    /// That the app's hold was written.
    pub(super) async fn tell_app_held(&self, hold: &Hold) {
        raise(self.host.ledger(), self.host.facts(), Alert::app_held(hold), self.now()).await;
    }
}
