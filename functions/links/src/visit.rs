//! Whether a visit is somebody's click, or a machine that looks at the link.

use lambda_http::http::{HeaderMap, Method, header};

/// What names a machine in a `User-Agent`: those that make previews of links for chats and networks, and tools. Meta's
/// own first, which fetch every link of a message. The browser inside the Instagram app is a person's.
const MACHINES: [&str; 26] = [
    "facebookexternalhit",
    "facebookcatalog",
    "meta-externalagent",
    "meta-externalfetcher",
    "whatsapp/",
    "skypeuripreview",
    "google-inspectiontool",
    "googleother",
    "google-read-aloud",
    "bingpreview",
    "yahoo! slurp",
    "mediapartners-google",
    "embedly",
    "iframely",
    "vkshare",
    "pinterest/0.",
    "preview",
    "crawler",
    "spider",
    "headless",
    "curl/",
    "wget/",
    "python",
    "okhttp",
    "go-http-client",
    "axios/",
];

/// Headers by which a browser says that nobody clicked yet.
const AHEAD: [&str; 4] = ["purpose", "sec-purpose", "x-purpose", "x-moz"];

/// Whether a visit counts as a click.
#[must_use]
pub fn is_counted(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::GET && !comes_ahead(headers) && !is_machine(headers)
}

fn comes_ahead(headers: &HeaderMap) -> bool {
    AHEAD.iter().filter_map(|name| headers.get(*name)).any(|value| {
        let value = value.to_str().unwrap_or_default().to_ascii_lowercase();
        ["prefetch", "prerender", "preview"].iter().any(|ahead| value.contains(ahead))
    })
}

/// Who does not say what they are is taken for a machine, too.
fn is_machine(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let agent = agent.to_ascii_lowercase();
    agent.trim().is_empty() || MACHINES.iter().any(|machine| agent.contains(machine)) || names_a_bot(&agent)
}

/// A word that ends with `bot`, but for the maker of telephones.
fn names_a_bot(agent: &str) -> bool {
    let words = agent.split(|c: char| !c.is_ascii_alphanumeric());
    words.into_iter().any(|word| word.ends_with("bot") && word != "cubot")
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTAGRAM: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 350.0.0.25.90 (iPhone15,2; iOS 18_1; de_DE; de; scale=3.00; 1179x2556; 650000000)";

    fn counted(method: &Method, headers: &[(&'static str, &str)]) -> bool {
        let map = headers.iter().map(|(name, value)| {
            (header::HeaderName::from_static(name), header::HeaderValue::from_str(value).unwrap())
        });
        is_counted(method, &map.collect())
    }

    #[test]
    fn people_count_and_machines_do_not() {
        for (agent, person) in [
            (INSTAGRAM, true),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", true),
            ("Mozilla/5.0 (Linux; Android 14; CUBOT NOTE 50) AppleWebKit/537.36 Chrome/140.0 Mobile", true),
            ("Mozilla/5.0 (Linux; Android 14; CUBOT_X70) AppleWebKit/537.36 Chrome/140.0 Mobile", true),
            ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", false),
            ("Mozilla/5.0 (compatible; meta-externalagent/1.1)", false),
            ("WhatsApp/2.23.20.0", false),
            ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", false),
            ("Mozilla/5.0 (compatible; bingbot/2.0)", false),
            ("Slackbot-LinkExpanding 1.0", false),
            ("TelegramBot (like TwitterBot)", false),
            ("Mozilla/5.0 (compatible; Discordbot/2.0)", false),
            ("LinkedInBot/1.0", false),
            ("Mozilla/5.0 HeadlessChrome/140.0", false),
            ("curl/8.5.0", false),
            ("", false),
            (" ", false),
        ] {
            assert_eq!(counted(&Method::GET, &[("user-agent", agent)]), person, "{agent}");
            assert!(!counted(&Method::HEAD, &[("user-agent", agent)]), "{agent}");
        }
        assert!(!counted(&Method::GET, &[]));
    }

    #[test]
    fn what_a_browser_fetches_ahead_is_no_click() {
        for (name, value, click) in [
            ("sec-purpose", "prefetch", false),
            ("sec-purpose", "prefetch;prerender", false),
            ("purpose", "Prefetch", false),
            ("x-purpose", "preview", false),
            ("x-moz", "prefetch", false),
            ("sec-fetch-dest", "document", true),
        ] {
            assert_eq!(
                counted(&Method::GET, &[("user-agent", INSTAGRAM), (name, value)]),
                click,
                "{name}: {value}"
            );
        }
    }
}
