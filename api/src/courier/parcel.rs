//! Messages ready to be sent.

use std::time::SystemTime;

use domain::{ContactWay, MessageContent, NoticeFacts};
use engine::DueMessage;
use lettre::Address;

use super::letter::Letter;
use super::links::Links;
use super::mail::{self, Cover};
use super::mail_tokens::MailTask;
use super::notice_letter::{self, About, time};
use crate::app::App;

/// A message ready to be sent.
pub enum Parcel {
    /// A mail.
    Mail(Box<lettre::Message>),
    /// A text for a chat.
    Chat {
        /// Telegram's id of the chat.
        chat: i64,
        /// The text.
        text: String,
    },
}

impl Parcel {
    /// Prepares a message for its current recipient; `None` when there is none.
    pub async fn of(app: &App, due: &DueMessage) -> Option<Self> {
        let DueMessage { message, contact } = due;
        let links = Links { public_url: &app.public_url };
        match message.way {
            ContactWay::Email => {
                let email = contact.email.as_ref()?;
                let token = |task| app.courier.mail_tokens.token(task, message.user, email.serial);
                let content = match &message.content {
                    MessageContent::Verification { .. } => {
                        let link = links.verify(&token(MailTask::Verify));
                        Letter::verification(&links, link, &time(email.expires_at))
                    }
                    MessageContent::Notice(facts) => text_of(app, due, facts, &links).await,
                };
                let unsubscribe = token(MailTask::Unsubscribe);
                let text = content.as_mail(&links, &links.unsubscribe(&unsubscribe));
                let headers = Cover {
                    from: app.courier.mailer()?.from(),
                    to: email.address.parse::<Address>().ok()?,
                    id: app.courier.mail_id(message),
                    one_click: links.one_click(&unsubscribe),
                    at: SystemTime::now(),
                };
                match mail::write(headers, &content, text) {
                    Ok(mail) => Some(Self::Mail(Box::new(mail))),
                    Err(error) => {
                        tracing::error!(message = %message.id, %error, "a mail cannot be written");
                        None
                    }
                }
            }
            ContactWay::Telegram => {
                let MessageContent::Notice(facts) = &message.content else { return None };
                let chat = contact.telegram?.chat;
                Some(Self::Chat { chat, text: text_of(app, due, facts, &links).await.as_chat() })
            }
        }
    }
}

/// Returns the message of a notice, with the current state of its loan or offer.
async fn text_of(app: &App, due: &DueMessage, facts: &NoticeFacts, links: &Links<'_>) -> Letter {
    let loan = match facts.loan {
        Some(loan) => app.market.my_loan(due.message.user, loan).await,
        None => None,
    };
    let offer = match facts.offer {
        Some(offer) => app.market.offer(offer).await.ok().flatten(),
        None => None,
    };
    notice_letter::write(facts, &About { loan, offer: offer.map(|offer| offer.principal) }, links)
}
