//! Encoding of mails: headers and body.

use std::time::SystemTime;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, SinglePart};
use lettre::{Address, Message};

use super::message_text::MessageText;

/// The headers of a mail.
#[derive(Clone, Debug)]
pub struct MailHeaders<'mail> {
    /// The sender.
    pub from: &'mail Mailbox,
    /// The recipient.
    pub to: Address,
    /// The part of the `Message-ID` before the `@`: the same whenever the mail is sent, and unique to it.
    pub id: String,
    /// The URL by which mail clients unsubscribe with one click (RFC 8058).
    pub one_click: String,
    /// The time of sending.
    pub at: SystemTime,
}

/// Encodes a mail.
///
/// # Errors
/// Fails if a header cannot be written, which is a bug.
pub fn write(headers: MailHeaders<'_>, content: &MessageText, text: String) -> Result<Message, lettre::error::Error> {
    let MailHeaders { from, to, id, one_click, at } = headers;
    let domain = from.email.domain();
    Message::builder()
        .message_id(Some(format!("<{id}@{domain}>")))
        .date(at)
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(content.subject.clone())
        // Suppresses automatic replies (RFC 3834).
        .raw_header(plain("Auto-Submitted", "auto-generated"))
        .raw_header(plain("List-Unsubscribe", &format!("<{one_click}>")))
        .raw_header(plain("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))
        .singlepart(SinglePart::plain(text))
}

/// A header that must not be folded or encoded, because links in it are used verbatim.
fn plain(name: &'static str, value: &str) -> HeaderValue {
    let value: String = value.chars().filter(|character| character.is_ascii_graphic() || *character == ' ').collect();
    HeaderValue::dangerous_new_pre_encoded(HeaderName::new_from_ascii_str(name), value.clone(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(subject: &str, text: &str) -> String {
        let from: Mailbox = "Lienbook <notices@example.org>".parse().unwrap();
        let headers = MailHeaders {
            from: &from,
            to: Address::new("lender", "example.com").unwrap(),
            id: "ms_1f.0a".to_owned(),
            one_click: format!("https://lienbook.example/api/v1/notifications/unsubscription/{}", "a".repeat(44)),
            at: SystemTime::UNIX_EPOCH,
        };
        let content = MessageText { subject: subject.to_owned(), paragraphs: Vec::new(), link: String::new() };
        String::from_utf8(write(headers, &content, text.to_owned()).unwrap().formatted()).unwrap()
    }

    #[test]
    fn a_mail_has_its_headers_and_a_link_to_unsubscribe() {
        let mail = written("Overdue", "Repay.\n\nNow.\n");
        let (head, body) = mail.split_once("\r\n\r\n").unwrap();
        for line in [
            "Message-ID: <ms_1f.0a@example.org>",
            "Date: Thu, 01 Jan 1970 00:00:00 +0000",
            "From: Lienbook <notices@example.org>",
            "To: lender@example.com",
            "Subject: Overdue",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: 7bit",
        ] {
            assert!(head.lines().any(|known| known == line), "{line}\n{head}");
        }
        let link = format!(
            "List-Unsubscribe: <https://lienbook.example/api/v1/notifications/unsubscription/{}>",
            "a".repeat(44)
        );
        assert!(head.lines().any(|known| known == link), "{head}");
        // The body ends with a line end of its own.
        assert_eq!(body, "Repay.\r\n\r\nNow.\r\n\r\n");
    }

    #[test]
    fn no_name_of_a_collection_injects_a_header() {
        let mail = written("Due in a day: fr\u{f6}gs\r\nBcc: other@example.org", "x");
        let (head, _) = mail.split_once("\r\n\r\n").unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(mail.is_ascii());
    }
}
