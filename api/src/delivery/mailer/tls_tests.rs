use lettre::transport::smtp::client::Certificate;

use super::tests::mail;
use super::tls_server::{ReceivedLine, TlsMode, TlsServer, certificate};
use super::*;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
const PASSWORD: &str = "correct horse";

/// The access to the server, by a host name that its certificate is for, or not.
fn access(server: &TlsServer, host: &str, security: MailSecurity) -> MailAccess {
    MailAccess {
        server: MailServer { host: host.to_owned(), port: server.address.port(), security },
        login: Some(("lienbook".to_owned(), SecretString::from(PASSWORD))),
        from: "Lienbook <notices@example.org>".parse().unwrap(),
    }
}

/// A client that trusts the server's certificate in addition to the public ones.
fn trusting(access: MailAccess) -> Mailer {
    let tls = TlsParameters::builder(access.server.host.clone());
    let tls = tls.add_root_certificate(Certificate::from_der(certificate()).unwrap()).build_rustls().unwrap();
    Mailer::with_tls(access, Some(tls), ANSWER_TIMEOUT)
}

async fn sent(mailer: &Mailer) -> SendOutcome {
    mailer.send(mailer.slot().await.unwrap(), &mail()).await
}

fn is_login(heard: &ReceivedLine) -> bool {
    heard.line.starts_with("AUTH")
}

#[actix_web::test]
async fn mail_and_password_are_sent_only_over_tls() {
    for (speaks, security, in_clear) in [
        (TlsMode::Tls, MailSecurity::Tls, &[][..]),
        (TlsMode::StartTls, MailSecurity::StartTls, &["EHLO example.org", "STARTTLS"][..]),
    ] {
        let server = TlsServer::open(speaks);
        let mailer = trusting(access(&server, "127.0.0.1", security));
        assert_eq!(mailer.check().await, Ok(()));
        assert_eq!(sent(&mailer).await, SendOutcome::Accepted, "{speaks:?}");
        let heard = server.received();
        let open: Vec<&str> =
            heard.iter().filter(|heard| !heard.is_encrypted).map(|heard| heard.line.as_str()).collect();
        assert_eq!(open, [in_clear, in_clear].concat(), "{speaks:?}, once to check and once to send");
        assert_eq!(heard.iter().filter(|heard| is_login(heard)).count(), 2, "{heard:?}");
        assert!(heard.iter().any(|heard| heard.line == "Subject: Overdue"), "{heard:?}");
    }
}

#[actix_web::test]
async fn an_untrusted_certificate_is_refused_with_a_clear_reason() {
    for (speaks, security) in [(TlsMode::Tls, MailSecurity::Tls), (TlsMode::StartTls, MailSecurity::StartTls)] {
        let server = TlsServer::open(speaks);
        let mailer = Mailer::new(access(&server, "127.0.0.1", security), ANSWER_TIMEOUT).unwrap();
        let why = mailer.check().await.unwrap_err();
        assert_eq!(why, "the mail server shows a certificate that is not accepted: UnknownIssuer", "{speaks:?}");
        assert_eq!(sent(&mailer).await, SendOutcome::Unavailable(why));
        // Nothing secret was sent before.
        assert!(server.received().iter().all(|heard| !is_login(heard) && !heard.line.starts_with("MAIL")));
    }
}

#[actix_web::test]
async fn a_trusted_certificate_for_another_name_is_refused() {
    let server = TlsServer::open(TlsMode::Tls);
    let why = trusting(access(&server, "localhost", MailSecurity::Tls)).check().await.unwrap_err();
    assert!(why.starts_with("the mail server shows a certificate that is not accepted: "), "{why}");
    assert!(why.contains("localhost"), "{why}");
    assert_eq!(server.received(), []);
}

#[actix_web::test]
async fn a_server_that_does_not_start_tls_receives_neither_password_nor_mail() {
    let server = TlsServer::open(TlsMode::StartTlsRefused);
    let mailer = trusting(access(&server, "127.0.0.1", MailSecurity::StartTls));
    assert!(matches!(sent(&mailer).await, SendOutcome::Unavailable(_)));
    let heard: Vec<String> = server.received().into_iter().map(|heard| heard.line).collect();
    assert_eq!(heard[..2], ["EHLO example.org", "STARTTLS"]);
    assert!(heard[2..].iter().all(|line| line == "QUIT"), "{heard:?}");
}
