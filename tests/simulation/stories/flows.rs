//! The flows, each as a story.

use super::script::{Step, Story, *};
use crate::driver::Answer;
use openreply_domain::message::Follow::{No, Unknown, Yes};

macro_rules! campaigns {
    ($($line:literal)*) => {
        concat!(
            "accounts: [{ id: \"17841400000000001\", username: bakery, token: \"simulated-token\" }]\n",
            "campaigns:\n",
            $("  - { account: \"17841400000000001\", ", $line, " }\n"),*
        )
    };
}

const OPENING: &str = campaigns!(
    "id: guide, keywords: [LINK], opening: { text: \"Want it? Answer YES\", reply_words: [YES] }, dm: \"Here it is\""
);
const PAUSED: &str = campaigns!(
    "id: guide, active: false, keywords: [LINK], opening: { text: \"Want it? Answer YES\", reply_words: [YES] }, dm: \"Here it is\""
);
const EDITED: &str = campaigns!(
    "id: guide, keywords: [LINK], opening: { text: \"New opening\", reply_words: [YES] }, dm: \"New text\""
);
const DELETED: &str = campaigns!("id: other, keywords: [NOTHING], dm: \"Other\"");
const BUTTON: &str = campaigns!(
    "id: guide, keywords: [LINK], opening: { text: \"Want it?\", button: \"Yes please\" }, dm: \"Here it is\""
);
const TWO_OPENINGS: &str = campaigns!(
    "id: a, keywords: [AAA], opening: { text: \"Want it?\", reply_words: [YES] }, dm: \"This is A\""
    "id: b, keywords: [BBB], opening: { text: \"Want it?\", reply_words: [YES] }, dm: \"This is B\""
);
const GATED: &str = campaigns!(
    "id: guide, keywords: [LINK], follow_gate: { text: \"Follow first, then answer OK\", reply_words: [OK], acknowledgement: \"One moment\" }, dm: \"Here it is\""
);
const GATED_BUTTON: &str = campaigns!(
    "id: guide, keywords: [LINK], opening: { text: \"Want it?\", button: \"Yes please\" }, follow_gate: { text: \"Follow first, then answer OK\", reply_words: [OK] }, dm: \"Here it is\""
);
const GATED_DM: &str = campaigns!(
    "id: guide, keywords: [LINK], dm_trigger: true, follow_gate: { text: \"Follow first, then tap\", button: \"I follow\" }, dm: \"Here it is\""
);
const BY_DM: &str = campaigns!("id: guide, keywords: [LINK], dm_trigger: true, dm: \"Here it is\"");
const OPENING_BY_DM: &str = campaigns!(
    "id: guide, keywords: [LINK], dm_trigger: true, opening: { text: \"Want it? Answer YES\", reply_words: [YES] }, dm: \"Here it is\""
);
const FOLLOW_UP: &str = campaigns!(
    "id: guide, keywords: [LINK], dm_trigger: true, follow_up: { text: \"Did it help?\", after_minutes: 30 }, dm: \"Here it is\""
);
const FOLLOW_UP_PAUSED: &str = campaigns!(
    "id: guide, active: false, keywords: [LINK], dm_trigger: true, follow_up: { text: \"Did it help?\", after_minutes: 30 }, dm: \"Here it is\""
);
const ONCE: &str = campaigns!(
    "id: guide, keywords: [LINK], repeat: once_per_person, public_replies: [\"Sent\"], dm: \"Here it is\""
);

const TWO_ACCOUNTS: &str = r#"
accounts:
  - { id: "17841400000000001", username: bakery, token: "simulated-token" }
  - { id: "17841400000000002", username: garage, token: "another-token" }
campaigns:
  - { id: guide, account: "17841400000000001", keywords: [LINK], opening: { text: "Bread?", reply_words: [YES] }, dm: "The bread" }
  - { id: tyres, account: "17841400000000002", keywords: [LINK], opening: { text: "Tyres?", reply_words: [YES] }, dm: "The tyres" }
"#;

const ROOT: &str = "comment:17841400000000001:180";

fn at_once(first: Step, second: Step) -> Step {
    AtOnce(Box::new((first, second)))
}

pub(super) fn stories() -> Vec<Story> {
    vec![
        Story {
            name: "an opening and its answer",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Wait(60),
                Writes("m1", "yes"),
                Writes("m2", "thanks"),
                Writes("m3", "hi"),
            ],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes\n< Here it is\n> thanks\n> hi",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "three words at once are one answer",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                at_once(Writes("m1", "yes"), Writes("m2", "thanks")),
                Writes("m3", "hi"),
            ],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes\n> thanks\n< Here it is\n> hi",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "an answer after a day is no answer",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![Comments("180", "LINK"), Wait(90_000), Writes("m1", "yes")],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes",
            rows: &["dm SENT"],
        },
        Story {
            name: "two taps at once reveal once, a later tap again",
            campaigns: BUTTON,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                at_once(Taps("t1", ROOT), Taps("t2", ROOT)),
                Wait(60),
                Taps("t3", ROOT),
            ],
            transcript: "> comments: LINK\n< Want it? [Yes please]\n> taps\n> taps\n< Here it is\n> taps\n< Here it is",
            rows: &["dm SENT", "reveal SENT", "reveal SENT"],
        },
        Story {
            name: "a tap and an answer share the reveal",
            campaigns: BUTTON,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                at_once(Taps("t1", ROOT), Writes("m1", "yes")),
                Wait(60),
                Writes("m2", "again?"),
            ],
            transcript: "> comments: LINK\n< Want it? [Yes please]\n> taps\n> yes\n< Here it is\n> again?",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "buttons that are refused go out as text",
            campaigns: BUTTON,
            instagram: Answer::TextOnly,
            steps: vec![Comments("180", "LINK"), Writes("m1", "yes")],
            transcript: "> comments: LINK\nx Want it? [Yes please]\n< Want it?\n> yes\n< Here it is",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "the same person on two accounts is two people",
            campaigns: TWO_ACCOUNTS,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                On("17841400000000002"),
                Comments("280", "LINK"),
                Writes("m1", "stop"),
                On("17841400000000001"),
                Writes("m2", "yes"),
                On("17841400000000002"),
                Writes("m3", "yes"),
                Writes("m4", "start"),
                Writes("m5", "yes"),
            ],
            transcript: "> comments: LINK\n< Bread?\n> comments: LINK\n< Tyres?\n> stop\n< You will get no more automated messages from us. Write START to get them again.\n> yes\n< The bread\n> yes\n> start\n> yes\n< The tyres",
            rows: &["dm SENT", "reveal SENT", "dm SENT", "reveal SENT", "acknowledgement SENT"],
        },
        Story {
            name: "who unfollows after the reveal keeps it, and thanks do nothing",
            campaigns: GATED_DM,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(Yes),
                Writes("m1", "LINK"),
                Wait(60),
                Follows(No),
                Writes("m2", "thanks"),
                Wait(60),
            ],
            transcript: "> LINK\n< Here it is\n> thanks",
            rows: &["reveal SENT"],
        },
        Story {
            name: "a stranger's button, and somebody else's, do nothing",
            campaigns: BUTTON,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                TapsForeign("t1", "GET_STARTED"),
                TapsForeign("t2", "openreply:comment:17841400000000009:180"),
                TapsForeign("t3", "openreply:comment:17841400000000001:999"),
                Person("901"),
                Taps("t4", ROOT),
            ],
            transcript: "> comments: LINK\n< Want it? [Yes please]\n> taps GET_STARTED\n> taps openreply:comment:17841400000000009:180\n> taps openreply:comment:17841400000000001:999\n> taps",
            rows: &["dm SENT"],
        },
        Story {
            name: "the newest opening is answered first",
            campaigns: TWO_OPENINGS,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "AAA"),
                Wait(10),
                Comments("181", "BBB"),
                Wait(10),
                Writes("m1", "yes"),
                Wait(10),
                Writes("m2", "yes"),
                Writes("m3", "yes"),
            ],
            transcript: "> comments: AAA\n< Want it?\n> comments: BBB\n< Want it?\n> yes\n< This is B\n> yes\n< This is A\n> yes",
            rows: &["dm SENT", "reveal SENT", "dm SENT", "reveal SENT"],
        },
        Story {
            name: "an answer closes the older openings of its campaign",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Wait(10),
                Comments("181", "LINK"),
                Wait(10),
                Writes("m1", "yes"),
                Writes("m2", "yes"),
            ],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> comments: LINK\n< Want it? Answer YES\n> yes\n< Here it is\n> yes",
            rows: &["dm SENT", "dm SENT", "reveal SENT"],
        },
        Story {
            name: "edited in the middle, what was promised goes out",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![Comments("180", "LINK"), Apply(EDITED), Writes("m1", "yes")],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes\n< Here it is",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "paused in the middle, it waits and goes on",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Apply(PAUSED),
                Writes("m1", "yes"),
                Wait(600),
                Apply(OPENING),
            ],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes\n< Here it is",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "deleted in the middle, it ends in sight",
            campaigns: OPENING,
            instagram: Answer::Delivered,
            steps: vec![Comments("180", "LINK"), Apply(DELETED), Writes("m1", "yes")],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes",
            rows: &["dm SENT", "reveal SKIPPED_WINDOW"],
        },
        Story {
            name: "a known follower gets the link at once",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![Follows(Yes), Comments("180", "LINK")],
            transcript: "> comments: LINK\n< Here it is",
            rows: &["dm SENT"],
        },
        Story {
            name: "unknown at first contact is not yet, unknown after an answer is let through",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![Follows(Unknown), Comments("180", "LINK"), Wait(30), Writes("m1", "ok")],
            transcript: "> comments: LINK\n< Follow first, then answer OK\n> ok\n< Here it is",
            rows: &["dm SENT", "reveal SENT"],
        },
        Story {
            name: "a follow that shows late is seen by a check",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(No),
                Comments("180", "LINK"),
                Wait(30),
                Writes("m1", "ok"),
                Wait(10),
                Follows(Yes),
                Wait(60),
            ],
            transcript: "> comments: LINK\n< Follow first, then answer OK\n> ok\n< One moment\n< Here it is",
            rows: &["dm SENT", "reveal SENT", "acknowledgement SENT"],
        },
        Story {
            name: "who does not follow is asked again, and gets it in the end",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(No),
                Comments("180", "LINK"),
                Writes("m1", "ok"),
                Wait(120),
                Follows(Yes),
                Writes("m2", "now I do"),
                Wait(10),
                Writes("m3", "thanks"),
            ],
            transcript: "> comments: LINK\n< Follow first, then answer OK\n> ok\n< One moment\n< Follow first, then answer OK\n> now I do\n< Here it is\n> thanks",
            rows: &["dm SENT", "reveal SENT", "acknowledgement SENT", "follow_prompt SENT"],
        },
        Story {
            name: "who never follows is not given it",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![Follows(No), Comments("180", "LINK"), Writes("m1", "ok")],
            transcript: "> comments: LINK\n< Follow first, then answer OK\n> ok\n< One moment\n< Follow first, then answer OK",
            rows: &["dm SENT", "reveal SKIPPED_WINDOW", "acknowledgement SENT", "follow_prompt SENT"],
        },
        Story {
            name: "an answer while a check is pending begins the checks anew",
            campaigns: GATED,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(No),
                Comments("180", "LINK"),
                Writes("m1", "ok"),
                Wait(10),
                Writes("m2", "ok?"),
                Wait(5),
                Follows(Yes),
                Wait(60),
            ],
            transcript: "> comments: LINK\n< Follow first, then answer OK\n> ok\n< One moment\n> ok?\n< Here it is",
            rows: &["dm SENT", "reveal SENT", "acknowledgement SENT"],
        },
        Story {
            name: "a keyword by direct message",
            campaigns: BY_DM,
            instagram: Answer::Delivered,
            steps: vec![
                Writes("m1", "the link please"),
                Writes("m2", "hello"),
                Wait(60),
                Writes("m3", "link!"),
            ],
            transcript: "> the link please\n< Here it is\n> hello\n> link!\n< Here it is",
            rows: &["reveal SENT", "reveal SENT"],
        },
        Story {
            name: "an answer that holds a keyword is an answer only",
            campaigns: OPENING_BY_DM,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Wait(10),
                Writes("m1", "yes, the LINK"),
                Wait(10),
                Writes("m2", "LINK"),
            ],
            transcript: "> comments: LINK\n< Want it? Answer YES\n> yes, the LINK\n< Here it is\n> LINK\n< Here it is",
            rows: &["dm SENT", "reveal SENT", "reveal SENT"],
        },
        Story {
            name: "a keyword by direct message meets the gate",
            campaigns: GATED_DM,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(No),
                Writes("m1", "LINK"),
                Wait(30),
                Follows(Yes),
                Wait(90),
                Taps("t1", "message:17841400000000001:m1"),
            ],
            transcript: "> LINK\n< Follow first, then tap [I follow]\n> taps\n< Here it is",
            rows: &["reveal SENT", "follow_prompt SENT"],
        },
        Story {
            name: "a follow-up comes once per person",
            campaigns: FOLLOW_UP,
            instagram: Answer::Delivered,
            steps: vec![
                Writes("m1", "LINK"),
                Wait(60),
                Writes("m2", "LINK"),
                Wait(7_200),
                Writes("m3", "LINK"),
                Wait(7_200),
            ],
            transcript: "> LINK\n< Here it is\n> LINK\n< Here it is\n< Did it help?\n> LINK\n< Here it is",
            rows: &["reveal SENT", "reveal SENT", "reveal SENT", "follow_up SENT"],
        },
        Story {
            name: "no follow-up to somebody who never wrote",
            campaigns: FOLLOW_UP,
            instagram: Answer::Delivered,
            steps: vec![Comments("180", "LINK")],
            transcript: "> comments: LINK\n< Here it is",
            rows: &["dm SENT", "follow_up SKIPPED_WINDOW"],
        },
        Story {
            name: "no follow-up of a campaign that is paused",
            campaigns: FOLLOW_UP,
            instagram: Answer::Delivered,
            steps: vec![Writes("m1", "LINK"), Apply(FOLLOW_UP_PAUSED), Wait(7_200), Apply(FOLLOW_UP)],
            transcript: "> LINK\n< Here it is",
            rows: &["reveal SENT", "follow_up SKIPPED_PAUSED"],
        },
        Story {
            name: "who opts out gets one confirmation and then nothing until START",
            campaigns: FOLLOW_UP,
            instagram: Answer::Delivered,
            steps: vec![
                Writes("m1", "LINK"),
                Writes("m2", "Stop!"),
                Writes("m3", "stop"),
                Writes("m4", "LINK"),
                Comments("180", "LINK"),
                Wait(7_200),
                Writes("m5", "start"),
                Writes("m6", "LINK"),
            ],
            transcript: "> LINK\n< Here it is\n> Stop!\n< You will get no more automated messages from us. Write START to get them again.\n> stop\n> LINK\n> comments: LINK\n> start\n> LINK\n< Here it is",
            rows: &[
                "dm SKIPPED_OPT_OUT",
                "reveal SENT",
                "acknowledgement SENT",
                "reveal SKIPPED_OPT_OUT",
                "reveal SENT",
                "follow_up SKIPPED_OPT_OUT",
            ],
        },
        Story {
            name: "STOP that comes before the comment is handled stops it, and after it is too late",
            campaigns: BY_DM,
            instagram: Answer::Delivered,
            steps: vec![
                at_once(Writes("m1", "STOP"), Comments("180", "LINK")),
                Person("901"),
                at_once(Comments("181", "LINK"), Writes("m2", "STOP")),
            ],
            transcript: "> STOP\n> comments: LINK\n< You will get no more automated messages from us. Write START to get them again.\n> comments: LINK\n> STOP\n< Here it is\n< You will get no more automated messages from us. Write START to get them again.",
            rows: &["dm SKIPPED_OPT_OUT", "dm SENT", "acknowledgement SENT", "acknowledgement SENT"],
        },
        Story {
            name: "once per person is once",
            campaigns: ONCE,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Comments("181", "LINK"),
                Person("901"),
                Comments("182", "LINK"),
            ],
            transcript: "> comments: LINK\n< Here it is\n< Sent\n> comments: LINK\n> comments: LINK\n< Here it is\n< Sent",
            rows: &[
                "dm SENT",
                "public_reply SENT",
                "dm SKIPPED_REPEAT",
                "public_reply SKIPPED_REPEAT",
                "dm SENT",
                "public_reply SENT",
            ],
        },
        Story {
            name: "once per person, and then opted out",
            campaigns: ONCE,
            instagram: Answer::Delivered,
            steps: vec![Comments("180", "LINK"), Writes("m1", "STOP"), Comments("181", "LINK")],
            transcript: "> comments: LINK\n< Here it is\n< Sent\n> STOP\n< You will get no more automated messages from us. Write START to get them again.\n> comments: LINK",
            rows: &[
                "dm SENT",
                "public_reply SENT",
                "dm SKIPPED_OPT_OUT",
                "public_reply SKIPPED_OPT_OUT",
                "acknowledgement SENT",
            ],
        },
        Story {
            name: "a tap days later meets the gate anew, and an answer to that is an answer",
            campaigns: GATED_BUTTON,
            instagram: Answer::Delivered,
            steps: vec![
                Follows(No),
                Comments("180", "LINK"),
                Taps("t1", ROOT),
                Wait(200_000),
                Taps("t2", ROOT),
                Wait(120),
                Follows(Yes),
                Writes("m1", "done"),
            ],
            transcript: "> comments: LINK\n< Want it? [Yes please]\n> taps\n< Follow first, then answer OK\n> taps\n< Follow first, then answer OK\n> done\n< Here it is",
            rows: &[
                "dm SENT",
                "reveal SKIPPED_WINDOW",
                "follow_prompt SENT",
                "reveal SENT",
                "follow_prompt SENT",
            ],
        },
        Story {
            name: "nobody gets more than five in an hour",
            campaigns: BY_DM,
            instagram: Answer::Delivered,
            steps: vec![
                Comments("180", "LINK"),
                Writes("m1", "LINK"),
                Writes("m2", "LINK"),
                Comments("181", "LINK"),
                Writes("m3", "LINK"),
                Writes("m4", "LINK"),
                Comments("182", "LINK"),
                Wait(4_000),
                Writes("m5", "LINK"),
            ],
            transcript: "> comments: LINK\n< Here it is\n> LINK\n< Here it is\n> LINK\n< Here it is\n> comments: LINK\n< Here it is\n> LINK\n< Here it is\n> LINK\n> comments: LINK\n> LINK\n< Here it is",
            rows: &[
                "dm SENT",
                "dm SENT",
                "dm SKIPPED_FUSE",
                "reveal SENT",
                "reveal SENT",
                "reveal SENT",
                "reveal SKIPPED_FUSE",
                "reveal SENT",
            ],
        },
    ]
}
