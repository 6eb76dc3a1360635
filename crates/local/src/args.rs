//! What the local runner is told on its command line and by its environment.

use clap::Parser;
use openreply_domain::links::LinksBase;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Runs the whole of OpenReply in one process: the webhook and consumer functions over an embedded DynamoDB, a
/// queue with the rules of SQS FIFO, and a fake Instagram. Needs no AWS, no Docker and no account.
#[derive(Debug, Parser)]
#[command(name = "openreply-local", version)]
pub(crate) struct Args {
    /// Where to listen. Only on this machine: the /_local paths are for nobody else.
    #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDRESS")]
    pub(crate) listen: SocketAddr,

    /// The campaign file (YAML or JSON). Without it, a demo file is used.
    #[arg(long, value_name = "FILE")]
    pub(crate) campaigns: Option<PathBuf>,

    /// Another Graph API than the fake one: its base URL, without the version.
    #[arg(long, value_name = "URL")]
    pub(crate) graph_url: Option<String>,

    /// The version in the Graph API's paths.
    #[arg(long, default_value = "v25.0", value_name = "VERSION")]
    pub(crate) graph_version: String,

    /// Where tracked links are served: what stands before `/r/…`. Without it they are served here, and with another
    /// Graph API there are none: real people cannot open an address of this machine.
    #[arg(long, value_name = "URL")]
    pub(crate) links_base: Option<String>,

    /// Private replies of one account in any rolling hour.
    #[arg(long, default_value_t = 750, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hourly_limit: u32,

    /// Direct messages in a calendar month (UTC). 0: no limit.
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub(crate) monthly_limit: u32,

    /// Where everything is kept, over a restart and over a kill. `:memory:` keeps nothing.
    #[arg(long, default_value = ".openreply", value_name = "DIR")]
    pub(crate) data: PathBuf,
}

impl Args {
    /// Where tracked links are served, for a runner that listens at `address`.
    pub(crate) fn tracked_links(&self, address: SocketAddr) -> Result<Option<LinksBase>, String> {
        match (&self.links_base, &self.graph_url) {
            (Some(base), _) => {
                LinksBase::parse(base).map(Some).map_err(|error| format!("--links-base: {error}"))
            }
            (None, Some(_)) => Ok(None),
            (None, None) => {
                LinksBase::parse(&format!("http://{address}")).map(Some).map_err(|e| e.to_string())
            }
        }
    }

    /// The folder to keep things in; `None` for `--data :memory:`.
    pub(crate) fn data_dir(&self) -> Option<&PathBuf> {
        (self.data.as_os_str() != ":memory:").then_some(&self.data)
    }
}

/// The app secrets and the verify token, and which of them are the demo's own.
#[derive(Debug)]
pub(crate) struct Secrets {
    /// `INSTAGRAM_APP_SECRET`
    pub(crate) instagram: String,
    /// `FACEBOOK_APP_SECRET`
    pub(crate) facebook: Option<String>,
    /// `WEBHOOK_VERIFY_TOKEN`
    pub(crate) verify_token: String,
    /// The variables that are not set, with the demo value used instead.
    pub(crate) demo: Vec<(&'static str, &'static str)>,
}

const DEMO_APP_SECRET: &str = "demo-instagram-app-secret";
const DEMO_FACEBOOK_SECRET: &str = "demo-facebook-app-secret";
const DEMO_VERIFY_TOKEN: &str = "demo-verify-token";

impl Secrets {
    /// Reads the environment. A variable that is set and empty, or padded, is a mistake and not a wish for the
    /// demo value.
    pub(crate) fn read(env: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let mut demo = Vec::new();
        let mut read = |name: &'static str, fallback: &'static str| match env(name) {
            None => {
                demo.push((name, fallback));
                Ok(fallback.to_owned())
            }
            Some(value) if value.is_empty() || value.trim() != value => Err(format!(
                "the environment variable {name} is set, but empty or padded with white space; set it to the secret itself, or unset it to use a demo value"
            )),
            Some(value) => Ok(value),
        };
        let instagram = read("INSTAGRAM_APP_SECRET", DEMO_APP_SECRET)?;
        let facebook = Some(read("FACEBOOK_APP_SECRET", DEMO_FACEBOOK_SECRET)?);
        let verify_token = read("WEBHOOK_VERIFY_TOKEN", DEMO_VERIFY_TOKEN)?;
        Ok(Self { instagram, facebook, verify_token, demo })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openreply_domain::ids::{AccountId, CampaignId};
    use openreply_domain::links::Slug;

    #[test]
    fn links_are_tracked_here_unless_they_go_to_real_people() {
        let slug =
            Slug::of(&AccountId::parse("1").unwrap(), &CampaignId::parse("a").unwrap(), "https://a.b/");
        for (flags, wanted) in [
            (&[][..], Ok(Some("http://127.0.0.1:3000"))),
            (&["--links-base", "https://tunnel.example/"], Ok(Some("https://tunnel.example"))),
            (&["--graph-url", "https://graph.instagram.com"], Ok(None)),
            (
                &["--graph-url", "https://graph.instagram.com", "--links-base", "https://tunnel.example"],
                Ok(Some("https://tunnel.example")),
            ),
            (&["--links-base", "http://tunnel.example"], Err("--links-base: ")),
        ] {
            let args = Args::try_parse_from([&["openreply-local"][..], flags].concat()).unwrap();
            match (args.tracked_links("127.0.0.1:3000".parse().unwrap()), wanted) {
                (Ok(base), Ok(wanted)) => {
                    let url = base.map(|base| base.url(&slug));
                    assert_eq!(url, wanted.map(|wanted| format!("{wanted}/r/{slug}")), "{flags:?}");
                }
                (Err(error), Err(wanted)) => assert!(error.starts_with(wanted), "{error}"),
                (found, wanted) => panic!("{flags:?}: {found:?}, not {wanted:?}"),
            }
        }
    }
}
