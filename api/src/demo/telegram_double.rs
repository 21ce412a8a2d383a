//! A double of Telegram's API for bots: for the demo, and for tests that tell it to misbehave.
//!
//! It knows one bot and the three methods that are used of it, and keeps the latest messages in memory.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::http::StatusCode;
use actix_web::{App, HttpResponse, HttpServer, web};
use domain::UnixMs;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::clock;

/// Messages of the bot that are kept.
const SAID_MAX: usize = 500;
/// What people said and the bot has not asked for yet.
const UPDATES_MAX: usize = 100;
/// No question is larger, in bytes.
const QUESTION_LENGTH_MAX: usize = 65_536;
/// No bot is kept waiting for longer, in seconds.
const POLL_S_MAX: u64 = 60;

/// What the double does with a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Reaction {
    /// What it should.
    Go,
    /// It answers this instead, and does nothing.
    Say(u16, Value),
    /// It says nothing any more.
    Hang,
    /// It does what it should, and answers what makes no sense.
    GoAndMumble,
    /// It does what it should, and says nothing any more.
    GoAndHang,
}

/// How a double misbehaves: asked for a method and what goes with it.
pub type Script = Arc<dyn Fn(&str, &Value) -> Reaction + Send + Sync>;

/// Something that the bot said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// When.
    pub at: UnixMs,
    /// In which chat.
    pub chat: i64,
    /// What.
    pub text: String,
}

#[derive(Default)]
struct Inner {
    said: VecDeque<Said>,
    updates: VecDeque<(i64, Value)>,
    latest_update: i64,
}

struct Shared {
    path: String,
    name: String,
    script: Script,
    inner: Mutex<Inner>,
    news: Notify,
    words: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The double, on this machine. It ends when it is dropped.
pub struct TelegramDouble {
    address: SocketAddr,
    token: String,
    shared: Arc<Shared>,
    handle: ServerHandle,
}

impl TelegramDouble {
    /// Listens on any port for the bot of a random token.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(name: &str) -> std::io::Result<Self> {
        Self::open_with(name, Arc::new(|_, _| Reaction::Go))
    }

    /// The same for a double that misbehaves.
    ///
    /// # Errors
    /// When there is no port.
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
            words: Notify::new(),
        });
        let theirs = web::Data::from(Arc::clone(&shared));
        let server = HttpServer::new(move || {
            App::new()
                .app_data(theirs.clone())
                .app_data(web::JsonConfig::default().limit(QUESTION_LENGTH_MAX))
                .route("/{bot}/{method}", web::post().to(answer))
        });
        let server = server.workers(1).disable_signals().shutdown_timeout(0).listen(listener)?.run();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Ok(Self { address, token, shared, handle })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The token of its bot.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// What the bot said, the oldest first.
    #[must_use]
    pub fn said(&self) -> Vec<Said> {
        self.shared.lock().said.iter().cloned().collect()
    }

    /// A person says something to the bot in a private chat.
    pub fn hear(&self, chat: i64, text: &str) {
        self.push(json!({"message": {"chat": {"id": chat, "type": "private"}, "text": text}}));
    }

    /// A person blocks the bot.
    pub fn block(&self, chat: i64) {
        let member = json!({"chat": {"id": chat, "type": "private"}, "new_chat_member": {"status": "kicked"}});
        self.push(json!({"my_chat_member": member}));
    }

    /// Waits until the bot has said something in a chat.
    pub async fn answered(&self, chat: i64) {
        loop {
            let words = self.shared.words.notified();
            if self.shared.lock().said.iter().any(|said| said.chat == chat) {
                return;
            }
            words.await;
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
        // The handle gives the word at once; whoever waits for the end does so elsewhere.
        drop(self.handle.stop(false));
    }
}

async fn answer(
    shared: web::Data<Shared>,
    path: web::Path<(String, String)>,
    question: web::Json<Value>,
) -> HttpResponse {
    let (bot, method) = path.into_inner();
    if bot != shared.path {
        return refuse(404, "Not Found");
    }
    let reaction = (shared.script)(&method, &question);
    match &reaction {
        Reaction::Say(status, body) => return say(*status, body),
        Reaction::Hang => std::future::pending().await,
        Reaction::Go | Reaction::GoAndMumble | Reaction::GoAndHang => {}
    }
    let done = match method.as_str() {
        "getMe" => Ok(json!({"id": 1, "is_bot": true, "first_name": "Lienbook", "username": shared.name})),
        "getUpdates" => Ok(updates(&shared, &question).await),
        "sendMessage" => speak(&shared, &question),
        _ => return refuse(404, "Not Found"),
    };
    match (done, reaction) {
        (Ok(_), Reaction::GoAndHang) => std::future::pending().await,
        (Ok(_), Reaction::GoAndMumble) => HttpResponse::Ok().body("mumble"),
        (Ok(result), _) => say(200, &json!({"ok": true, "result": result})),
        (Err(why), _) => refuse(400, why),
    }
}

fn speak(shared: &Shared, question: &Value) -> Result<Value, &'static str> {
    #[derive(Deserialize)]
    struct Message {
        chat_id: i64,
        text: String,
    }
    let message = Message::deserialize(question).map_err(|_| "Bad Request: chat_id and text are needed")?;
    let said = Said { at: clock::now(), chat: message.chat_id, text: message.text };
    let mut inner = shared.lock();
    if inner.said.len() >= SAID_MAX {
        inner.said.pop_front();
    }
    inner.said.push_back(said);
    drop(inner);
    shared.words.notify_waiters();
    Ok(json!({"message_id": 1}))
}

/// What people said since, or nothing after a while.
async fn updates(shared: &Shared, question: &Value) -> Value {
    let from = question["offset"].as_i64().unwrap_or(0);
    let patience = Duration::from_secs(question["timeout"].as_u64().unwrap_or(0).min(POLL_S_MAX));
    let wait = async {
        loop {
            let news = shared.news.notified();
            let told: Vec<Value> = {
                let mut inner = shared.lock();
                inner.updates.retain(|(id, _)| *id >= from);
                inner.updates.iter().map(|(_, update)| update.clone()).collect()
            };
            if !told.is_empty() {
                return told;
            }
            news.await;
        }
    };
    json!(timeout(patience, wait).await.unwrap_or_default())
}

fn say(status: u16, body: &Value) -> HttpResponse {
    HttpResponse::build(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)).json(body)
}

fn refuse(status: u16, why: &str) -> HttpResponse {
    say(status, &json!({"ok": false, "error_code": status, "description": why}))
}
