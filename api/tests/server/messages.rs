//! Tests of notifications that are really sent over sockets: by mail and by Telegram.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::{ContactChannel, LoanId, MessageContent, NoticeFacts, NoticeKind, OfferId, Role, UnixMs, UserId};
use lienbook::config::delivery_timing::DeliveryTiming;
use lienbook::delivery::mail_tokens::MailTask;
use lienbook::demo::mail_catcher::{SmtpReply, SmtpStage};
use lienbook::demo::telegram_double;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::lender::TestUser;
use super::message_servers::{
    BOT, FAST_DELIVERY, MessageServers, add_contacts, crash_with_outbox, wait_until, wait_until_async,
};
use super::rig::Rig;
use super::test_loans::TestLoan;

const MINE: &str = "/api/v1/me/notifications";
const EMAIL: &str = "/api/v1/me/notifications/email";
const TELEGRAM: &str = "/api/v1/me/notifications/telegram";
const CHANNELS: [ContactChannel; 2] = [ContactChannel::Email, ContactChannel::Telegram];

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The token after the `#` in a text's link for this task.
fn token(text: &str, task: &str) -> String {
    let (_, rest) = text.split_once(&format!("/settings/notifications#{task}=")).unwrap();
    rest.split_whitespace().next().unwrap().to_owned()
}

fn notice(id: usize, kind: NoticeKind, at: UnixMs, role: Role, loan: LoanId) -> MessageContent {
    MessageContent::Notice(NoticeFacts {
        id: id.to_string(),
        kind,
        at,
        collection_name: "paper frogs".to_owned(),
        loan: Some(loan),
        role: Some(role),
        offer: None,
    })
}

/// The kinds about loans and offers.
fn kinds() -> impl Iterator<Item = NoticeKind> {
    NoticeKind::ALL.into_iter().filter(|kind| kind.is_choosable())
}

fn is_about_offer(kind: NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::OfferPaused | NoticeKind::TermChange | NoticeKind::OfferNotAdmitted | NoticeKind::OfferForYou
    )
}

#[actix_web::test]
async fn an_address_is_verified_and_ended_by_the_links_of_its_mails() {
    let post = MessageServers::open();
    let rig = post.serve(folder()).await;
    let lender = TestUser::sign_in(&rig, 1).await;
    lender.post(&rig, EMAIL, &json!({"email": "lender@example.org"})).await.ok();
    let mail = post.mails_when(1).await.remove(0);
    assert_eq!((post.mail.mails().len(), mail.subject.as_str()), (1, "Confirm your e-mail address"));
    assert!(mail.text.contains("https://lienbook.example/settings/notifications#verify="), "{}", mail.text);
    let body = json!({"token": token(&mail.text, "verify")});
    assert_eq!(rig.post("/api/v1/notifications/verification", &body).await.status, StatusCode::NO_CONTENT);
    assert_eq!(lender.get(&rig, MINE).await.ok()["email"]["isVerified"], true);

    // A mail program follows the header, the recipient follows the link; either ends the mails.
    let path = mail.unsubscribe.strip_prefix("https://lienbook.example").unwrap().to_owned();
    assert!(mail.unsubscribe.ends_with(&token(&mail.text, "unsubscribe")), "{}", mail.unsubscribe);
    let request = rig.request(Method::POST, &path).header("content-type", "application/x-www-form-urlencoded");
    let ended = rig.send(request.body("List-Unsubscribe=One-Click")).await;
    assert_eq!(ended.status, StatusCode::NO_CONTENT);
    assert_eq!(lender.get(&rig, MINE).await.ok()["email"]["isVerified"], false);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_chat_is_linked_by_its_owner_and_notified_until_it_is_unlinked() {
    let post = MessageServers::open();
    let rig = post.serve(folder()).await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    wait_until(|| rig.app().delivery.bot().unwrap().name().is_some()).await;
    let mine = lender.get(&rig, MINE).await.ok();
    assert_eq!((&mine["telegram"]["isAvailable"], &mine["telegram"]["botName"]), (&json!(true), &json!(BOT)));
    let url = lender.send(&rig, Method::POST, TELEGRAM, None).await.ok()["url"].as_str().unwrap().to_owned();
    let token = url.strip_prefix(&format!("https://t.me/{BOT}?start=")).unwrap();
    post.telegram.receive(7, "hello");
    post.telegram.receive(7, "/start");
    post.telegram.receive(7, "/start not-a-token");
    post.telegram.receive(7, &format!("/start {token}"));
    post.telegram.receive(8, &format!("/start {token}"));
    let said = post.sent_texts_when(7, 4).await;
    assert!(said[0].contains("I tell you") && said[1].contains("link Telegram"), "{said:?}");
    assert!(said[2].contains("too old") && said[3].starts_with("Linked."), "{said:?}");
    assert!(post.sent_texts_when(8, 1).await[0].contains("used or is too old"), "a token links one chat");
    assert_eq!(lender.get(&rig, MINE).await.ok()["telegram"]["isLinked"], true);

    TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    let said = post.sent_texts_when(7, 5).await;
    assert!(said[4].starts_with("Counter-sign within 12 hours (paper frogs)"), "{said:?}");
    assert!(said[4].contains("0.004 BTC") && said[4].contains("https://lienbook.example/portfolio?tab=loans&loan="));
    assert_eq!(said.len(), 5, "accepted offers are not among the chosen kinds");
    post.telegram.receive(7, "/stop");
    assert!(post.sent_texts_when(7, 6).await[5].contains("are no longer sent"));
    assert_eq!(lender.get(&rig, MINE).await.ok()["telegram"]["isLinked"], false);
    TestLoan::prepared(&rig, &lender, &borrower).await.accept(&rig).await;
    assert_eq!(post.sent_texts_when(7, 6).await.len(), 6);
    assert_eq!(post.mail.mails().len(), 0);
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_missing_mailbox_is_reported_to_its_owner_and_gets_no_more_mails() {
    let asked = Arc::new(AtomicUsize::new(0));
    let script = {
        let asked = Arc::clone(&asked);
        move |moment: SmtpStage<'_>| match moment {
            SmtpStage::Recipient(_) => {
                asked.fetch_add(1, Ordering::SeqCst);
                SmtpReply::Reply("550 5.1.1 no such mailbox")
            }
            _ => SmtpReply::Normal,
        }
    };
    let post = MessageServers::open_with_mail(Arc::new(script));
    let (rig, lender) = with_one(&post, ContactChannel::Email).await;
    let email = async |rig: &Rig, user: &TestUser| user.get(rig, MINE).await.ok()["email"].clone();
    let refused = async |rig: &Rig, user: &TestUser| {
        let contact = rig.app().market.contact(user.id).await.unwrap();
        contact.email.is_some_and(|email| email.bounced_at.is_some())
    };
    wait_until_async(|| refused(&rig, &lender)).await;
    let contact = email(&rig, &lender).await;
    assert!(contact["refusedAt"].as_u64().is_some_and(|at| at <= rig.app().now().0), "{contact}");
    assert_eq!((&contact["address"], &contact["isVerified"]), (&json!("lender@example.org"), &json!(true)));
    let session = lender.get(&rig, "/api/v1/session").await.ok();
    assert_eq!(session["notificationPreferences"]["isEmailVerified"], false, "mails to it bounce");

    // The state survives a restart, and later events are not sent to that address.
    let content = notice(2, NoticeKind::Claimable, rig.app().now(), Role::Lender, LoanId(8));
    let folder = crash_with_outbox(rig, vec![(lender.id, ContactChannel::Email, content)]).await;
    let rig = post.serve(folder).await;
    wait_until(|| waiting(&rig) == 0).await;
    assert_eq!((email(&rig, &lender).await, asked.load(Ordering::SeqCst)), (contact, 1));

    // The mail that verifies an address is refused in the same way. A recipient who opens its link all the same proves
    // that mail arrives.
    let other = TestUser::sign_in(&rig, 2).await;
    other.post(&rig, EMAIL, &json!({"email": "mistyped@example.org"})).await.ok();
    wait_until_async(|| refused(&rig, &other)).await;
    assert_eq!((email(&rig, &other).await["isVerified"].clone(), waiting(&rig)), (json!(false), 0));
    let serial = rig.app().market.contact(other.id).await.unwrap().email.unwrap().serial;
    let token = rig.app().delivery.mail_tokens.token(MailTask::Verify, other.id, serial);
    let verified = rig.post("/api/v1/notifications/verification", &json!({ "token": token })).await;
    assert_eq!(verified.status, StatusCode::NO_CONTENT);
    assert_eq!(email(&rig, &other).await["refusedAt"], json!(null));
    rig.server.stop().await;
}

#[actix_web::test]
async fn every_kind_arrives_once_by_each_channel_complete_and_with_its_loan_or_offer() {
    let rig = Rig::start().await;
    let (lender, borrower) = (TestUser::sign_in(&rig, 1).await, TestUser::sign_in(&rig, 2).await);
    let other = TestUser::sign_in(&rig, 3).await;
    let loan = TestLoan::running(&rig, &lender, &borrower).await.id;
    // Earlier events cause no message.
    tokio::time::sleep(Duration::from_millis(5)).await;
    add_contacts(&rig, &lender, "lender@example.org", 1).await;
    add_contacts(&rig, &borrower, "borrower@example.org", 2).await;
    add_contacts(&rig, &other, "other@example.org", 3).await;
    let offer: OfferId = lender.quote(&rig, "paper-frogs-7d", 300_000, 1).await[0].parse().unwrap();
    let at = rig.app().now();
    let mut messages = Vec::new();
    for (place, kind) in kinds().enumerate() {
        // Spread over users, so that none gets more than the limit for a minute.
        let (user, role) = [(&lender, Role::Lender), (&borrower, Role::Borrower), (&other, Role::Borrower)][place % 3];
        let mut content = notice(place, kind, at, role, loan);
        if let MessageContent::Notice(facts) = &mut content
            && is_about_offer(kind)
        {
            (facts.loan, facts.role, facts.offer) = (None, None, Some(offer));
        }
        messages.extend(CHANNELS.map(|channel| (user.id, channel, content.clone())));
    }
    let post = MessageServers::open();
    let rig = post.serve(crash_with_outbox(rig, messages).await).await;
    let mails = post.mails_when(kinds().count()).await;
    let count = kinds().count();
    let mut chats: Vec<String> = Vec::new();
    for chat in 1..=3 {
        let of_user = (0..count).filter(|place| place % 3 == usize::try_from(chat).unwrap() - 1).count();
        chats.extend(post.sent_texts_when(chat, of_user).await);
    }
    let ids: BTreeSet<&str> = mails.iter().map(|mail| mail.message_id.as_str()).collect();
    assert_eq!((mails.len(), chats.len(), ids.len()), (count, count, count), "every mail has an id of its own");
    assert!(mails.iter().all(|mail| mail.subject != "Confirm your e-mail address"), "the address was verified already");
    for (place, kind) in kinds().enumerate() {
        let about = if is_about_offer(kind) {
            format!("https://lienbook.example/portfolio?offer={offer}\n")
        } else {
            format!("loan={loan}\n")
        };
        let principal = if is_about_offer(kind) { "0.003 BTC" } else { "0.004 BTC" };
        let chat = chats.iter().filter(|text| text.contains(&about[..about.len() - 1]) && text.contains(principal));
        let subjects: BTreeSet<&str> = chat.filter_map(|text| text.lines().next()).collect();
        let mails = mails.iter().filter(|mail| mail.text.contains(&about) && mail.text.contains(principal));
        let of_kind = mails.filter(|mail| subjects.contains(mail.subject.as_str())).count();
        assert!(of_kind > 0, "{place} {kind:?}");
    }
    let subjects: BTreeSet<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    assert_eq!(subjects.len(), kinds().count(), "{subjects:?}");
    let texts = mails.iter().map(|mail| format!("{}\n{}", mail.subject, mail.text)).chain(chats).collect::<String>();
    assert!(!super::test_loans::SECRETS.iter().any(|secret| texts.contains(secret)));
    wait_until(|| waiting(&rig) == 0).await;
    let figures = [("email", mails.len()), ("telegram", post.telegram.sent_messages().len())]
        .map(|(channel, count)| format!("lienbook_messages_total{{channel=\"{channel}\",outcome=\"sent\"}} {count}\n"));
    // The outcome is counted after it is journaled.
    wait_until_async(|| async {
        let page = rig.get_metrics("/metrics").await.text().await.unwrap();
        figures.iter().all(|figure| page.contains(figure)) && page.contains("lienbook_messages_waiting 0\n")
    })
    .await;
    rig.server.stop().await;
}

/// A server with one message to a lender by one channel.
async fn with_one(post: &MessageServers, channel: ContactChannel) -> (Rig, TestUser) {
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    add_contacts(&rig, &lender, "lender@example.org", 1).await;
    let content = notice(1, NoticeKind::Claimable, rig.app().now(), Role::Lender, LoanId(7));
    let folder = crash_with_outbox(rig, vec![(lender.id, channel, content)]).await;
    (post.serve(folder).await, lender)
}

fn waiting(rig: &Rig) -> usize {
    rig.app().market.waiting_messages()
}

#[actix_web::test]
async fn a_mail_that_is_not_accepted_is_retried_and_arrives_once() {
    for (step, nth, arrives) in [
        ("recipient", SmtpReply::Reply("451 greylisted"), 1),
        ("mail", SmtpReply::Reply("452 full"), 1),
        ("sender", SmtpReply::Reply("550 who are you"), 1),
        ("greeting", SmtpReply::Disconnect, 1),
        ("mail", SmtpReply::Disconnect, 1),
        // It was accepted without an acknowledgement: the same mail is sent again, with the same id.
        ("mail", SmtpReply::AcceptAndDisconnect, 2),
    ] {
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let post = MessageServers::open_with_mail(Arc::new(move |moment| {
            let is_step = matches!(
                (step, moment),
                ("greeting", SmtpStage::Greeting)
                    | ("sender", SmtpStage::Sender)
                    | ("recipient", SmtpStage::Recipient(_))
                    | ("mail", SmtpStage::Mail(_))
            );
            // The first call only checks the bot's connection.
            let first = usize::from(step == "greeting");
            let is_now = is_step && (first..first + 2).contains(&counted.fetch_add(1, Ordering::Relaxed));
            if is_now && !(nth == SmtpReply::AcceptAndDisconnect && counted.load(Ordering::Relaxed) > 1) {
                nth
            } else {
                SmtpReply::Normal
            }
        }));
        let (rig, _) = with_one(&post, ContactChannel::Email).await;
        let mails = post.mails_when(arrives).await;
        wait_until(|| waiting(&rig) == 0).await;
        let ids: BTreeSet<String> = mails.iter().map(|mail| mail.message_id.clone()).collect();
        assert_eq!((mails.len(), ids.len()), (arrives, 1), "{step} {nth:?}");
        rig.server.stop().await;
    }
}

#[actix_web::test]
async fn a_permanently_refused_mail_is_given_up_and_reported() {
    let post = MessageServers::open_with_mail(Arc::new(|moment| match moment {
        SmtpStage::Recipient(_) => SmtpReply::Reply("550 5.1.1 no such mailbox"),
        _ => SmtpReply::Normal,
    }));
    let (rig, _) = with_one(&post, ContactChannel::Email).await;
    wait_until(|| waiting(&rig) == 0).await;
    // The outcome is counted after it is journaled.
    let failed = "lienbook_messages_total{channel=\"email\",outcome=\"failed\"} 1\n";
    wait_until_async(|| async { rig.get_metrics("/metrics").await.text().await.unwrap().contains(failed) }).await;
    assert_eq!(post.mail.mails().len(), 0);
    rig.server.stop().await;
}

#[actix_web::test]
async fn telegram_is_retried_after_its_requested_delay_and_a_closed_chat_is_unlinked() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let script: telegram_double::Script = Arc::new(move |method, _| {
        if method == "sendMessage" && counted.fetch_add(1, Ordering::Relaxed) == 0 {
            let body =
                json!({"ok": false, "error_code": 429, "description": "slow down", "parameters": {"retry_after": 1}});
            return telegram_double::TelegramReply::Reply(429, body);
        }
        telegram_double::TelegramReply::Normal
    });
    let go = || Arc::new(|_: SmtpStage<'_>| SmtpReply::Normal);
    let post = MessageServers::open_with(go(), script);
    let begun = Instant::now();
    let (rig, _) = with_one(&post, ContactChannel::Telegram).await;
    assert_eq!(post.sent_texts_when(1, 1).await.len(), 1);
    assert!(begun.elapsed() >= Duration::from_secs(1) && tries.load(Ordering::Relaxed) == 2);
    rig.server.stop().await;

    for (status, is_linked) in [(403, false), (400, true)] {
        let script: telegram_double::Script = Arc::new(move |method, _| match method {
            "sendMessage" => telegram_double::TelegramReply::Reply(
                status,
                json!({"ok": false, "error_code": status, "description": "no"}),
            ),
            _ => telegram_double::TelegramReply::Normal,
        });
        let post = MessageServers::open_with(go(), script);
        let (rig, lender) = with_one(&post, ContactChannel::Telegram).await;
        wait_until(|| waiting(&rig) == 0).await;
        // The end of the link follows the end of the message; that a link stays shows after a while only.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let is_as_expected = async || lender.get(&rig, MINE).await.ok()["telegram"]["isLinked"] == is_linked;
        wait_until_async(is_as_expected).await;
        assert_eq!(post.telegram.sent_messages().len(), 0);
        rig.server.stop().await;
    }
}

#[actix_web::test]
async fn a_chat_that_blocks_the_bot_is_unlinked_and_a_lost_answer_is_retried_a_few_times() {
    let script: telegram_double::Script = Arc::new(|method, _| match method {
        "sendMessage" => telegram_double::TelegramReply::AcceptAndReplyMalformed,
        _ => telegram_double::TelegramReply::Normal,
    });
    let post = MessageServers::open_with(Arc::new(|_: SmtpStage<'_>| SmtpReply::Normal), script);
    let (rig, lender) = with_one(&post, ContactChannel::Telegram).await;
    wait_until(|| waiting(&rig) == 0).await;
    assert_eq!(post.sent_texts_when(1, 3).await.len(), 3);
    post.telegram.block(1);
    wait_until_async(async || lender.get(&rig, MINE).await.ok()["telegram"]["isLinked"] == false).await;
    rig.server.stop().await;
}

#[actix_web::test]
async fn a_hanging_mail_server_delays_nothing_else() {
    let post = MessageServers::open_with_mail(Arc::new(|_| SmtpReply::Hang));
    let rig = Rig::start().await;
    let lender = TestUser::sign_in(&rig, 1).await;
    add_contacts(&rig, &lender, "lender@example.org", 1).await;
    let at = rig.app().now();
    let both = |number: usize| {
        CHANNELS.map(|channel| (lender.id, channel, notice(number, NoticeKind::Claimable, at, Role::Lender, LoanId(7))))
    };
    let messages: Vec<(UserId, ContactChannel, MessageContent)> = (0..8).flat_map(both).collect();
    // A request that waits for the mail server would wait for longer than this test permits.
    let timing =
        DeliveryTiming { mail_timeout: Duration::from_secs(90), stop_timeout: Duration::from_secs(2), ..FAST_DELIVERY };
    let rig = post.serve_within(crash_with_outbox(rig, messages).await, timing).await;
    let begun = Instant::now();
    for _ in 0..50 {
        lender.get(&rig, MINE).await.ok();
    }
    lender.quote(&rig, "paper-frogs-7d", 300_000, 1).await;
    assert_eq!(post.sent_texts_when(1, 8).await.len(), 8, "chats are notified");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert_eq!((post.mail.mails().len(), waiting(&rig)), (0, 8), "mails wait");
    let begun = Instant::now();
    rig.server.stop().await;
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[actix_web::test]
async fn a_restart_during_delivery_loses_nothing_and_repeats_nothing() {
    let post = MessageServers::open();
    let rig = Rig::start().await;
    let mut users = Vec::new();
    for seed in 1..=8 {
        let user = TestUser::sign_in(&rig, seed).await;
        add_contacts(&rig, &user, &format!("lender{seed}@example.org"), i64::from(seed)).await;
        users.push(user);
    }
    let at = rig.app().now();
    let mut messages = Vec::new();
    for (number, user) in (0..6).flat_map(|number| users.iter().map(move |user| (number, user))) {
        let content = notice(number, NoticeKind::Claimable, at, Role::Lender, LoanId(7));
        messages.extend(CHANNELS.map(|channel| (user.id, channel, content.clone())));
    }
    let half = messages.len() / 2;
    let mut folder = crash_with_outbox(rig, messages).await;
    for count in [3, 10, 20] {
        let rig = post.serve(folder).await;
        wait_until(|| post.mail.mails().len() >= count).await;
        let Rig { server, folder: kept, .. } = rig;
        server.stop().await;
        folder = kept;
    }
    let rig = post.serve(folder).await;
    let mails = post.mails_when(half).await;
    wait_until(|| post.telegram.sent_messages().len() >= half).await;
    wait_until(|| waiting(&rig) == 0).await;
    let ids: BTreeSet<&str> = mails.iter().map(|mail| mail.message_id.as_str()).collect();
    assert_eq!((mails.len(), ids.len(), post.telegram.sent_messages().len()), (half, half, half));
    rig.server.stop().await;
}
