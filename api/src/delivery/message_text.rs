//! The text of a message, and its form as a mail or as a chat message.

use super::links::Links;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText {
    /// The subject, one line.
    pub subject: String,
    /// The paragraphs of the text.
    pub paragraphs: Vec<String>,
    /// A link to the page where the user can act.
    pub link: String,
}

impl MessageText {
    /// Returns the message that verifies an e-mail address; `until` is the readable end of its validity.
    #[must_use]
    pub fn verification(links: &Links<'_>, link: String, until: &str) -> Self {
        let site = links.site();
        Self {
            subject: "Confirm your e-mail address".to_owned(),
            paragraphs: vec![
                format!(
                    "A user who is signed in at {site} wants notifications about loans and offers at this address."
                ),
                format!(
                    "If that is you, open the link below until {until}: opening it confirms the address. If not, do nothing: \
                     no other mail comes before that."
                ),
            ],
            link,
        }
    }

    /// Formats the message as the text of a mail, followed by the links to unsubscribe.
    #[must_use]
    pub fn as_mail(&self, links: &Links<'_>, unsubscribe: &str) -> String {
        let Self { paragraphs, link, .. } = self;
        let (body, site, settings) = (paragraphs.join("\n\n"), links.site(), links.settings());
        format!(
            "{body}\n\n{link}\n\n\
             -- \n\
             You get this because this address was given at {site}. It never asks for keys or seed words.\n\
             Choose your notifications: {settings}\n\
             No more mail to this address: {unsubscribe}\n"
        )
    }

    /// Formats the message for a chat.
    #[must_use]
    pub fn as_chat(&self) -> String {
        let Self { subject, paragraphs, link } = self;
        format!("{subject}\n\n{}\n\n{link}", paragraphs.join("\n\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_ends_with_a_link_to_unsubscribe_and_a_chat_begins_with_its_subject() {
        let url = "https://lienbook.example".parse().unwrap();
        let links = Links { public_url: &url };
        let text = MessageText {
            subject: "Overdue".to_owned(),
            paragraphs: vec!["One.".to_owned(), "Two.".to_owned()],
            link: "https://lienbook.example/portfolio".to_owned(),
        };
        let mail = text.as_mail(&links, "https://lienbook.example/settings/notifications#unsubscribe=abc");
        assert!(mail.starts_with("One.\n\nTwo.\n\nhttps://lienbook.example/portfolio\n\n-- \n"), "{mail}");
        assert!(mail.contains("given at lienbook.example."), "{mail}");
        assert!(mail.ends_with(
            "No more mail to this address: https://lienbook.example/settings/notifications#unsubscribe=abc\n"
        ));
        assert_eq!(text.as_chat(), "Overdue\n\nOne.\n\nTwo.\n\nhttps://lienbook.example/portfolio");
        let verification =
            MessageText::verification(&links, "https://lienbook.example/v".to_owned(), "2030-01-01 00:00 UTC");
        let body = verification.as_mail(&links, "x");
        assert!(body.contains("until 2030-01-01 00:00 UTC: opening it confirms the address."), "{body}");
    }
}
