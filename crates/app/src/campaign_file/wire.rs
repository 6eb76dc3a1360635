//! The keys of a campaign file. Their descriptions, limits and examples are what the schema tells an editor.
//!
//! To add a key, add it here and check it in [`super::check`].

use super::document::Node;
use super::limits;
use super::problem::{Problems, Reported};
use super::reading::{List, Read, keys};
use openreply_domain::rendering::MAX_REPLY_CHARS;
use schemars::JsonSchema;
use secrecy::SecretString;

/// A campaign that listens to every post.
pub(super) const POST_ANY: &str = "any";
/// A campaign that waits for the next reel.
pub(super) const POST_NEXT_REEL: &str = "next_reel";

keys! {
    /// The accounts that OpenReply answers for, and what each of them answers. Of several campaigns that
    /// match a comment, the one that stands first sends the direct message.
    #[schemars(title = "OpenReply campaign file")]
    "a campaign file" File {
        /// The Instagram accounts.
        #[schemars(length(min = 1))]
        "accounts" accounts: List<Account>,

        /// The campaigns, in the order in which they are tried. A campaign that is taken out of the file
        /// becomes inactive.
        "campaigns" campaigns: List<Campaign>,

        /// Where this schema is, for editors. It is not read.
        #[schemars(default)]
        "$schema" schema: String,
    }
}

keys! {
    /// An Instagram professional account, with exactly one of `token` and `token_env`.
    #[schemars(extend("oneOf" = [{ "required": ["token"] }, { "required": ["token_env"] }]))]
    "an account" Account {
        /// Its id: what `/me` of the Graph API returns as `user_id`, and what webhooks carry as `entry.id`.
        #[schemars(
            regex(pattern = ID_PATTERN),
            extend("type" = ["string", "integer"]),
            example = "17841400000000001"
        )]
        "id" id: String,

        /// Its user name, without @.
        #[schemars(regex(pattern = USERNAME_PATTERN), example = &"bakery")]
        "username" username: String,

        /// Its access token. It is sealed when it is stored. In a file that others can read, use `token_env`.
        #[schemars(default, with = "String", regex(pattern = TOKEN_PATTERN), example = "IGAA…")]
        "token" token: SecretString,

        /// The environment variable that holds its access token when the file is applied.
        #[schemars(default, regex(pattern = VARIABLE_PATTERN), example = &"BAKERY_TOKEN")]
        "token_env" token_env: String,
    }
}

keys! {
    /// What an account listens to, and what it answers.
    #[schemars(extend(
        "if" = { "properties": { "match": { "const": "any_word" } }, "required": ["match"] },
        "then" = { "properties": { "keywords": { "maxItems": 0 } } },
        "else" = { "properties": { "keywords": { "minItems": 1 } }, "required": ["keywords"] },
    ))]
    "a campaign" Campaign {
        /// Its id. It must not change while the campaign runs: under it the campaign is known everywhere.
        #[schemars(regex(pattern = CAMPAIGN_ID_PATTERN), example = &"guide")]
        "id" id: String,

        /// The id of the account that it belongs to.
        #[schemars(
            regex(pattern = ID_PATTERN),
            extend("type" = ["string", "integer"]),
            example = "17841400000000001"
        )]
        "account" account: String,

        /// What people call it. Left out, it is called by its id.
        #[schemars(default, length(min = 1, max = limits::NAME_CHARS), example = "Free guide")]
        "name" name: String,

        /// Which posts it listens to: `any`, `next_reel` (the first reel that is published from now on; until
        /// then it meets no comment) or the id of a post.
        #[schemars(
            default,
            regex(pattern = POST_PATTERN),
            extend("type" = ["string", "integer"], "default" = POST_ANY),
            example = POST_ANY, example = POST_NEXT_REEL, example = "17900000000000001"
        )]
        "post" post: String,

        /// The words that it listens to, in any script. Case, accents on Latin letters and white space make
        /// no difference.
        #[schemars(
            default,
            length(max = limits::KEYWORDS),
            extend("examples" = [["LINK", "guía"]])
        )]
        "keywords" keywords: List<Keyword>,

        /// How keywords are looked for: as whole words, as part of any word, or not at all because every
        /// comment counts.
        #[schemars(
            default,
            extend("enum" = super::check::MATCH_MODES.map(|(word, _)| word), "default" = "whole_word")
        )]
        "match" match_mode: String,

        /// The direct message. `{username}` becomes the name of the person, `{link}`, `{link2}` and `{link3}`
        /// the links; without `{link}` the first link follows the text. With its longest link at most 1000
        /// bytes of UTF-8.
        #[schemars(length(min = 1), example = "Hi {username}! Here it is: {link}")]
        "dm" dm: String,

        /// The links of the direct message.
        #[schemars(default, length(max = limits::LINKS))]
        "links" links: List<Link>,

        /// Variations of a public reply to the comment, one of which is published. None: no public reply.
        /// `{username}` becomes the name of the person.
        #[schemars(
            default,
            length(max = limits::PUBLIC_REPLIES),
            inner(length(min = 1, max = MAX_REPLY_CHARS)),
            extend("examples" = [["Sent! Check your DMs", "In your inbox"]])
        )]
        "public_replies" public_replies: List<String>,

        /// Whether it takes comments.
        #[schemars(default, extend("default" = true))]
        "active" active: bool,

        /// Whether comments of the last 72 hours that were written before the campaign became active are answered
        /// too.
        #[schemars(default, extend("default" = false))]
        "backfill" backfill: bool,
    }
}

/// A keyword as it was written: `123` and `yes` without quotes are words too.
#[derive(JsonSchema)]
#[schemars(inline)]
pub(super) struct Keyword(
    #[schemars(length(min = 1, max = limits::KEYWORD_CHARS), extend("type" = ["string", "number", "boolean"]))]
    pub(super) String,
);

impl Read for Keyword {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        String::read(node, key, problems).map(Self)
    }
}

keys! {
    /// A link.
    "a link" Link {
        /// Where it leads.
        #[schemars(regex(pattern = "^https://"), example = "https://example.com/guide")]
        "url" url: String,

        /// What a button for it says.
        #[schemars(default, length(min = 1, max = limits::LABEL_CHARS), example = "Open the guide")]
        "label" label: String,
    }
}

/// Letters, digits and a little punctuation, with one digit at least.
const ID_PATTERN: &str = "^(?=.*[0-9])[A-Za-z0-9_.:=+$-]{1,256}$";
const POST_PATTERN: &str = "^(any|next_reel|(?=.*[0-9])[A-Za-z0-9_.:=+$-]{1,256})$";
const CAMPAIGN_ID_PATTERN: &str = "^[a-z0-9-]{1,64}$";
const USERNAME_PATTERN: &str = "^[A-Za-z0-9._]{1,30}$";
const TOKEN_PATTERN: &str = "^[!-~]+$";
const VARIABLE_PATTERN: &str = "^[A-Z_][A-Z0-9_]{0,63}$";
