use super::*;

fn config(base: &str, version: &str) -> GraphConfig {
    GraphConfig { base: base.to_owned(), version: version.to_owned(), ..GraphConfig::default() }
}

#[test]
fn bases_with_paths_and_slashes_lead_to_the_same_root() {
    for (base, wanted) in [
        ("https://graph.instagram.com", "https://graph.instagram.com/v25.0"),
        ("https://graph.instagram.com/", "https://graph.instagram.com/v25.0"),
        ("http://127.0.0.1:4000/fake", "http://127.0.0.1:4000/fake/v25.0"),
        ("http://127.0.0.1:4000/fake//", "http://127.0.0.1:4000/fake/v25.0"),
        ("http://[::1]:4000", "http://[::1]:4000/v25.0"),
    ] {
        assert_eq!(root(base, "v25.0").unwrap().as_str(), wanted, "{base}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused() {
    for base in [
        "",
        "graph.instagram.com",
        "ftp://graph.instagram.com",
        "https://",
        "https://user:secret@graph.instagram.com",
        "https://user@graph.instagram.com",
        "https://graph.instagram.com?access_token=secret",
        "https://graph.instagram.com#v25.0",
        "https://{host}/",
    ] {
        assert_eq!(Graph::new(config(base, "v25.0")).unwrap_err(), ConfigError::Base, "{base}");
    }
    for version in ["", "25.0", "v25", "v.0", "v25.", "v25.0/me", "v25.0?a=b", "../v25.0", "v25.0\n"] {
        let error = Graph::new(config("https://graph.instagram.com", version)).unwrap_err();
        assert_eq!(error, ConfigError::Version, "{version}");
    }
    for (connect, total) in [(0, 10), (10, 10), (11, 10)] {
        let config = GraphConfig {
            connect_timeout: Duration::from_secs(connect),
            total_timeout: Duration::from_secs(total),
            ..GraphConfig::default()
        };
        assert_eq!(Graph::new(config).unwrap_err(), ConfigError::Timeouts, "{connect} {total}");
    }
}

#[test]
fn a_token_that_no_header_can_carry_is_not_sent() {
    for token in ["", " ", "IGAA\n", "\nIGAA", "IG AA", "IGAA\r\nX-Evil: 1", "IGÄA", "IGAA\0"] {
        assert_eq!(bearer(&token.into()).unwrap_err(), NotSent::Unbuildable, "{token:?}");
    }
    let value = bearer(&"IGAAtoken".into()).unwrap();
    assert_eq!(value, "Bearer IGAAtoken");
    assert!(value.is_sensitive());
}

#[test]
fn an_id_that_would_change_the_path_is_not_sent() {
    let graph = Graph::new(config("http://127.0.0.1:1/fake", "v25.0")).unwrap();
    for id in [".", ".."] {
        assert_eq!(graph.url(&[id, "replies"]), Err(NotSent::Unbuildable), "{id}");
    }
    let url = graph.url(&["aWdf:1==$+_-.2", "replies"]).unwrap();
    assert_eq!(url.as_str(), "http://127.0.0.1:1/fake/v25.0/aWdf:1==$+_-.2/replies");
}
