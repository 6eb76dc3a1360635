//! Reading many rows by key: consistently and completely, or not at all.

use super::{DynamoLedger, Item, failed, unbuildable};
use aws_sdk_dynamodb::types::KeysAndAttributes;
use openreply_app::ports::LedgerError;
use std::time::Duration;

/// What one `BatchGetItem` takes.
const MAX_KEYS: usize = 100;
/// How often the rest is asked for that DynamoDB did not get to.
const MAX_ROUNDS: u32 = 6;
/// The pause before the second round; it doubles with every further one.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

impl DynamoLedger {
    /// The rows that exist of these keys, in any order. No key may come twice.
    pub(super) async fn read_all(
        &self,
        action: &'static str,
        keys: &[Item],
    ) -> Result<Vec<Item>, LedgerError> {
        let mut items = Vec::with_capacity(keys.len());
        for some in keys.chunks(MAX_KEYS) {
            let mut wanted = some.to_vec();
            for round in 0.. {
                let (found, left) = self.read_once(action, wanted).await?;
                items.extend(found);
                wanted = left;
                if wanted.is_empty() {
                    break;
                }
                if round + 1 == MAX_ROUNDS {
                    let cause = format!("DynamoDB left {} of {} keys unread", wanted.len(), keys.len());
                    return Err(LedgerError::Transient { action, cause });
                }
                tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(round)).await;
            }
        }
        Ok(items)
    }

    /// What was found, and the keys that DynamoDB did not get to.
    async fn read_once(
        &self,
        action: &'static str,
        keys: Vec<Item>,
    ) -> Result<(Vec<Item>, Vec<Item>), LedgerError> {
        let wanted = KeysAndAttributes::builder()
            .set_keys(Some(keys))
            .consistent_read(true)
            .build()
            .map_err(unbuildable(action))?;
        let answer = self
            .client
            .batch_get_item()
            .request_items(&self.table, wanted)
            .send()
            .await
            .map_err(failed(action))?;
        // Under the table's name or its ARN: only one table was asked.
        let found = answer.responses.into_iter().flatten().flat_map(|(_, items)| items).collect();
        let left = answer.unprocessed_keys.into_iter().flatten().flat_map(|(_, rest)| rest.keys).collect();
        Ok((found, left))
    }
}
