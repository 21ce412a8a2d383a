use std::sync::Arc;

use super::*;
use crate::demo::mail_catcher::{MailCatcher, SmtpReply, SmtpStage};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

fn access(catcher: &MailCatcher, security: MailSecurity) -> MailAccess {
    let address = catcher.address();
    MailAccess {
        server: MailServer { host: address.ip().to_string(), port: address.port(), security },
        login: None,
        from: "Lienbook <notices@example.org>".parse().unwrap(),
    }
}

pub(super) fn mail() -> lettre::Message {
    let from: Mailbox = "notices@example.org".parse().unwrap();
    let to: Mailbox = "lender@example.org".parse().unwrap();
    lettre::Message::builder().from(from).to(to).subject("Overdue").body(".\n..\nend".to_owned()).unwrap()
}

async fn sent_by(access: MailAccess) -> SendOutcome {
    let mailer = Mailer::new(access, ANSWER_TIMEOUT).unwrap();
    let slot = mailer.slot().await.unwrap();
    mailer.send(slot, &mail()).await
}

fn at(wanted: &'static str, reaction: SmtpReply) -> MailCatcher {
    let name = |moment: &SmtpStage<'_>| match moment {
        SmtpStage::Greeting => "greeting",
        SmtpStage::Sender => "sender",
        SmtpStage::Recipient(_) => "recipient",
        SmtpStage::Mail(_) => "mail",
    };
    MailCatcher::open_with(Arc::new(move |moment| if name(&moment) == wanted { reaction } else { SmtpReply::Normal }))
        .unwrap()
}

#[actix_web::test]
async fn each_reaction_of_a_server_at_each_step_has_the_right_outcome() {
    let (later, never) = (SmtpReply::Reply("451 4.7.1 lender@example.org later"), SmtpReply::Reply("550 5.1.1 never"));
    for (step, reaction, meaning, kept) in [
        ("nowhere", SmtpReply::Normal, "taken", 1),
        // Before the recipient a refusal concerns this client.
        ("greeting", SmtpReply::Reply("421 busy"), "down", 0),
        ("greeting", SmtpReply::Reply("554 go away"), "down", 0),
        ("greeting", SmtpReply::Reply("what?"), "down", 0),
        ("greeting", SmtpReply::Hang, "down", 0),
        ("greeting", SmtpReply::Disconnect, "down", 0),
        ("sender", never, "down", 0),
        // From then on it concerns the mailbox, as far as the server reports that.
        ("recipient", never, "closed", 0),
        ("recipient", SmtpReply::Reply("550 no such user"), "closed", 0),
        ("recipient", SmtpReply::Reply("550 5.2.1 disabled"), "closed", 0),
        ("recipient", SmtpReply::Reply("554 5.7.1 relay access denied"), "refused", 0),
        ("recipient", SmtpReply::Reply("550 5.7.1 you are blocked"), "refused", 0),
        ("recipient", SmtpReply::Reply("552 5.2.2 lender@example.org is full"), "refused", 0),
        ("recipient", SmtpReply::Reply("530 authenticate first"), "refused", 0),
        ("recipient", later, "later", 0),
        ("recipient", SmtpReply::Disconnect, "down", 0),
        ("recipient", SmtpReply::Hang, "down", 0),
        ("mail", never, "refused", 0),
        ("mail", later, "later", 0),
        // The mail was sent to the last byte.
        ("mail", SmtpReply::Disconnect, "unknown", 0),
        ("mail", SmtpReply::AcceptAndDisconnect, "unknown", 1),
        ("mail", SmtpReply::Hang, "unknown", 0),
    ] {
        let catcher = at(step, reaction);
        let outcome = sent_by(access(&catcher, MailSecurity::Clear)).await;
        let (found, why) = match outcome {
            SendOutcome::Accepted => ("taken", String::new()),
            SendOutcome::Refused(why) => ("refused", why),
            SendOutcome::Closed(why) => ("closed", why),
            SendOutcome::Deferred { why, after: None } => ("later", why),
            SendOutcome::Deferred { why, .. } => ("later, asked", why),
            SendOutcome::Unavailable(why) => ("down", why),
            SendOutcome::Unknown(why) => ("unknown", why),
        };
        assert_eq!((found, catcher.mails().len()), (meaning, kept), "{step} {reaction:?}: {why}");
        assert!(!why.contains("lender@"), "{why}");
    }
}

#[actix_web::test]
async fn a_mail_arrives_as_it_was_written() {
    let catcher = MailCatcher::open().unwrap();
    assert_eq!(sent_by(access(&catcher, MailSecurity::Clear)).await, SendOutcome::Accepted);
    let caught = catcher.mails().remove(0);
    let read = caught.read();
    assert_eq!((caught.to.as_str(), read.subject.as_str()), ("lender@example.org", "Overdue"));
    assert_eq!(read.text.trim_end(), ".\n..\nend");
}

#[actix_web::test]
async fn nothing_is_sent_in_clear_to_a_server_that_should_use_tls() {
    for security in [MailSecurity::Tls, MailSecurity::StartTls] {
        let catcher = at("recipient", SmtpReply::Reply("250 listening"));
        let mut access = access(&catcher, security);
        access.login = Some(("lienbook".to_owned(), SecretString::from("secret")));
        let outcome = sent_by(access).await;
        let SendOutcome::Unavailable(why) = outcome else { panic!("{security:?}: {outcome:?}") };
        assert!(catcher.mails().is_empty() && !why.contains("secret"), "{why}");
    }
}

#[actix_web::test]
async fn an_unsupported_login_concerns_the_configuration() {
    let catcher = MailCatcher::open().unwrap();
    let mut access = access(&catcher, MailSecurity::Clear);
    access.login = Some(("lienbook".to_owned(), SecretString::from("secret")));
    let mailer = Mailer::new(access.clone(), ANSWER_TIMEOUT).unwrap();
    let why = mailer.check().await.unwrap_err();
    assert!(!why.contains("secret"), "{why}");
    assert!(matches!(sent_by(access).await, SendOutcome::Unavailable(_)));
}

#[actix_web::test]
async fn a_slow_server_delays_few_mails_and_nothing_else() {
    let (catcher, answer_timeout) = (at("greeting", SmtpReply::Hang), Duration::from_secs(3));
    let mailer = Mailer::new(access(&catcher, MailSecurity::Clear), answer_timeout).unwrap();
    let mail = mail();
    let first: Vec<Slot> = [mailer.slot().await, mailer.slot().await, mailer.slot().await, mailer.slot().await]
        .into_iter()
        .map(Option::unwrap)
        .collect();
    assert_eq!(first.len(), CONCURRENT_MAILS_MAX);
    let soon = timeout(Duration::from_millis(20), mailer.slot()).await;
    assert!(soon.is_err(), "a fifth waits");
    let mut sending: Vec<_> = first.into_iter().map(|slot| Box::pin(mailer.send(slot, &mail))).collect();
    let all = futures_util::future::join_all(sending.drain(..));
    let ticks = async {
        let begun = std::time::Instant::now();
        for _ in 0..20 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        begun.elapsed()
    };
    let (outcomes, took) = tokio::join!(all, ticks);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, SendOutcome::Unavailable(_))), "{outcomes:?}");
    assert!(took < answer_timeout, "other tasks were blocked: {took:?}");
    assert!(timeout(answer_timeout * 10, mailer.slot()).await.unwrap().is_some(), "a slot is released");
}

#[actix_web::test]
async fn a_server_is_checked_without_sending_a_mail() {
    let catcher = MailCatcher::open().unwrap();
    let mailer = Mailer::new(access(&catcher, MailSecurity::Clear), ANSWER_TIMEOUT).unwrap();
    assert_eq!(mailer.check().await, Ok(()));
    assert!(catcher.mails().is_empty());
    drop(catcher);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert!(mailer.check().await.is_err());
}
