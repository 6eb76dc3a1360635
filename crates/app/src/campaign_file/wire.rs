//! The keys of a campaign file. Their descriptions, limits and examples are what the schema tells an editor.
//!
//! To add a key, add it here and check it in [`super::check`].

use super::document::{Content, Node};
use super::limits;
use super::problem::{Problems, Reported};
use super::reading::{List, Located, Read, keys};
use openreply_domain::rendering::MAX_REPLY_CHARS;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use secrecy::SecretString;
use std::borrow::Cow;

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

        /// The day (UTC) on which its access token ends. Left out, it is taken to live 60 days from when it is
        /// stored. Somebody is told a week before.
        #[schemars(default, regex(pattern = DAY_PATTERN), example = &"2027-01-29")]
        "token_ends" token_ends: String,

        /// How people opt out of everything automated, and in again.
        #[schemars(default)]
        "opt_out" opt_out: OptOut,
    }
}

keys! {
    /// How people opt out of everything automated that an account sends, and in again.
    "an opt-out" OptOut {
        /// Who writes one of these words, and nothing else, gets nothing automated any more. Left out: STOP and
        /// its kin.
        #[schemars(default, length(min = 1, max = limits::WORDS), extend("examples" = [["STOP", "PARAR"]]))]
        "stop_words" stop_words: Words,

        /// Who writes one of these words, and nothing else, gets it again. Left out: START and its kin.
        #[schemars(default, length(min = 1, max = limits::WORDS), extend("examples" = [["START", "VOLTAR"]]))]
        "start_words" start_words: Words,

        /// What somebody is told, once, who opts out. `{username}` becomes the name of the person. At most 1000
        /// bytes of UTF-8.
        #[schemars(default, length(min = 1), example = "You will get no more automated messages from us.")]
        "confirmation" confirmation: String,
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

        /// The direct message. `{username}` becomes the name of the person, `{keyword}` the keyword that was met,
        /// `{link}`, `{link2}` and `{link3}` the links; without `{link}` the first link follows the text. With its
        /// longest link at most 1000 bytes of UTF-8.
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

        /// A first message that asks whether the person wants what `dm` gives. Their answer or tap brings it.
        #[schemars(default)]
        "opening" opening: Opening,

        /// Only followers get what `dm` gives; others are told so, and asked to come back.
        #[schemars(default)]
        "follow_gate" follow_gate: FollowGate,

        /// A message some time after what `dm` gives has arrived, once for each person.
        #[schemars(default)]
        "follow_up" follow_up: FollowUp,

        /// Whether its keywords are looked for in direct messages and story replies too.
        #[schemars(default, extend("default" = false))]
        "dm_trigger" dm_trigger: bool,

        /// Whether links are buttons, where a conversation is open. In the private reply to a comment they are
        /// always text.
        #[schemars(default, extend("default" = false))]
        "buttons" buttons: bool,

        /// How often one person gets the direct message for comments: for every comment that matches, or once,
        /// ever.
        #[schemars(
            default,
            extend("enum" = super::check::REPEATS.map(|(word, _)| word), "default" = "every_comment")
        )]
        "repeat" repeat: String,

        /// Whether it takes comments.
        #[schemars(default, extend("default" = true))]
        "active" active: bool,

        /// Whether comments of the last 72 hours that were written before the campaign became active are answered
        /// too.
        #[schemars(default, extend("default" = false))]
        "backfill" backfill: bool,
    }
}

keys! {
    /// A first message, before what a campaign gives.
    #[schemars(extend("not" = { "required": ["reply_words", "button"] }))]
    "an opening" Opening {
        /// What it says. `{username}` becomes the name of the person, `{keyword}` the keyword that was met. At
        /// most 1000 bytes of UTF-8; with a button 640 characters at most.
        #[schemars(length(min = 1), example = "Hi {username}! Shall I send you the guide? Answer YES")]
        "text" text: String,

        /// The words that the text suggests as an answer. Whatever the person writes counts.
        #[schemars(default, length(max = limits::WORDS), extend("examples" = [["YES"]]))]
        "reply_words" reply_words: Words,

        /// The title of a button under it. Instagram refuses a first message with a button to people who do not
        /// follow the account, and the comment can then get no other.
        #[schemars(default, length(min = 1, max = limits::TITLE_CHARS), example = "Yes, please")]
        "button" button: String,
    }
}

keys! {
    /// What people are told who do not follow the account.
    #[schemars(extend("not" = { "required": ["reply_words", "button"] }))]
    "a follow gate" FollowGate {
        /// What it says. `{username}` becomes the name of the person, `{keyword}` the keyword that was met. At
        /// most 1000 bytes of UTF-8; with a button 640 characters at most.
        #[schemars(length(min = 1), example = "This one is for followers. Follow us and answer DONE")]
        "text" text: String,

        /// The words that the text suggests as an answer. Whatever the person writes counts.
        #[schemars(default, length(max = limits::WORDS), extend("examples" = [["DONE"]]))]
        "reply_words" reply_words: Words,

        /// The title of a button under it. In a first message Instagram refuses it to people who do not follow
        /// the account, and the comment can then get no other.
        #[schemars(default, length(min = 1, max = limits::TITLE_CHARS), example = "I follow you")]
        "button" button: String,

        /// What the person is told, once, while Instagram is asked again: a new follow shows within a minute.
        #[schemars(default, length(min = 1), example = "One moment, I'm checking…")]
        "acknowledgement" acknowledgement: String,
    }
}

keys! {
    /// A message after what a campaign gives has arrived.
    "a follow-up" FollowUp {
        /// What it says. `{username}`, `{keyword}`, `{link}`, `{link2}` and `{link3}` mean what they mean in `dm`;
        /// no link follows the text by itself. At most 1000 bytes of UTF-8.
        #[schemars(length(min = 1), example = "Did the guide help you, {username}?")]
        "text" text: String,

        /// How many minutes after. It is not sent once 24 hours have passed since the person's last message or
        /// tap.
        #[schemars(range(min = 1, max = limits::AFTER_MINUTES), example = 60)]
        "after_minutes" after_minutes: u32,
    }
}

/// Some words, or one of them without a list around it.
pub(super) struct Words(pub(super) List<Keyword>);

impl Read for Words {
    fn read(node: &Node, key: &str, problems: &mut Problems) -> Result<Self, Reported> {
        if !matches!(&*node.content, Content::Scalar { .. }) {
            return List::read(node, key, problems).map(Self);
        }
        let word = Located { place: node.place, value: Keyword::read(node, key, problems)? };
        Ok(Self(List { items: vec![word], written: 1 }))
    }
}

impl JsonSchema for Words {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Words".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = List::<Keyword>::json_schema(generator);
        schema.insert("type".to_owned(), serde_json::json!(["array", "string", "number", "boolean"]));
        schema
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
const DAY_PATTERN: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
const CAMPAIGN_ID_PATTERN: &str = "^[a-z0-9-]{1,64}$";
const USERNAME_PATTERN: &str = "^[A-Za-z0-9._]{1,30}$";
const TOKEN_PATTERN: &str = "^[!-~]+$";
const VARIABLE_PATTERN: &str = "^[A-Z_][A-Z0-9_]{0,63}$";
