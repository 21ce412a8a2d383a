//! Messages ready to be sent.

use std::time::SystemTime;

use domain::{ContactChannel, MessageContent, NoticeFacts};
use engine::DueMessage;
use lettre::Address;

use super::context::DeliveryContext;
use super::links::Links;
use super::mail::{self, MailHeaders};
use super::mail_tokens::MailTask;
use super::message_text::MessageText;
use super::notice_text::{self, NoticeSubject, time};
use super::push_request::PushRequest;
use super::webhook_request::WebhookRequest;

/// A message ready to be sent.
pub enum Payload {
    /// A mail.
    Mail(Box<lettre::Message>),
    /// A text for a chat.
    Chat {
        /// Telegram's id of the chat.
        chat: i64,
        /// The text.
        text: String,
    },
    /// A request to a webhook.
    Webhook(Box<WebhookRequest>),
    /// A request to the push service of a browser.
    Push(Box<PushRequest>),
}

impl Payload {
    /// Prepares a message for its current recipient; `None` when there is none.
    pub async fn of(context: &DeliveryContext, due: &DueMessage) -> Option<Self> {
        let DueMessage { message, contact } = due;
        let links = Links { public_url: &context.public_url };
        match message.channel {
            ContactChannel::Email => {
                let email = contact.email.as_ref()?;
                let token = |task| context.delivery.mail_tokens.token(task, message.user, email.serial);
                let body = match &message.content {
                    MessageContent::Verification { .. } => {
                        let link = links.verify(&token(MailTask::Verify));
                        MessageText::verification(&links, link, &time(email.expires_at))
                    }
                    MessageContent::Notice(facts) | MessageContent::Replayed(facts) => {
                        text_of(context, due, facts, &links).await
                    }
                    MessageContent::Test { .. } => return None,
                };
                let unsubscribe = token(MailTask::Unsubscribe);
                let text = body.as_mail(&links, &links.unsubscribe(&unsubscribe));
                let headers = MailHeaders {
                    from: context.delivery.mailer()?.from(),
                    to: email.address.parse::<Address>().ok()?,
                    id: context.delivery.mail_id(message),
                    one_click: links.one_click(&unsubscribe),
                    at: SystemTime::now(),
                };
                match mail::write(headers, &body, text) {
                    Ok(mail) => Some(Self::Mail(Box::new(mail))),
                    Err(error) => {
                        tracing::error!(message = %message.id, %error, "a mail cannot be written");
                        None
                    }
                }
            }
            ContactChannel::Telegram => {
                let MessageContent::Notice(facts) = &message.content else { return None };
                let chat = contact.telegram?.chat;
                Some(Self::Chat { chat, text: text_of(context, due, facts, &links).await.as_chat() })
            }
            ContactChannel::Webhook(id) => {
                WebhookRequest::of(message, contact.webhook(id)?, &links).map(Box::new).map(Self::Webhook)
            }
            ContactChannel::Push(id) => {
                let MessageContent::Notice(facts) = &message.content else { return None };
                let text = text_of(context, due, facts, &links).await;
                Some(Self::Push(Box::new(PushRequest::of(contact.push(id)?, facts, &text))))
            }
        }
    }
}

/// Returns the message of a notice, with the current state of its loan or offer.
async fn text_of(context: &DeliveryContext, due: &DueMessage, facts: &NoticeFacts, links: &Links<'_>) -> MessageText {
    let loan = match facts.loan {
        Some(loan) => context.market.my_loan(due.message.user, loan).await,
        None => None,
    };
    let offer = match facts.offer {
        Some(offer) => context.market.offer(offer).await.ok().flatten(),
        None => None,
    };
    notice_text::write(facts, &NoticeSubject { loan, offer: offer.map(|offer| offer.principal) }, links)
}
