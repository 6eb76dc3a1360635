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
        "RequestExpired" | "RequestTimeTooSkewed" | "SignatureDoesNotMatch" | "InvalidSignatureException"
            if code.starts_with("RequestTime") || code == "RequestExpired" || speaks_of_time(message) =>
        {
            Failure::transient(code, "the signature's time had passed; check the clock if it stays so")
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

/// "Signature expired: …" and "Signature not yet current: …", not "The request signature we calculated …".
fn speaks_of_time(message: &str) -> bool {
    message.contains("expired") || message.contains("not yet current")
}
