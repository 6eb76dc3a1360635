//! The ledger's table: it outlives mistakes, and its keys are those that the code writes.

use super::{resources, template};
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

#[test]
fn the_keys_are_two_strings() {
    let template = template();
    let table = &the_table(&template)["Properties"];
    assert_eq!(table["KeySchema"], json!([key("pk", "HASH"), key("sk", "RANGE")]));
    let types: Vec<_> = table["AttributeDefinitions"]
        .as_array()
        .expect("definitions")
        .iter()
        .filter_map(|definition| {
            Some((definition["AttributeName"].as_str()?, definition["AttributeType"].as_str()?))
        })
        .collect();
    let expected =
        [("pk", "S"), ("sk", "S"), ("due_pk", "S"), ("due_at", "N"), ("log_pk", "S"), ("log_at", "N")];
    assert_eq!(types, expected);
}

#[test]
fn the_indexes_copy_keys_only() {
    let template = template();
    let keys_only = json!({ "ProjectionType": "KEYS_ONLY" });
    let index = |name: &str, hash: &str, range: &str| {
        let keys = [key(hash, "HASH"), key(range, "RANGE")];
        json!({ "IndexName": name, "KeySchema": keys, "Projection": keys_only })
    };
    assert_eq!(
        the_table(&template)["Properties"]["GlobalSecondaryIndexes"],
        json!([index("due", "due_pk", "due_at"), index("log", "log_pk", "log_at")])
    );
}
