//! An Instagram that shows nothing to whoever reads.

use openreply_app::ports::{
    CommentsPage, MediaPage, Own, ReadError, ReadTrouble, Reader, RepliesPage, Usage,
};
use openreply_domain::evidence::Shown;
use openreply_domain::ids::{AccountId, CommentId, MediaId, UserId};
use secrecy::SecretString;

/// An Instagram that shows nothing: what a sweep does all the same needs no reading.
pub(crate) struct Blind;

fn shows_nothing<T>() -> Result<T, ReadError> {
    Err(ReadError { what: "anything", trouble: ReadTrouble::Unreachable })
}

impl Reader for Blind {
    async fn comments(
        &self,
        _: &SecretString,
        _: &MediaId,
        _: Option<&str>,
    ) -> Result<CommentsPage, ReadError> {
        shows_nothing()
    }
    async fn replies(
        &self,
        _: &SecretString,
        _: &CommentId,
        _: Option<&str>,
    ) -> Result<RepliesPage, ReadError> {
        shows_nothing()
    }
    async fn own_media(
        &self,
        _: &SecretString,
        _: &AccountId,
        _: Option<&str>,
    ) -> Result<MediaPage, ReadError> {
        shows_nothing()
    }
    async fn conversation(
        &self,
        _: &SecretString,
        _: Own<'_>,
        _: &UserId,
    ) -> Result<(Vec<Shown>, Usage), ReadError> {
        shows_nothing()
    }
}
