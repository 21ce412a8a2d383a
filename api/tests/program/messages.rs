//! Crash tests with messages in delivery: none is lost, and only those with an unknown outcome are repeated.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::{
    ContactChannel, ContactEvent, Event, LoanId, Message, MessageContent, MessageId, NoticeFacts, NoticeKind,
    OutboxEvent, Role, Stream, UnixMs, UserId,
};
use engine::journal::{Append, Batch, Journal as _};
use lienbook::clock;
use lienbook::delivery::mailer::CONCURRENT_MAILS_MAX;
use lienbook::delivery::worker::CONCURRENT_CHATS_MAX;
use lienbook::demo::mail_catcher::{self, MailCatcher, SmtpStage};
use lienbook::demo::telegram_double::{self, TelegramDouble};
use persistence::{Options, SledJournal};

use super::process::{Served, lienbook, prepare};

const USERS: usize = 40;
/// The number of messages that each side accepts after a start before it stops answering.
const ACCEPTED: usize = 5;

fn user(number: usize) -> UserId {
    UserId(1_000 + u64::try_from(number).unwrap())
}

fn chat(number: usize) -> i64 {
    500 + i64::try_from(number).unwrap()
}

/// Fills the outbox: channels for all users, and a message for each of them by each channel.
async fn fill(data: &Path) {
    let at = clock::now();
    let contacts = (0..USERS).flat_map(|number| {
        let (user, serial) = (user(number), u64::try_from(number).unwrap() + 1);
        let address = format!("lender{number}@example.org");
        let given = ContactEvent::EmailSet { user, address, serial, expires_at: at.plus_ms(60_000) };
        [given, ContactEvent::EmailVerified { user }, ContactEvent::TelegramLinked { user, chat: chat(number) }]
    });
    let messages = (0..USERS).flat_map(|number| {
        [ContactChannel::Email, ContactChannel::Telegram].map(|channel| {
            let id =
                MessageId(u64::try_from(number * 2 + usize::from(channel == ContactChannel::Telegram)).unwrap() + 1);
            let content = MessageContent::Notice(facts(at));
            OutboxEvent::Queued(Box::new(Message { id, user: user(number), channel, content }))
        })
    });
    let journal = SledJournal::open(data, Options::default()).unwrap();
    let append = |stream, events| Append { stream, after: 0, events };
    let appends = vec![
        append(Stream::Contacts, contacts.map(Event::Contact).collect()),
        append(Stream::Outbox, messages.map(Event::Message).collect()),
    ];
    journal.append(Batch { at, appends }).await.unwrap().unwrap();
    journal.close();
}

fn facts(at: UnixMs) -> NoticeFacts {
    NoticeFacts {
        id: "claimable".to_owned(),
        kind: NoticeKind::Claimable,
        at,
        collection_name: "Paper Frogs".to_owned(),
        loan: Some(LoanId(7)),
        role: Some(Role::Lender),
        offer: None,
    }
}

/// A side that stops answering: the number of messages it received since the start, and whether it keeps the later
/// ones.
#[derive(Default)]
struct FlakyServer {
    given: AtomicUsize,
    silent_after: AtomicUsize,
    keeps_unanswered: AtomicUsize,
}

impl FlakyServer {
    /// `None` if it answers; otherwise whether it keeps the message that it received.
    fn next(&self) -> Option<bool> {
        let given = self.given.fetch_add(1, Ordering::SeqCst);
        (given >= self.silent_after.load(Ordering::SeqCst)).then(|| self.keeps_unanswered.load(Ordering::SeqCst) > 0)
    }

    fn begin(&self, silent_after: usize, keeps_unanswered: bool) {
        self.given.store(0, Ordering::SeqCst);
        self.silent_after.store(silent_after, Ordering::SeqCst);
        self.keeps_unanswered.store(usize::from(keeps_unanswered), Ordering::SeqCst);
    }

    fn given(&self) -> usize {
        self.given.load(Ordering::SeqCst)
    }
}

async fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..3_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not within thirty seconds: {what}");
}

#[actix_web::test]
async fn a_killed_server_loses_no_message_and_repeats_only_those_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path()).await;
    fill(folder.path()).await;
    let (post, chats) = (Arc::new(FlakyServer::default()), Arc::new(FlakyServer::default()));
    let (their_post, their_chats) = (Arc::clone(&post), Arc::clone(&chats));
    let catcher = MailCatcher::open_with(Arc::new(move |moment| match moment {
        SmtpStage::Mail(_) => match their_post.next() {
            None => mail_catcher::SmtpReply::Normal,
            Some(false) => mail_catcher::SmtpReply::Hang,
            Some(true) => mail_catcher::SmtpReply::AcceptAndHang,
        },
        _ => mail_catcher::SmtpReply::Normal,
    }))
    .unwrap();
    let script: telegram_double::Script = Arc::new(move |method, _| match method {
        "sendMessage" => match their_chats.next() {
            None => telegram_double::TelegramReply::Normal,
            Some(false) => telegram_double::TelegramReply::Hang,
            Some(true) => telegram_double::TelegramReply::AcceptAndHang,
        },
        _ => telegram_double::TelegramReply::Normal,
    });
    let telegram = TelegramDouble::open_with("lienbook_test_bot", script).unwrap();
    let serve = || {
        let data = folder.path().to_str().unwrap();
        let (smtp, api) =
            (format!("smtp_url=smtp://{}", catcher.address()), format!("telegram_url={}", telegram.url()));
        let mut command = lienbook(&["serve", "--data", data, "--listen", "127.0.0.1:0", "--log", "error"]);
        command.args(["--set", &smtp, "--set", "mail_from=notices@lienbook.example", "--set", &api]);
        command.args(["--public-url", "https://lienbook.example"]);
        Served::launch_command(command.env("LIENBOOK_TELEGRAM_TOKEN", telegram.token()), "Serving ").0
    };
    for keeps_unanswered in [false, true] {
        post.begin(ACCEPTED, keeps_unanswered);
        chats.begin(ACCEPTED, keeps_unanswered);
        let served = serve();
        wait_until("the other sides are silent", || {
            post.given() >= ACCEPTED + CONCURRENT_MAILS_MAX && chats.given() >= ACCEPTED + CONCURRENT_CHATS_MAX
        })
        .await;
        served.kill();
    }
    post.begin(usize::MAX, false);
    chats.begin(usize::MAX, false);
    let served = serve();
    let repeated = (USERS + CONCURRENT_MAILS_MAX, USERS + CONCURRENT_CHATS_MAX);
    wait_until("everything arrives", || (catcher.mails().len(), telegram.sent_messages().len()) == repeated).await;
    let mails: Vec<_> = catcher.mails().iter().map(mail_catcher::CaughtMail::read).collect();
    let ids: BTreeSet<&str> = mails.iter().map(|mail| mail.message_id.as_str()).collect();
    assert_eq!(ids.len(), USERS, "a repeated mail has the same id");
    let mailed: BTreeSet<String> = catcher.mails().into_iter().map(|mail| mail.to).collect();
    let messaged: BTreeSet<i64> = telegram.sent_messages().into_iter().map(|said| said.chat).collect();
    assert_eq!((mailed.len(), messaged.len()), (USERS, USERS), "every user is notified");
    // Nothing arrives after that.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!((catcher.mails().len(), telegram.sent_messages().len()), repeated);
    served.terminate();
}

#[test]
fn an_unusable_contact_way_is_named_by_the_check_without_its_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let check = |more: &[&str], token: Option<&str>| {
        let mut command = lienbook(&["check", "--data", data]);
        command.args(more).env("LIENBOOK_SMTP_PASSWORD", "a-secret");
        if let Some(token) = token {
            command.env("LIENBOOK_TELEGRAM_TOKEN", token);
        }
        command.output().unwrap()
    };
    drop(SledJournal::open(folder.path(), Options::default()).unwrap());
    let mail = ["--set", "smtp_url=smtp://127.0.0.1:9", "--set", "mail_from=notices@lienbook.example"];
    let sound = [&mail[..], &["--public-url", "https://lienbook.example"]].concat();
    for (more, token, named) in [
        (&mail[..], None, "public_url"),
        (&sound, None, "No mail goes out now"),
        (&[&sound[..], &["--set", "smtp_user=lienbook"]].concat(), None, "No mail goes out now"),
        (&["--set", "telegram_url=http://127.0.0.1:9"], None, "LIENBOOK_TELEGRAM_TOKEN"),
        (&["--set", "telegram_url=http://127.0.0.1:9"], Some("not-a-token"), "token"),
        (&["--set", "telegram_url=http://127.0.0.1:9"], Some("12:a-token"), "The Telegram bot cannot be used now"),
    ] {
        let output = check(more, token);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(named), "{more:?}: {said}");
        assert!(!said.contains("a-secret") && !said.contains("a-token"), "{said}");
    }
    assert!(check(&[], None).status.success());
}
