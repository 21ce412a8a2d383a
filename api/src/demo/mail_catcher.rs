//! A mail server that delivers nothing and shows what it was given: for the demo, and for tests that tell it to misbehave.
//!
//! It speaks as much SMTP (RFC 5321) as it takes to receive a mail, and keeps the latest in memory.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use domain::UnixMs;
use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::clock;

/// Mails that are kept.
const MAILS_MAX: usize = 500;
/// No mail of ours is larger, in bytes.
const MAIL_LENGTH_MAX: usize = 65_536;
/// No line is longer, in bytes (RFC 5321 allows 1,000).
const LINE_LENGTH_MAX: u64 = 2_048;
/// Conversations at a time, and how long each may take.
const CONVERSATIONS_MAX: usize = 16;
const PATIENCE: Duration = Duration::from_mins(2);

/// A point of a conversation where the server can misbehave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment<'mail> {
    /// Somebody has called.
    Greeting,
    /// Somebody says who sends.
    Sender,
    /// Somebody says for whom a mail is.
    Recipient(&'mail str),
    /// Somebody has given a mail to the last byte.
    Mail(&'mail CaughtMail),
}

/// What the server does there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// What it should.
    Go,
    /// It refuses with this line.
    Say(&'static str),
    /// It says nothing any more.
    Hang,
    /// It hangs up; a mail is not kept.
    HangUp,
    /// It keeps the mail and hangs up without saying so.
    TakeAndHangUp,
    /// It keeps the mail and says nothing any more.
    TakeAndHang,
}

/// How a server misbehaves.
pub type Script = Arc<dyn Fn(Moment<'_>) -> Reaction + Send + Sync>;

/// A mail that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaughtMail {
    /// When.
    pub at: UnixMs,
    /// For whom, as the conversation said.
    pub to: String,
    /// The mail as it came.
    pub raw: Vec<u8>,
}

/// A mail as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMail {
    /// What is told of it: without brackets.
    pub message_id: String,
    /// Its subject.
    pub subject: String,
    /// Its text.
    pub text: String,
    /// What its header `List-Unsubscribe` says: without brackets.
    pub unsubscribe: String,
}

impl CaughtMail {
    /// The mail as people read it; empty where it is no mail.
    #[must_use]
    pub fn read(&self) -> ReadMail {
        let Some(mail) = MessageParser::default().parse(&self.raw) else { return ReadMail::default() };
        let unsubscribe = mail.header_raw("List-Unsubscribe").unwrap_or_default();
        ReadMail {
            message_id: mail.message_id().unwrap_or_default().to_owned(),
            subject: mail.subject().unwrap_or_default().to_owned(),
            text: mail.body_text(0).map(|text| text.replace("\r\n", "\n")).unwrap_or_default(),
            unsubscribe: unsubscribe.trim().trim_start_matches('<').trim_end_matches('>').to_owned(),
        }
    }
}

/// The mails that were given, the oldest first.
type Caught = Arc<Mutex<VecDeque<CaughtMail>>>;

/// A mail server on this machine. It ends when it is dropped.
pub struct MailCatcher {
    address: SocketAddr,
    caught: Caught,
    task: JoinHandle<()>,
}

impl MailCatcher {
    /// Listens on any port.
    ///
    /// # Errors
    /// When there is none.
    pub fn open() -> std::io::Result<Self> {
        Self::open_with(Arc::new(|_| Reaction::Go))
    }

    /// The same for a server that misbehaves.
    ///
    /// # Errors
    /// When there is no port.
    pub fn open_with(script: Script) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let (listener, address) = (TcpListener::from_std(listener.try_clone()?)?, listener.local_addr()?);
        let caught = Caught::default();
        let task = actix_web::rt::spawn(listen(listener, script, Arc::clone(&caught)));
        Ok(Self { address, caught, task })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it was given, the oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<CaughtMail> {
        self.caught.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

impl Drop for MailCatcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: TcpListener, script: Script, caught: Caught) {
    let slots = Arc::new(Semaphore::new(CONVERSATIONS_MAX));
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (script, caught) = (Arc::clone(&script), Arc::clone(&caught));
        actix_web::rt::spawn(async move {
            // Whoever hangs up or takes too long is let go.
            let _ = timeout(PATIENCE, converse(stream, &script, &caught)).await;
            drop(slot);
        });
    }
}

/// What the next word of the server is.
enum Word {
    Line(String),
    End,
}

async fn react(reaction: Reaction, usual: &str) -> Word {
    match reaction {
        Reaction::Go => Word::Line(usual.to_owned()),
        Reaction::Say(line) => Word::Line(line.to_owned()),
        Reaction::Hang | Reaction::TakeAndHang => std::future::pending().await,
        Reaction::HangUp | Reaction::TakeAndHangUp => Word::End,
    }
}

async fn converse(stream: TcpStream, script: &Script, caught: &Caught) -> std::io::Result<()> {
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    let mut to = None;
    let mut word = react(script(Moment::Greeting), "220 demo ESMTP").await;
    while let Word::Line(line) = word {
        output.write_all(format!("{line}\r\n").as_bytes()).await?;
        let Some(said) = read_line(&mut input).await? else { return Ok(()) };
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        let verb = said.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        word = match verb.as_str() {
            "EHLO" | "HELO" | "RSET" | "NOOP" => Word::Line("250 OK".to_owned()),
            "MAIL" => react(script(Moment::Sender), "250 OK").await,
            "RCPT" => {
                let address = said.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                let word = react(script(Moment::Recipient(&address)), "250 OK").await;
                to = Some(address);
                word
            }
            "DATA" => match to.take() {
                None => Word::Line("503 nobody to send it to".to_owned()),
                Some(to) => {
                    output.write_all(b"354 go on\r\n").await?;
                    let Some(raw) = read_mail(&mut input).await? else { return Ok(()) };
                    let mail = CaughtMail { at: clock::now(), to, raw };
                    let reaction = script(Moment::Mail(&mail));
                    if matches!(reaction, Reaction::Go | Reaction::TakeAndHangUp | Reaction::TakeAndHang) {
                        keep(caught, mail);
                    }
                    react(reaction, "250 kept").await
                }
            },
            "QUIT" => {
                output.write_all(b"221 bye\r\n").await?;
                Word::End
            }
            _ => Word::Line("502 not here".to_owned()),
        };
    }
    Ok(())
}

fn keep(caught: &Caught, mail: CaughtMail) {
    let mut caught = caught.lock().unwrap_or_else(PoisonError::into_inner);
    if caught.len() >= MAILS_MAX {
        caught.pop_front();
    }
    caught.push_back(mail);
}

/// A line with its end; `None` when there is none, or too long a one.
async fn read_line(input: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.take(LINE_LENGTH_MAX).read_until(b'\n', &mut line).await?;
    Ok(line.ends_with(b"\n").then_some(line))
}

/// A mail up to the line with a dot alone; `None` when it breaks off or is too large.
async fn read_mail(input: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> std::io::Result<Option<Vec<u8>>> {
    let mut mail = Vec::new();
    loop {
        let Some(line) = read_line(input).await? else { return Ok(None) };
        if line == b".\r\n" {
            return Ok(Some(mail));
        }
        // A line that began with a dot has got another one.
        mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        if mail.len() > MAIL_LENGTH_MAX {
            return Ok(None);
        }
    }
}
