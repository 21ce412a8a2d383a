//! A mail server that delivers nothing and shows the mails it received: for the demo, and for tests with scripted
//! failures.
//!
//! It implements as much SMTP (RFC 5321) as receiving a mail takes, and keeps the latest mails in memory.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::rt::task::JoinHandle;
use domain::UnixMs;
use engine::locks::MutexExt as _;
use mail_parser::MessageParser;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::clock;

/// The number of mails that are kept.
const MAILS_MAX: usize = 500;
/// The largest mail, in bytes.
const MAIL_LENGTH_MAX: usize = 65_536;
/// The longest line, in bytes (RFC 5321 permits 1,000).
const LINE_LENGTH_MAX: u64 = 2_048;
/// The number of concurrent conversations, and the timeout of each.
const CONVERSATIONS_MAX: usize = 16;
const CONVERSATION_TIMEOUT: Duration = Duration::from_mins(2);

/// A point of a conversation at which a failure can be scripted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpStage<'mail> {
    /// The client has connected.
    Greeting,
    /// The client has named the sender.
    Sender,
    /// The client has named the recipient.
    Recipient(&'mail str),
    /// The client has sent a mail to the last byte.
    Mail(&'mail CaughtMail),
}

/// The reaction of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpReply {
    /// The normal reaction.
    Normal,
    /// Refuses with this line.
    Reply(&'static str),
    /// Stops answering.
    Hang,
    /// Disconnects; a mail is not kept.
    Disconnect,
    /// Keeps the mail and disconnects without an answer.
    AcceptAndDisconnect,
    /// Keeps the mail and stops answering.
    AcceptAndHang,
}

/// A script of failures.
pub type Script = Arc<dyn Fn(SmtpStage<'_>) -> SmtpReply + Send + Sync>;

/// A mail that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaughtMail {
    /// The time of arrival.
    pub at: UnixMs,
    /// The recipient, as named in the conversation.
    pub to: String,
    /// The raw mail.
    pub raw: Vec<u8>,
}

/// The decoded parts of a mail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadMail {
    /// The `Message-ID`, without brackets.
    pub message_id: String,
    /// The subject.
    pub subject: String,
    /// The text.
    pub text: String,
    /// The URL of the header `List-Unsubscribe`, without brackets.
    pub unsubscribe: String,
}

impl CaughtMail {
    /// Decodes the mail; all parts are empty if it is malformed.
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

/// The received mails, the oldest first.
type Caught = Arc<Mutex<VecDeque<CaughtMail>>>;

/// A mail server on this machine. It stops when it is dropped.
pub struct MailCatcher {
    address: SocketAddr,
    caught: Caught,
    task: JoinHandle<()>,
}

impl MailCatcher {
    /// Listens on any port.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open() -> std::io::Result<Self> {
        Self::open_with(Arc::new(|_| SmtpReply::Normal))
    }

    /// Listens on any port, with scripted failures.
    ///
    /// # Errors
    /// Fails if no port is free.
    pub fn open_with(script: Script) -> std::io::Result<Self> {
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let (listener, address) = (TcpListener::from_std(listener.try_clone()?)?, listener.local_addr()?);
        let caught = Caught::default();
        let task = actix_web::rt::spawn(listen(listener, script, Arc::clone(&caught)));
        Ok(Self { address, caught, task })
    }

    /// Returns the address it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the received mails, the oldest first.
    #[must_use]
    pub fn mails(&self) -> Vec<CaughtMail> {
        self.caught.lock_unpoisoned().iter().cloned().collect()
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
            // Errors and timeouts of clients are ignored.
            let _ = timeout(CONVERSATION_TIMEOUT, converse(stream, &script, &caught)).await;
            drop(slot);
        });
    }
}

/// The next output of the server.
enum ServerOutput {
    Line(String),
    End,
}

async fn react(reaction: SmtpReply, usual: &str) -> ServerOutput {
    match reaction {
        SmtpReply::Normal => ServerOutput::Line(usual.to_owned()),
        SmtpReply::Reply(line) => ServerOutput::Line(line.to_owned()),
        SmtpReply::Hang | SmtpReply::AcceptAndHang => std::future::pending().await,
        SmtpReply::Disconnect | SmtpReply::AcceptAndDisconnect => ServerOutput::End,
    }
}

async fn converse(stream: TcpStream, script: &Script, caught: &Caught) -> std::io::Result<()> {
    let (input, mut output) = stream.into_split();
    let mut input = BufReader::new(input);
    let mut to = None;
    let mut next_output = react(script(SmtpStage::Greeting), "220 demo ESMTP").await;
    while let ServerOutput::Line(line) = next_output {
        output.write_all(format!("{line}\r\n").as_bytes()).await?;
        let Some(said) = read_line(&mut input).await? else { return Ok(()) };
        let said = String::from_utf8_lossy(&said).trim_end().to_owned();
        let verb = said.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        next_output = match verb.as_str() {
            "EHLO" | "HELO" | "RSET" | "NOOP" => ServerOutput::Line("250 OK".to_owned()),
            "MAIL" => react(script(SmtpStage::Sender), "250 OK").await,
            "RCPT" => {
                let address = said.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                let next_output = react(script(SmtpStage::Recipient(&address)), "250 OK").await;
                to = Some(address);
                next_output
            }
            "DATA" => match to.take() {
                None => ServerOutput::Line("503 no recipient".to_owned()),
                Some(to) => {
                    output.write_all(b"354 go on\r\n").await?;
                    let Some(raw) = read_mail(&mut input).await? else { return Ok(()) };
                    let mail = CaughtMail { at: clock::now(), to, raw };
                    let reaction = script(SmtpStage::Mail(&mail));
                    if matches!(reaction, SmtpReply::Normal | SmtpReply::AcceptAndDisconnect | SmtpReply::AcceptAndHang)
                    {
                        keep(caught, mail);
                    }
                    react(reaction, "250 kept").await
                }
            },
            "QUIT" => {
                output.write_all(b"221 bye\r\n").await?;
                ServerOutput::End
            }
            _ => ServerOutput::Line("502 not here".to_owned()),
        };
    }
    Ok(())
}

fn keep(caught: &Caught, mail: CaughtMail) {
    let mut caught = caught.lock_unpoisoned();
    if caught.len() >= MAILS_MAX {
        caught.pop_front();
    }
    caught.push_back(mail);
}

/// Reads a line with its end; `None` at the end of the input, or if the line is too long.
async fn read_line(input: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.take(LINE_LENGTH_MAX).read_until(b'\n', &mut line).await?;
    Ok(line.ends_with(b"\n").then_some(line))
}

/// Reads a mail up to the line with a single dot; `None` when the input ends or the mail is too large.
async fn read_mail(input: &mut BufReader<tokio::net::tcp::OwnedReadHalf>) -> std::io::Result<Option<Vec<u8>>> {
    let mut mail = Vec::new();
    loop {
        let Some(line) = read_line(input).await? else { return Ok(None) };
        if line == b".\r\n" {
            return Ok(Some(mail));
        }
        // Clients double a dot at the beginning of a line.
        mail.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        if mail.len() > MAIL_LENGTH_MAX {
            return Ok(None);
        }
    }
}
