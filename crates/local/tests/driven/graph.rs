//! A Graph API outside of the runner: writes are answered by script, and reads show nothing.

use axum::Router;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, Mutex};

/// What a write is answered. `None`: nothing, for as long as the caller waits.
pub(crate) type Answer = Option<(u16, String)>;

pub(crate) struct ForeignGraph {
    base: String,
    stage: Arc<Stage>,
}

struct Stage {
    answers: Vec<Answer>,
    writes: Mutex<Vec<String>>,
}

impl ForeignGraph {
    /// The n-th write gets the n-th answer; the last one repeats.
    pub(crate) async fn start(answers: Vec<Answer>) -> Self {
        let stage = Arc::new(Stage { answers, writes: Mutex::default() });
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(Arc::clone(&stage));
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { base, stage }
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// The paths of all writes so far.
    pub(crate) fn writes(&self) -> Vec<String> {
        self.stage.writes.lock().unwrap().clone()
    }
}

async fn answer(State(stage): State<Arc<Stage>>, method: Method, uri: Uri) -> Response {
    let shows_nothing = r#"{"error":{"message":"x","code":100,"error_subcode":33}}"#.to_owned();
    let (status, body) = if method == Method::POST {
        let nth = {
            let mut writes = stage.writes.lock().unwrap();
            writes.push(uri.path().to_owned());
            writes.len() - 1
        };
        match stage.answers.get(nth).or(stage.answers.last()).cloned().flatten() {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    } else {
        (400, shows_nothing)
    };
    let status = StatusCode::from_u16(status).unwrap();
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
