//! The token's end: somebody is told before it comes.

use super::Round;
use crate::ports::{Host, Reader, SweepLedger};
use crate::pulse::raise;
use openreply_domain::gate::HoldReason;
use openreply_domain::pulse::Alert;

impl<H, R> Round<'_, H, R>
where
    H: Host<Ledger: SweepLedger>,
    R: Reader,
{
    /// One alert for each notice. Of a token that is known to be dead, its hold tells already.
    pub(super) async fn tell_of_the_tokens_end(&self) {
        let now = self.now();
        if self.gate.standing(now).is_some_and(|hold| hold.reason == HoldReason::TokenDead) {
            return;
        }
        if let Some(alert) = Alert::token_ending(self.id(), &self.account.token, now) {
            raise(self.ledger(), self.host().facts(), alert, now).await;
        }
    }
}
