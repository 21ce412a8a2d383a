//! The receipts of a connection's commands: signed in the background, several commands at once, so that no answer waits.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::web;
use domain::{GroupId, UserId};
use engine::locks::MutexExt as _;
use engine::touched_books::TouchedBook;
use public_log::HeadHash;
use tokio::sync::Semaphore;

use super::answer::{Answer, AnswerFrame, SocketReceipt};
use crate::app::App;
use crate::public_log::RequestLine;
use crate::sockets::socket_registry::SocketRecord;

/// The pause between two receipts of a connection.
const PAUSE: Duration = Duration::from_millis(20);

/// The commands that no receipt has been sent for.
#[derive(Default)]
struct Pending {
    touched: BTreeMap<GroupId, TouchedBook>,
    /// The ids of the commands, each with a line feed.
    ids: Vec<u8>,
    is_sending: bool,
}

/// The receipts of one connection.
pub(super) struct ConnectionReceipts {
    app: web::Data<App>,
    user: UserId,
    socket: Arc<SocketRecord>,
    unread: Arc<Semaphore>,
    pending: Arc<Mutex<Pending>>,
}

impl ConnectionReceipts {
    /// Returns those of a connection without commands so far.
    pub(super) fn new(app: web::Data<App>, user: UserId, socket: Arc<SocketRecord>, unread: Arc<Semaphore>) -> Self {
        Self { app, user, socket, unread, pending: Arc::default() }
    }

    /// Adds commands that are about to be answered, and what they did.
    pub(super) fn add(&self, answers: &[Answer], touched: BTreeMap<GroupId, TouchedBook>) {
        if touched.is_empty() {
            return;
        }
        let mut pending = self.pending.lock_unpoisoned();
        for answer in answers.iter().filter(|answer| answer.error.is_none()) {
            pending.ids.extend(answer.id.as_deref().unwrap_or_default().bytes());
            pending.ids.push(b'\n');
        }
        for (book, added) in touched {
            let known = pending.touched.entry(book).or_insert(added);
            known.last = known.last.max(added.last);
        }
    }

    /// Sends a receipt of what was added, unless one is on its way, which is followed by another one.
    pub(super) fn send_soon(&self) {
        {
            let mut pending = self.pending.lock_unpoisoned();
            if pending.is_sending || pending.touched.is_empty() {
                return;
            }
            pending.is_sending = true;
        }
        let (app, user, pending) = (self.app.clone(), self.user, Arc::clone(&self.pending));
        let (socket, unread) = (Arc::clone(&self.socket), Arc::clone(&self.unread));
        actix_web::rt::spawn(async move {
            while let Some((line, touched)) = take(&pending) {
                let receipt = app.public_log.receipt(line, None, (user, app.now()), touched).await;
                // The semaphore is never closed.
                let Ok(permit) = Arc::clone(&unread).acquire_owned().await else { return };
                if let Some(receipt) = receipt {
                    let frame = AnswerFrame::Receipt(SocketReceipt { receipt });
                    socket.queue.push_answer(socket.queue.encoding().encode(&frame), permit);
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
    }
}

/// Takes what no receipt has been sent for; `None` if that is nothing, and then the next commands begin anew.
fn take(pending: &Mutex<Pending>) -> Option<(RequestLine, BTreeMap<GroupId, TouchedBook>)> {
    let mut pending = pending.lock_unpoisoned();
    if pending.touched.is_empty() {
        pending.is_sending = false;
        return None;
    }
    let ids = std::mem::take(&mut pending.ids);
    let line = RequestLine { request: "trading".to_owned(), body: HeadHash::of(&ids) };
    Some((line, std::mem::take(&mut pending.touched)))
}
