//! The SMTP client, which hands mails to the operator's mail server.
//!
//! The transport blocks, so each mail has a thread of its own, of which there are few: a slow server delays only mails.
//! The conversation is executed step by step, because it matters where it breaks: before the last byte of a mail the
//! server has not accepted it, and after that the result is unknown until the server answers.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use lettre::address::Envelope;
use lettre::message::Mailbox;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::extension::ClientId;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::outcome::SendOutcome;
use crate::config::delivery_settings::MailAccess;
use crate::config::mail_server::{MailSecurity, MailServer};
use crate::failure::Failure;

/// The number of mails that are sent concurrently.
pub const CONCURRENT_MAILS_MAX: usize = 4;
/// The time limit of a conversation, in multiples of the timeout of one answer.
const ANSWERS: u32 = 6;
/// The timeout of the final `QUIT`.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The text that rustls puts before the reason for refusing a certificate.
const NO_CERTIFICATE: &str = "invalid peer certificate: ";

/// An outgoing mail server.
pub struct Mailer {
    access: Arc<SmtpAccess>,
    from: Mailbox,
    slots: Arc<Semaphore>,
}

/// The permission to send one mail.
pub struct Slot(OwnedSemaphorePermit);

/// The connection parameters of the server.
struct SmtpAccess {
    server: MailServer,
    tls: Option<TlsParameters>,
    login: Option<(String, SecretString)>,
    ehlo: ClientId,
    answer_timeout: Duration,
}

/// Decides whether the text of a mail is sent: by the thread that would send it, or by the caller whose timeout has
/// passed.
struct Gate(AtomicU8);

impl Gate {
    const OPEN: u8 = 0;
    const PASSED: u8 = 1;
    const CLOSED: u8 = 2;

    /// Returns whether the text may be sent now. After that the caller waits for an answer.
    fn pass(&self) -> bool {
        self.0.compare_exchange(Self::OPEN, Self::PASSED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Returns whether the text was not sent, and never will be.
    fn close(&self) -> bool {
        self.0.compare_exchange(Self::OPEN, Self::CLOSED, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl Mailer {
    /// Builds a client of the configured server, with `answer_timeout` as the timeout of each answer.
    ///
    /// # Errors
    /// One line: the name of the host is not valid for a certificate.
    pub fn new(access: MailAccess, answer_timeout: Duration) -> Result<Self, Failure> {
        let tls = match access.server.security {
            MailSecurity::Tls | MailSecurity::StartTls => {
                let tls = TlsParameters::new_rustls(access.server.host.clone());
                Some(tls.map_err(|error| Failure::new(format!("the mail server cannot be used: {error}")))?)
            }
            MailSecurity::Clear => None,
        };
        Ok(Self::with_tls(access, tls, answer_timeout))
    }

    fn with_tls(access: MailAccess, tls: Option<TlsParameters>, answer_timeout: Duration) -> Self {
        let MailAccess { server, login, from } = access;
        let ehlo = ClientId::Domain(from.email.domain().to_owned());
        let access = Arc::new(SmtpAccess { server, tls, login, ehlo, answer_timeout });
        Self { access, from, slots: Arc::new(Semaphore::new(CONCURRENT_MAILS_MAX)) }
    }

    /// Returns the sender of mails.
    #[must_use]
    pub const fn from(&self) -> &Mailbox {
        &self.from
    }

    /// Waits until another mail can be sent; `None` when the client is closed.
    pub async fn slot(&self) -> Option<Slot> {
        Arc::clone(&self.slots).acquire_owned().await.ok().map(Slot)
    }

    /// Sends a mail.
    pub async fn send(&self, slot: Slot, mail: &lettre::Message) -> SendOutcome {
        let (envelope, text) = (mail.envelope().clone(), mail.formatted());
        let gate = Arc::new(Gate(AtomicU8::new(Gate::OPEN)));
        let thread_gate = Arc::clone(&gate);
        let conversation = self.on_thread(slot, move |access| access.deliver(&envelope, &text, &thread_gate));
        let unknown = || SendOutcome::Unknown("the mail server did not answer after a mail was sent".to_owned());
        match timeout(self.access.answer_timeout * ANSWERS, conversation).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) if gate.close() => SendOutcome::Unavailable("the mail server is too slow".to_owned()),
            Ok(Err(_)) | Err(_) => unknown(),
        }
    }

    /// Connects to the server, without sending a mail.
    ///
    /// # Errors
    /// The reason why it cannot be used, in one line.
    pub async fn check(&self) -> Result<(), String> {
        let slot = self.slot().await.ok_or("nothing is sent any more")?;
        let conversation = self.on_thread(slot, |access| (access.open().map(drop), None));
        match timeout(self.access.answer_timeout, conversation).await {
            Ok(Ok(called)) => called,
            Ok(Err(_)) | Err(_) => Err("it gives no answer".to_owned()),
        }
    }

    /// Runs a conversation on a thread of its own, which keeps its slot until it has closed the connection.
    fn on_thread<T: Send + 'static>(
        &self,
        slot: Slot,
        conversation: impl FnOnce(&SmtpAccess) -> (T, Option<SmtpConnection>) + Send + 'static,
    ) -> oneshot::Receiver<T> {
        let (sender, receiver) = oneshot::channel();
        let access = Arc::clone(&self.access);
        let started = thread::Builder::new().name("mail".to_owned()).spawn(move || {
            let (result, connection) = conversation(&access);
            // The receiver is gone when the server stops.
            let _ = sender.send(result);
            if let Some(mut connection) = connection
                && connection.set_timeout(Some(QUIT_TIMEOUT)).is_ok()
            {
                connection.abort();
            }
            drop(slot.0);
        });
        if let Err(error) = started {
            // The receiver observes that the sender is gone.
            tracing::error!(%error, "no thread for a mail");
        }
        receiver
    }
}

impl SmtpAccess {
    /// Connects to the server and authenticates.
    fn open(&self) -> Result<SmtpConnection, String> {
        let MailServer { host, port, security } = &self.server;
        let wrapped = self.tls.as_ref().filter(|_| *security == MailSecurity::Tls);
        let called =
            SmtpConnection::connect((host.as_str(), *port), Some(self.answer_timeout), &self.ehlo, wrapped, None);
        let mut connection = called.map_err(|error| reason("the greeting", &error))?;
        if let (MailSecurity::StartTls, Some(tls)) = (security, &self.tls) {
            connection.starttls(tls, &self.ehlo).map_err(|error| reason("STARTTLS", &error))?;
        }
        if let Some((user, password)) = &self.login {
            let credentials = Credentials::new(user.clone(), password.expose_secret().to_owned());
            connection.auth(DEFAULT_MECHANISMS, &credentials).map_err(|error| reason("the login", &error))?;
        }
        Ok(connection)
    }

    fn deliver(&self, envelope: &Envelope, text: &[u8], gate: &Gate) -> (SendOutcome, Option<SmtpConnection>) {
        let mut connection = match self.open() {
            Ok(connection) => connection,
            Err(why) => return (SendOutcome::Unavailable(why), None),
        };
        let outcome = converse(&mut connection, envelope, text, gate);
        let is_broken = matches!(outcome, SendOutcome::Unavailable(_) | SendOutcome::Unknown(_));
        (outcome, Some(connection).filter(|_| !is_broken))
    }
}

/// Before the recipient a refusal concerns this client, and from then on the mail.
fn converse(connection: &mut SmtpConnection, envelope: &Envelope, text: &[u8], gate: &Gate) -> SendOutcome {
    if let Err(error) = connection.command(Mail::new(envelope.from().cloned(), Vec::new())) {
        return SendOutcome::Unavailable(reason("the sender", &error));
    }
    for to in envelope.to() {
        if let Err(error) = connection.command(Rcpt::new(to.clone(), Vec::new())) {
            let outcome = classify("the recipient", &error);
            return match outcome {
                SendOutcome::Refused(why) if is_of_address(&error) => SendOutcome::Closed(why),
                other => other,
            };
        }
    }
    if let Err(error) = connection.command(Data) {
        return classify("DATA", &error);
    }
    if !gate.pass() {
        return SendOutcome::Unavailable("the mail server is too slow".to_owned());
    }
    match connection.message(text) {
        Ok(_) => SendOutcome::Accepted,
        Err(error) if error.status().is_some() => classify("the mail", &error),
        Err(error) => SendOutcome::Unknown(reason("the mail", &error)),
    }
}

/// The meaning of a refusal; without one the connection broke before the text was sent.
fn classify(step: &str, error: &Error) -> SendOutcome {
    let why = reason(step, error);
    if error.is_permanent() {
        SendOutcome::Refused(why)
    } else if error.is_transient() {
        SendOutcome::Deferred { why, after: None }
    } else {
        SendOutcome::Unavailable(why)
    }
}

/// Returns whether a refusal of the recipient means that the mailbox does not exist. Others concern this client, such
/// as `relaying denied`, or a mailbox that is full for now. The enhanced code (RFC 3463) distinguishes them; without
/// one the reply code decides.
fn is_of_address(error: &Error) -> bool {
    let Some(code) = error.status() else { return false };
    let reply = error.source().map(ToString::to_string).unwrap_or_default();
    let enhanced = reply.split_whitespace().next().filter(|word| word.split('.').count() == 3);
    match enhanced {
        Some(enhanced) => enhanced.starts_with("5.1.") || enhanced == "5.2.1",
        None => ["550", "551", "553"].contains(&code.to_string().as_str()),
    }
}

/// The server's text may contain the recipient, so only the code of a refusal is reported.
fn reason(step: &str, error: &Error) -> String {
    if let Some(code) = error.status() {
        return format!("the mail server answers {code} to {step}");
    }
    let error = error.to_string();
    match error.split_once(NO_CERTIFICATE) {
        Some((_, why)) => format!("the mail server shows a certificate that is not accepted: {why}"),
        None => format!("the mail server breaks off at {step}: {error}"),
    }
}

#[cfg(all(test, feature = "demo"))]
mod tests;
#[cfg(all(test, feature = "demo"))]
mod tls_server;
#[cfg(all(test, feature = "demo"))]
mod tls_tests;
