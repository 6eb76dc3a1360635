//! The ledger's contract.

use crate::aws;
use aws_sdk_dynamodb::Client;
use openreply_aws::{DynamoLedger, create_table};
use openreply_testkit::memory::MemoryLedger;
use openreply_testkit::{ledger_contract, sweep_ledger_contract};

async fn table_at(url: &str) -> DynamoLedger {
    let client = Client::new(&aws::config(url).await);
    let name = aws::unique("ledger");
    create_table(&client, &name).await.unwrap();
    DynamoLedger::new(client, name)
}

mod in_memory {
    use super::{MemoryLedger, ledger_contract, sweep_ledger_contract};

    async fn make() -> Option<MemoryLedger> {
        Some(MemoryLedger::default())
    }

    ledger_contract! { make }
    sweep_ledger_contract! { make }
}

mod on_embedded_dynamodb {
    use super::{DynamoLedger, aws, ledger_contract, sweep_ledger_contract, table_at};

    async fn make() -> Option<DynamoLedger> {
        Some(table_at(&format!("http://{}", aws::dynamo().await)).await)
    }

    ledger_contract! { make }
    sweep_ledger_contract! { make }
}

mod on_the_emulator {
    use super::{DynamoLedger, aws, ledger_contract, sweep_ledger_contract, table_at};

    async fn make() -> Option<DynamoLedger> {
        Some(table_at(&aws::emulator()?).await)
    }

    ledger_contract! { make }
    sweep_ledger_contract! { make }
}
