//! The embedded DynamoDB: the ledger's table behind DynamoDB's own API, and a small table of the runner's own.
//!
//! Everything that was written is there again after a restart and after a kill. The runner does not wait for
//! the disk on each write: what a power cut could lose is a demo's last moments.

use aws_credential_types::Credentials;
use aws_sdk_dynamodb::config::{BehaviorVersion, Region};
use dynoxide::actions::{delete_item::DeleteItemRequest, put_item::PutItemRequest, query::QueryRequest};
use dynoxide::{AttributeValue, Database};
use serde::{Serialize, de::DeserializeOwned};
use std::collections::HashMap;
use std::path::Path;
use tokio::net::TcpListener;

/// The name of the ledger's table.
pub(crate) const LEDGER_TABLE: &str = "openreply-ledger";
const OWN_TABLE: &str = "openreply-local";

/// The database, open.
#[derive(Clone)]
pub(crate) struct Store {
    db: Database,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Store")
    }
}

/// The embedded database failed.
#[derive(Debug, thiserror::Error)]
#[error("the local database failed while {doing}: {cause}")]
pub(crate) struct StoreError {
    doing: &'static str,
    cause: String,
}

fn failed<E: std::fmt::Display>(doing: &'static str) -> impl Fn(E) -> StoreError {
    move |cause| StoreError { doing, cause: cause.to_string() }
}

impl Store {
    /// Opens the database in a file, or in memory.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, StoreError> {
        let db = match file {
            Some(file) => Database::new(&file.to_string_lossy()),
            None => Database::memory(),
        };
        let db = db.map_err(failed("opening it"))?;
        db.enable_bulk_loading().map_err(failed("opening it"))?;
        Ok(Self { db })
    }

    /// Serves DynamoDB's API on a port of its own and makes the tables. Returns a client of it.
    pub(crate) async fn serve(&self) -> Result<aws_sdk_dynamodb::Client, StoreError> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(failed("listening"))?;
        let address = listener.local_addr().map_err(failed("listening"))?;
        tokio::spawn(dynoxide::server::serve_on(listener, self.db.clone()));
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("local"))
            .credentials_provider(Credentials::new("local", "local", None, None, "local"))
            .endpoint_url(format!("http://{address}"))
            .build();
        let client = aws_sdk_dynamodb::Client::from_conf(config);
        let known = client.list_tables().send().await.map_err(failed("listing the tables"))?;
        let known = known.table_names();
        if !known.iter().any(|name| name == LEDGER_TABLE) {
            openreply_aws::create_table(&client, LEDGER_TABLE)
                .await
                .map_err(failed("making the ledger's table"))?;
        }
        if !known.iter().any(|name| name == OWN_TABLE) {
            openreply_aws::create_table(&client, OWN_TABLE).await.map_err(failed("making its own table"))?;
        }
        Ok(client)
    }

    /// Keeps a value under a name of its kind.
    pub(crate) fn put(&self, kind: &str, name: &str, value: &impl Serialize) -> Result<(), StoreError> {
        let json = serde_json::to_string(value).map_err(failed("writing"))?;
        let mut item = key(kind, name);
        item.insert("json".to_owned(), AttributeValue::S(json));
        let request = PutItemRequest { table_name: OWN_TABLE.to_owned(), item, ..Default::default() };
        self.db.put_item(request).map_err(failed("writing"))?;
        Ok(())
    }

    /// Forgets a value.
    pub(crate) fn delete(&self, kind: &str, name: &str) -> Result<(), StoreError> {
        let request = DeleteItemRequest {
            table_name: OWN_TABLE.to_owned(),
            key: key(kind, name),
            ..Default::default()
        };
        self.db.delete_item(request).map_err(failed("deleting"))?;
        Ok(())
    }

    /// All values of a kind, in the order of their names.
    pub(crate) fn all<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<T>, StoreError> {
        let mut values = Vec::new();
        let mut from = None;
        loop {
            let request = QueryRequest {
                table_name: OWN_TABLE.to_owned(),
                key_condition_expression: Some("pk = :kind".to_owned()),
                expression_attribute_values: Some(HashMap::from([(
                    ":kind".to_owned(),
                    AttributeValue::S(kind.to_owned()),
                )])),
                scan_index_forward: true,
                exclusive_start_key: from.take(),
                ..Default::default()
            };
            let page = self.db.query(request).map_err(failed("reading"))?;
            for item in page.items.unwrap_or_default() {
                if let Some(AttributeValue::S(json)) = item.get("json") {
                    values.push(serde_json::from_str(json).map_err(failed("reading"))?);
                }
            }
            match page.last_evaluated_key {
                Some(last) => from = Some(last),
                None => return Ok(values),
            }
        }
    }
}

fn key(kind: &str, name: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([
        ("pk".to_owned(), AttributeValue::S(kind.to_owned())),
        ("sk".to_owned(), AttributeValue::S(name.to_owned())),
    ])
}
