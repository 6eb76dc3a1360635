//! What an AWS call that failed means: may it work later, and what should a person do?
//!
//! The words never hold an item, a body or a secret: a service's own message is quoted only where it names
//! nothing but permissions.

use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};
use openreply_app::ports::LedgerError;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Whether it may work later as it is.
    pub(crate) transient: bool,
    /// The service's code, or what happened on the way.
    pub(crate) code: String,
    /// What to do about it.
    pub(crate) hint: String,
}

impl Failure {
    /// What a failed call means.
    pub(crate) fn of<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> Self {
        match error {
            SdkError::TimeoutError(_) => Self::transient("Timeout", "AWS did not answer in time"),
            SdkError::DispatchFailure(_) => Self::transient(
                "DispatchFailure",
                "AWS could not be reached; check the network, the region and the credentials if it stays so",
            ),
            SdkError::ResponseError(context) => {
                let status = context.raw().status().as_u16();
                Self::transient("ResponseError", &format!("the answer could not be read (HTTP {status})"))
            }
            SdkError::ServiceError(context) => {
                let error = context.err();
                let status = context.raw().status().as_u16();
                judge(error.code().unwrap_or(""), status, error.message().unwrap_or(""))
            }
            // The kinds that the SDK may add are unknown, and so is what they leave behind.
            SdkError::ConstructionFailure(_) => Self::permanent(
                "ConstructionFailure",
                "the request could not be made; check the region and the credentials",
            ),
            _ => Self::transient("Unknown", "the AWS SDK reports a failure of a new kind"),
        }
    }

    fn transient(code: &str, hint: &str) -> Self {
        Self { transient: true, code: code.to_owned(), hint: hint.to_owned() }
    }

    fn permanent(code: &str, hint: &str) -> Self {
        Self { transient: false, code: code.to_owned(), hint: hint.to_owned() }
    }

    /// As the ledger reports it.
    pub(crate) fn of_ledger(self, action: &'static str) -> LedgerError {
        let Self { transient, code, hint } = self;
        let cause = format!("{code}: {hint}");
        if transient {
            LedgerError::Transient { action, cause }
        } else {
            LedgerError::Permanent { action, cause }
        }
    }
}

/// What an error code of a service means. `status` decides where the code is not known.
pub(crate) fn judge(code: &str, status: u16, message: &str) -> Failure {
    match code {
        "ThrottlingException"
        | "Throttling"
        | "ThrottlingError"
        | "RequestThrottled"
        | "RequestLimitExceeded"
        | "ProvisionedThroughputExceededException"
        | "ProvisionedThroughputExceeded"
        | "KmsThrottled" => {
            Failure::transient(code, "AWS is limiting calls; nothing to do unless it stays so")
        }
        "TransactionConflictException" | "TransactionConflict" | "TransactionInProgressException" => {
            Failure::transient(code, "another write to the same item was under way")
        }
        // The first call after a thaw is signed with the time of the freeze.
        "RequestExpired" | "RequestTimeTooSkewed" => Failure::transient(code, CLOCK),
        "InvalidSignatureException" | "SignatureDoesNotMatch" if speaks_of_time(message) => {
            Failure::transient(code, CLOCK)
        }
        "AccessDeniedException" | "AccessDenied" => Failure::permanent(
            code,
            &format!("a permission is missing ({message}); deploy the stack's template again"),
        ),
        "UnrecognizedClientException"
        | "InvalidClientTokenId"
        | "InvalidSignatureException"
        | "SignatureDoesNotMatch"
        | "MissingAuthenticationToken" => {
            Failure::permanent(code, "AWS does not know these credentials; sign in again")
        }
        "ExpiredTokenException" | "ExpiredToken" => {
            Failure::permanent(code, "the AWS credentials have expired; sign in again")
        }
        "ResourceNotFoundException" => Failure::permanent(
            code,
            "there is no such table; check the stack's name, the region, and that the stack is deployed",
        ),
        "AWS.SimpleQueueService.NonExistentQueue" | "QueueDoesNotExist" => Failure::permanent(
            code,
            "there is no such queue; check the stack's name, the region, and that the stack is deployed",
        ),
        "ValidationException" => Failure::permanent(
            code,
            "AWS refused the request as wrong: this is a fault of OpenReply, or the table is not the template's",
        ),
        "ItemCollectionSizeLimitExceededException" => Failure::permanent(code, "the item is too large"),
        "" if status == 429 || status >= 500 => {
            Failure::transient(&format!("HTTP {status}"), "AWS has trouble; nothing to do unless it stays so")
        }
        "" => Failure::permanent(&format!("HTTP {status}"), "AWS refused the request without saying why"),
        _ if status == 429 || status >= 500 => {
            Failure::transient(code, "AWS has trouble; nothing to do unless it stays so")
        }
        _ => Failure::permanent(code, "AWS refused the request"),
    }
}

const CLOCK: &str = "the signature's time had passed; check the machine's clock if it stays so";

/// "Signature expired: …" and "Signature not yet current: …", not "The request signature we calculated …".
fn speaks_of_time(message: &str) -> bool {
    message.contains("expired") || message.contains("not yet current")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_and_what_needs_a_person() {
        let cases = [
            ("ThrottlingException", 400, "", true),
            ("ProvisionedThroughputExceededException", 400, "", true),
            ("RequestLimitExceeded", 400, "", true),
            ("RequestThrottled", 403, "", true),
            ("TransactionConflictException", 400, "", true),
            ("TransactionConflict", 400, "", true),
            ("TransactionInProgressException", 400, "", true),
            ("InternalServerError", 500, "", true),
            ("InternalFailure", 500, "", true),
            ("ServiceUnavailable", 503, "", true),
            ("SomethingNew", 502, "", true),
            ("", 500, "", true),
            ("", 429, "", true),
            (
                "InvalidSignatureException",
                400,
                "Signature expired: 20261130T160000Z is now earlier than …",
                true,
            ),
            ("InvalidSignatureException", 400, "Signature not yet current: …", true),
            ("RequestExpired", 400, "", true),
            ("InvalidSignatureException", 400, "The request signature we calculated does not match …", false),
            ("UnrecognizedClientException", 400, "", false),
            ("ExpiredTokenException", 400, "", false),
            ("AccessDeniedException", 400, "", false),
            ("ResourceNotFoundException", 400, "", false),
            ("ValidationException", 400, "", false),
            ("AWS.SimpleQueueService.NonExistentQueue", 400, "", false),
            ("SomethingNew", 400, "", false),
            ("", 404, "", false),
        ];
        for (code, status, message, transient) in cases {
            let failure = judge(code, status, message);
            assert_eq!(failure.transient, transient, "{code} {status} {message}");
            assert!(!failure.hint.is_empty() && !failure.code.is_empty(), "{code} {status}");
        }
    }

    #[test]
    fn only_a_missing_permission_is_quoted() {
        let hint = |code| judge(code, 400, "arn:aws:iam::1:role/x may not dynamodb:PutItem").hint;
        assert!(hint("AccessDeniedException").contains("dynamodb:PutItem"));
        for code in
            ["ValidationException", "ResourceNotFoundException", "SomethingNew", "ThrottlingException"]
        {
            assert!(!hint(code).contains("dynamodb"), "{code}");
        }
    }
}
