//! Receipts of accepted requests.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use domain::{GroupId, UnixMs, UserId};
use engine::touched_books::{self, TouchedBook};
use public_log::{BookReceipt, HeadHash, Receipt};

use super::PublicLog;
use crate::clock;
use crate::http::answer::Answer;
use crate::http::api_error::ApiError;

/// The part of a receipt about the request.
#[derive(Clone, Debug)]
pub struct RequestLine {
    /// Method and path.
    pub request: String,
    /// The SHA-256 of the body.
    pub body: HeadHash,
}

impl RequestLine {
    /// Returns that of an HTTP request.
    #[must_use]
    pub fn of(request: &HttpRequest, body: &[u8]) -> Self {
        Self { request: format!("{} {}", request.method(), request.path()), body: HeadHash::of(body) }
    }
}

impl PublicLog {
    /// Executes the request of a user, and adds the receipt to its answer.
    ///
    /// # Errors
    /// Those of the request.
    pub async fn receipted<F>(&self, line: RequestLine, user: UserId, request: F) -> Result<Answer, ApiError>
    where
        F: Future<Output = Result<Answer, ApiError>>,
    {
        let (answer, touched) = touched_books::collect(request).await;
        let answer = answer?;
        Ok(match self.receipt(line, Some(answer.body()), (user, clock::now()), touched).await {
            Some(receipt) => answer.with_receipt(receipt),
            None => answer,
        })
    }

    /// Returns the signed receipt of a request that was accepted, in its written form; `None` while the log has not reached
    /// what the request did, so an answer may be without one after a start on a long journal.
    pub async fn receipt(
        &self,
        line: RequestLine,
        answer: Option<&[u8]>,
        (user, at): (UserId, UnixMs),
        touched: BTreeMap<GroupId, TouchedBook>,
    ) -> Option<String> {
        let mut books = Vec::with_capacity(touched.len());
        for (book, TouchedBook { seen, last, offer }) in touched {
            let head = self.head_after(book, last).await?;
            let seen = if seen == last { head } else { self.head_after(book, seen).await? };
            books.push(BookReceipt { book, caller: self.pseudonym(book, user)?, seen, head, offer });
        }
        let position = self.journal.position();
        let RequestLine { request, body } = line;
        let receipt = Receipt { at, position, request, body, answer: answer.map(HeadHash::of), books };
        self.key.sign(&receipt).ok().map(|signed| signed.to_string())
    }
}
