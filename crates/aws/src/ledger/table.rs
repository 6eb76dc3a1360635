//! The table itself: its keys and indexes, as the stack's template declares them too.

use super::failed;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType, TableStatus, TimeToLiveSpecification,
};
use openreply_app::ports::LedgerError;
use std::time::Duration;

/// An attribute that is part of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// Text or number.
    pub kind: ScalarAttributeType,
}

/// A hash key and a range key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPair {
    /// What names the partition.
    pub hash: Attribute,
    /// What orders it.
    pub range: Attribute,
}

/// An index. It copies the keys, and little else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Its key.
    pub key: KeyPair,
    /// What it copies beside the keys.
    pub copies: &'static [&'static str],
}

const fn text(name: &'static str) -> Attribute {
    Attribute { name, kind: ScalarAttributeType::S }
}

const fn number(name: &'static str) -> Attribute {
    Attribute { name, kind: ScalarAttributeType::N }
}

/// The table's key.
pub const KEY: KeyPair = KeyPair { hash: text("pk"), range: text("sk") };
/// What waits or is taken, by the time at which somebody should look. Sparse.
pub const DUE: Index =
    Index { name: "due", key: KeyPair { hash: text("due_pk"), range: number("due_at") }, copies: &[] };
/// The attribute of a Send that says whom it is to.
pub(super) const USER: &str = "user";
/// Every Send, by the time its trigger was first seen. Whom it is to never changes, so a copy costs no write.
pub const LOG: Index =
    Index { name: "log", key: KeyPair { hash: text("log_pk"), range: number("log_at") }, copies: &[USER] };
/// When a row may be forgotten, in seconds since the epoch.
pub const EXPIRES_AT: &str = "expires_at";

const CREATE: &str = "create the table";

/// Makes the table where there is none, for a database that no template manages. Waits until it may be used.
///
/// # Errors
/// When it could not be made.
pub async fn create_table(client: &Client, name: &str) -> Result<(), LedgerError> {
    let pairs = [&KEY, &DUE.key, &LOG.key];
    let attributes = pairs.iter().flat_map(|pair| [&pair.hash, &pair.range]).map(|attribute| {
        AttributeDefinition::builder()
            .attribute_name(attribute.name)
            .attribute_type(attribute.kind.clone())
            .build()
    });
    let attributes = attributes.collect::<Result<Vec<_>, _>>().map_err(super::unbuildable(CREATE))?;
    let created = client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .set_attribute_definitions(Some(attributes))
        .set_key_schema(Some(schema(&KEY)?))
        .set_global_secondary_indexes(Some(vec![index(&DUE)?, index(&LOG)?]))
        .send()
        .await;
    match created {
        Ok(_) => {}
        Err(error) if error.as_service_error().is_some_and(|e| e.is_resource_in_use_exception()) => {
            return wait_until_active(client, name).await;
        }
        Err(error) => return Err(failed(CREATE)(error)),
    }
    wait_until_active(client, name).await?;
    let lifetime = TimeToLiveSpecification::builder()
        .attribute_name(EXPIRES_AT)
        .enabled(true)
        .build()
        .map_err(super::unbuildable(CREATE))?;
    client
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(lifetime)
        .send()
        .await
        .map_err(failed(CREATE))?;
    Ok(())
}

fn schema(pair: &KeyPair) -> Result<Vec<KeySchemaElement>, LedgerError> {
    [(&pair.hash, KeyType::Hash), (&pair.range, KeyType::Range)]
        .into_iter()
        .map(|(attribute, kind)| {
            KeySchemaElement::builder().attribute_name(attribute.name).key_type(kind).build()
        })
        .collect::<Result<_, _>>()
        .map_err(super::unbuildable(CREATE))
}

fn index(index: &Index) -> Result<GlobalSecondaryIndex, LedgerError> {
    let projection = if index.copies.is_empty() {
        Projection::builder().projection_type(ProjectionType::KeysOnly)
    } else {
        let copies = index.copies.iter().map(|name| (*name).to_owned()).collect();
        Projection::builder().projection_type(ProjectionType::Include).set_non_key_attributes(Some(copies))
    };
    GlobalSecondaryIndex::builder()
        .index_name(index.name)
        .set_key_schema(Some(schema(&index.key)?))
        .projection(projection.build())
        .build()
        .map_err(super::unbuildable(CREATE))
}

/// A new table takes some seconds on AWS.
async fn wait_until_active(client: &Client, name: &str) -> Result<(), LedgerError> {
    for _ in 0..60 {
        let described = client.describe_table().table_name(name).send().await.map_err(failed(CREATE))?;
        if described.table.and_then(|table| table.table_status) == Some(TableStatus::Active) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err(LedgerError::Transient { action: CREATE, cause: "it is still being made".to_owned() })
}
