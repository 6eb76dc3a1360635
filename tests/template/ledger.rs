//! The ledger's table: it outlives mistakes, and its keys are those that the code writes.

use super::{resources, template};
use openreply_aws::ledger::{DUE, EXPIRES_AT, Index, KEY, KeyPair, LOG};
use serde_json::{Value, json};

fn the_table(template: &Value) -> &Value {
    let tables = resources(template, "AWS::DynamoDB::Table");
    assert_eq!(tables.len(), 1, "the ledger is one table");
    tables[0].1
}

fn key(attribute: &str, kind: &str) -> Value {
    json!({ "AttributeName": attribute, "KeyType": kind })
}

#[test]
fn the_ledger_outlives_its_stack_and_can_be_taken_back_in_time() {
    let template = template();
    let table = the_table(&template);
    assert_eq!(table["DeletionPolicy"], "Retain");
    assert_eq!(table["UpdateReplacePolicy"], "Retain");
    assert_eq!(
        table["Properties"]["PointInTimeRecoverySpecification"],
        json!({ "PointInTimeRecoveryEnabled": true })
    );
}

#[test]
fn the_ledger_is_encrypted_paid_by_request_and_forgets_by_time() {
    let template = template();
    let table = &the_table(&template)["Properties"];
    assert_eq!(table["SSESpecification"], json!({ "SSEEnabled": true }));
    assert_eq!(table["BillingMode"], "PAY_PER_REQUEST");
    assert_eq!(table["TimeToLiveSpecification"], json!({ "AttributeName": "expires_at", "Enabled": true }));
}

/// As the code makes the table where no template does.
fn schema(pair: &KeyPair) -> Value {
    json!([key(pair.hash.name, "HASH"), key(pair.range.name, "RANGE")])
}

#[test]
fn the_keys_are_those_of_the_code() {
    let template = template();
    let table = &the_table(&template)["Properties"];
    assert_eq!(table["KeySchema"], schema(&KEY));
    let attributes: Vec<Value> = [&KEY, &DUE.key, &LOG.key]
        .into_iter()
        .flat_map(|pair| [&pair.hash, &pair.range])
        .map(|attribute| json!({ "AttributeName": attribute.name, "AttributeType": attribute.kind.as_str() }))
        .collect();
    assert_eq!(table["AttributeDefinitions"], json!(attributes));
    assert_eq!(table["TimeToLiveSpecification"]["AttributeName"], EXPIRES_AT);
}

#[test]
fn the_indexes_are_those_of_the_code_and_copy_what_it_says() {
    let template = template();
    let index = |index: &Index| {
        let projection = if index.copies.is_empty() {
            json!({ "ProjectionType": "KEYS_ONLY" })
        } else {
            json!({ "ProjectionType": "INCLUDE", "NonKeyAttributes": index.copies })
        };
        json!({
            "IndexName": index.name,
            "KeySchema": schema(&index.key),
            "Projection": projection,
        })
    };
    assert_eq!(
        the_table(&template)["Properties"]["GlobalSecondaryIndexes"],
        json!([index(&DUE), index(&LOG)])
    );
}
