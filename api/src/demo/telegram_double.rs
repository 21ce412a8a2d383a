//! A test double of Telegram's bot API: for the demo, and for tests with scripted failures.
//!
//! It knows one bot and the three methods that the server uses, and keeps the latest messages in memory.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::{App, HttpResponse, HttpServer, web};
use domain::UnixMs;
use engine::locks::MutexExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::clock;

/// The number of messages of the bot that are kept.
const SENT_MESSAGES_MAX: usize = 500;
/// The number of updates that wait for the bot.
const UPDATES_MAX: usize = 100;
/// The largest request, in bytes.
const REQUEST_LENGTH_MAX: usize = 65_536;
/// The longest poll, in seconds.
const POLL_S_MAX: u64 = 60;

/// The reaction to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum TelegramReply {
    /// The normal reaction.
    Normal,
    /// Answers this instead, and does nothing.
    Reply(u16, Value),
    /// Stops answering.
    Hang,
    /// Executes the request, and returns a malformed answer.
    AcceptAndReplyMalformed,
    /// Executes the request, and does not answer.
    AcceptAndHang,
}

/// A script of failures by method and parameters.
pub type Script = Arc<dyn Fn(&str, &Value) -> TelegramReply + Send + Sync>;

/// A message of the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    /// The time.
    pub at: UnixMs,
    /// The chat.
    pub chat: i64,
    /// The text.
    pub text: String,
}

#[derive(Default)]
struct Inner {
    said: VecDeque<SentMessage>,
    updates: VecDeque<(i64, Value)>,
    latest_update: i64,
}

struct Shared {
    path: String,
    name: String,
    script: Script,
    inner: Mutex<Inner>,
    news: Notify,
    sent: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock_unpoisoned()
    }
}

/// The test double, on this machine. It stops when it is dropped.
pub struct TelegramDouble {
    address: SocketAddr,
    token: String,
    shared: Arc<Shared>,
    handle: ServerHandle,
}

impl TelegramDouble {
    /// Listens on any port for a bot with a random token.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open(name: &str) -> std::io::Result<Self> {
        Self::open_with(name, Arc::new(|_, _| TelegramReply::Normal))
    }

    /// Listens on any port, with scripted failures.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open_with(name: &str, script: Script) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let token = format!("1:{}", hex::encode(rand::random::<[u8; 16]>()));
        let shared = Arc::new(Shared {
            path: format!("bot{token}"),
            name: name.to_owned(),
            script,
            inner: Mutex::default(),
            news: Notify::new(),
            sent: Notify::new(),
        });
        let handler_data = web::Data::from(Arc::clone(&shared));
        let server = HttpServer::new(move || {
            App::new()
                .app_data(handler_data.clone())
                .app_data(web::JsonConfig::default().limit(REQUEST_LENGTH_MAX))
                .route("/{bot}/{method}", web::post().to(answer))
        });
        let server = server.workers(1).disable_signals().shutdown_timeout(0).listen(listener)?.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Ok(Self { address, token, shared, handle })
    }

    /// Returns the base URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the token of its bot.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the messages of the bot, the oldest first.
    #[must_use]
    pub fn sent_messages(&self) -> Vec<SentMessage> {
        self.shared.lock().said.iter().cloned().collect()
    }

    /// Simulates a message of a user to the bot in a private chat.
    pub fn receive(&self, chat: i64, text: &str) {
        self.push(json!({"message": {"chat": {"id": chat, "type": "private"}, "text": text}}));
    }

    /// Simulates a user who blocks the bot.
    pub fn block(&self, chat: i64) {
        let member = json!({"chat": {"id": chat, "type": "private"}, "new_chat_member": {"status": "kicked"}});
        self.push(json!({"my_chat_member": member}));
    }

    /// Waits until the bot has sent a message to a chat.
    pub async fn wait_for_answer(&self, chat: i64) {
        loop {
            let sent = self.shared.sent.notified();
            if self.shared.lock().said.iter().any(|said| said.chat == chat) {
                return;
            }
            sent.await;
        }
    }

    fn push(&self, mut update: Value) {
        let mut inner = self.shared.lock();
        inner.latest_update += 1;
        let id = inner.latest_update;
        update["update_id"] = json!(id);
        if inner.updates.len() >= UPDATES_MAX {
            inner.updates.pop_front();
        }
        inner.updates.push_back((id, update));
        drop(inner);
        self.shared.news.notify_waiters();
    }
}

impl Drop for TelegramDouble {
    fn drop(&mut self) {
        // The stop is requested immediately; its completion is not awaited.
        drop(self.handle.stop(false));
    }
}

async fn answer(
    shared: web::Data<Shared>,
    path: web::Path<(String, String)>,
    request: web::Json<Value>,
) -> HttpResponse {
    let (bot, method) = path.into_inner();
    if bot != shared.path {
        return refuse(404, "Not Found");
    }
    let reaction = (shared.script)(&method, &request);
    match &reaction {
        TelegramReply::Reply(status, body) => return say(*status, body),
        TelegramReply::Hang => std::future::pending().await,
        TelegramReply::Normal | TelegramReply::AcceptAndReplyMalformed | TelegramReply::AcceptAndHang => {}
    }
    let done = match method.as_str() {
        "getMe" => Ok(json!({"id": 1, "is_bot": true, "first_name": "Lienbook", "username": shared.name})),
        "getUpdates" => Ok(updates(&shared, &request).await),
        "sendMessage" => send_message(&shared, &request),
        _ => return refuse(404, "Not Found"),
    };
    match (done, reaction) {
        (Ok(_), TelegramReply::AcceptAndHang) => std::future::pending().await,
        (Ok(_), TelegramReply::AcceptAndReplyMalformed) => HttpResponse::Ok().body("mumble"),
        (Ok(result), _) => say(200, &json!({"ok": true, "result": result})),
        (Err(why), _) => refuse(400, why),
    }
}

fn send_message(shared: &Shared, request: &Value) -> Result<Value, &'static str> {
    #[derive(Deserialize)]
    struct Message {
        chat_id: i64,
        text: String,
    }
    let message = Message::deserialize(request).map_err(|_| "Bad Request: chat_id and text are needed")?;
    let said = SentMessage { at: clock::now(), chat: message.chat_id, text: message.text };
    let mut inner = shared.lock();
    if inner.said.len() >= SENT_MESSAGES_MAX {
        inner.said.pop_front();
    }
    inner.said.push_back(said);
    drop(inner);
    shared.sent.notify_waiters();
    Ok(json!({"message_id": 1}))
}

/// Returns the updates since an offset, or none after the timeout.
async fn updates(shared: &Shared, request: &Value) -> Value {
    let from = request["offset"].as_i64().unwrap_or(0);
    let poll_timeout = Duration::from_secs(request["timeout"].as_u64().unwrap_or(0).min(POLL_S_MAX));
    let wait = async {
        loop {
            let news = shared.news.notified();
            let pending: Vec<Value> = {
                let mut inner = shared.lock();
                inner.updates.retain(|(id, _)| *id >= from);
                inner.updates.iter().map(|(_, update)| update.clone()).collect()
            };
            if !pending.is_empty() {
                return pending;
            }
            news.await;
        }
    };
    json!(timeout(poll_timeout, wait).await.unwrap_or_default())
}

fn say(status: u16, body: &Value) -> HttpResponse {
    HttpResponse::build(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)).json(body)
}

fn refuse(status: u16, why: &str) -> HttpResponse {
    say(status, &json!({"ok": false, "error_code": status, "description": why}))
}
