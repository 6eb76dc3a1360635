//! The contract of tracked links.

use crate::aws;
use aws_sdk_dynamodb::Client;
use openreply_aws::{DynamoLedger, create_table};
use openreply_testkit::links_contract;
use openreply_testkit::memory::MemoryLedger;

async fn table_at(url: &str) -> DynamoLedger {
    let client = Client::new(&aws::config(url).await);
    let name = aws::unique("links");
    create_table(&client, &name).await.unwrap();
    DynamoLedger::new(client, name)
}

mod in_memory {
    use super::{MemoryLedger, links_contract};

    async fn make() -> Option<MemoryLedger> {
        Some(MemoryLedger::default())
    }

    links_contract! { make }
}

mod on_embedded_dynamodb {
    use super::{DynamoLedger, aws, links_contract, table_at};

    async fn make() -> Option<DynamoLedger> {
        Some(table_at(&format!("http://{}", aws::dynamo().await)).await)
    }

    links_contract! { make }
}

mod on_the_emulator {
    use super::{DynamoLedger, aws, links_contract, table_at};

    async fn make() -> Option<DynamoLedger> {
        Some(table_at(&aws::emulator()?).await)
    }

    links_contract! { make }
}
