//! `openreply init`: the secrets that CloudFormation cannot make.

use crate::say;
use crate::stack::Stack;
use aws_sdk_ssm::error::ProvideErrorMetadata;
use aws_sdk_ssm::types::ParameterType;
use openreply_aws::SealingKey;
use openreply_aws::secrets::{Secret, SecretsPrefix};
use secrecy::{ExposeSecret, SecretString};
use std::io::{self, IsTerminal};

/// Stores each secret that is not there yet.
pub(crate) async fn init(stack: &Stack) -> Result<(), String> {
    let (client, prefix) = (stack.ssm(), stack.secrets());
    let kept = existing(&client, &prefix).await?;
    let has_app_secret =
        kept.contains(&Secret::InstagramAppSecret) || kept.contains(&Secret::FacebookAppSecret);
    let mut new = Vec::new();
    for secret in Secret::ALL {
        if kept.contains(&secret) {
            say(&format!("{}: is stored already and stays as it is", prefix.parameter(secret)));
            continue;
        }
        match value_of(secret)? {
            Some(value) => new.push((secret, value)),
            None => say(&format!("{}: left out", prefix.parameter(secret))),
        }
    }
    let given = |secret: &Secret| matches!(secret, Secret::InstagramAppSecret | Secret::FacebookAppSecret);
    if !has_app_secret && !new.iter().any(|(secret, _)| given(secret)) {
        return Err("one of the two app secrets is needed, or no webhook can be verified; find it in Meta's app dashboard (App settings, or Instagram > API setup). Nothing was stored".to_owned());
    }
    for (secret, value) in new {
        store(&client, &prefix.parameter(secret), &value).await?;
    }
    say("");
    say("Next:");
    say(&format!("  1. deploy the stack:  sam deploy --stack-name {}", stack.name()));
    say(&format!(
        "  2. put your accounts and campaigns in:  openreply apply -f campaigns.yaml --stack {}",
        stack.name()
    ));
    say(
        "  3. in Meta's app dashboard, set the webhook to the stack's output WebhookUrl, with the verify token",
    );
    say(&format!(
        "     that this prints:  aws ssm get-parameter --with-decryption --query Parameter.Value --output text --name {}",
        prefix.parameter(Secret::WebhookVerifyToken)
    ));
    Ok(())
}

/// The secrets that are stored already.
async fn existing(client: &aws_sdk_ssm::Client, prefix: &SecretsPrefix) -> Result<Vec<Secret>, String> {
    let names = Secret::ALL.map(|secret| prefix.parameter(secret)).to_vec();
    // Without decryption: whether they are there is all that matters.
    let answer = client
        .get_parameters()
        .set_names(Some(names))
        .send()
        .await
        .map_err(|error| aws_error("look up the stack's secrets", &error))?;
    let names: Vec<&str> = answer.parameters().iter().filter_map(|parameter| parameter.name()).collect();
    Ok(Secret::ALL.into_iter().filter(|secret| names.contains(&prefix.parameter(*secret).as_str())).collect())
}

/// A secret's value: asked for, or made. `None`: not needed, and not given.
fn value_of(secret: Secret) -> Result<Option<SecretString>, String> {
    match secret {
        Secret::InstagramAppSecret => ask("Instagram app secret (empty: none)"),
        Secret::FacebookAppSecret => ask("Facebook app secret (empty: none)"),
        Secret::WebhookVerifyToken | Secret::SealingKey => Ok(Some(SealingKey::generate().to_text())),
    }
}

fn ask(what: &str) -> Result<Option<SecretString>, String> {
    let failed = |error: io::Error| format!("could not read the {what}: {error}");
    let value = if io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{what}: ")).map_err(failed)?
    } else {
        say(&format!("{what}:"));
        let mut line = String::new();
        io::stdin().read_line(&mut line).map_err(failed)?;
        line.strip_suffix('\n')
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
            .unwrap_or(&line)
            .to_owned()
    };
    if value.is_empty() {
        return Ok(None);
    }
    check(&value).map_err(|why| format!("the {what} {why}. Nothing was stored"))?;
    Ok(Some(SecretString::from(value)))
}

/// A secret is one word of visible ASCII: padding is a copying mistake that would read as a bad signature later.
fn check(value: &str) -> Result<(), &'static str> {
    if value.chars().any(|c| c.is_whitespace() || c.is_control()) {
        Err("has white space or a line break in it; copy it again without")
    } else if value.ends_with('=') {
        Err("ends with padding (=), which Meta's secrets never have; copy it again")
    } else if value.bytes().all(|b| b.is_ascii_graphic()) {
        Ok(())
    } else {
        Err("has a character in it that no secret has; copy it again")
    }
}

async fn store(client: &aws_sdk_ssm::Client, name: &str, value: &SecretString) -> Result<(), String> {
    let stored = client
        .put_parameter()
        .name(name)
        .value(value.expose_secret())
        .r#type(ParameterType::SecureString)
        .overwrite(false)
        .send()
        .await;
    match stored {
        Ok(_) => say(&format!("{name}: stored")),
        // Somebody else ran this at the same time: theirs stays.
        Err(error) if error.as_service_error().is_some_and(|e| e.is_parameter_already_exists()) => {
            say(&format!("{name}: is stored already and stays as it is"));
        }
        Err(error) => return Err(aws_error(&format!("store {name}"), &error)),
    }
    Ok(())
}

fn aws_error<E: ProvideErrorMetadata + std::error::Error + 'static, R: std::fmt::Debug + 'static>(
    doing: &str,
    error: &aws_sdk_ssm::error::SdkError<E, R>,
) -> String {
    let code = error.code().unwrap_or("AWS could not be reached");
    format!(
        "could not {doing}: {code}; check your AWS credentials, region and permissions (ssm:GetParameters, ssm:PutParameter)"
    )
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_secret_with_padding_or_a_newline_is_refused() {
        assert_eq!(check("0123456789abcdef"), Ok(()));
        for value in ["abc\n", " abc", "a bc", "abc==", "ab\u{a0}c", "“abc”", "abc\r"] {
            assert!(check(value).is_err(), "{value:?}");
        }
    }
}
