//! Links of messages into the app and to the server.

use domain::{LoanId, NoticeFacts, NoticeKind};

use crate::config::public_url::PublicUrl;

/// Links to one server. Tokens that do something stand behind a `#`, which no server and no log ever sees, except the one
/// that mail programs follow by themselves, which can do nothing but end mails.
#[derive(Clone, Copy, Debug)]
pub struct Links<'url> {
    /// How people reach it.
    pub public_url: &'url PublicUrl,
}

impl Links<'_> {
    /// The server's name for people.
    #[must_use]
    pub fn site(&self) -> &str {
        self.public_url.domain()
    }

    /// Where somebody chooses what they are told.
    #[must_use]
    pub fn settings(&self) -> String {
        format!("{}/settings/notifications", self.public_url)
    }

    /// Where an address is verified.
    #[must_use]
    pub fn verify(&self, token: &str) -> String {
        format!("{}#verify={token}", self.settings())
    }

    /// Where a person ends the mails to an address.
    #[must_use]
    pub fn unsubscribe(&self, token: &str) -> String {
        format!("{}#unsubscribe={token}", self.settings())
    }

    /// Where a mail program does.
    #[must_use]
    pub fn one_click(&self, token: &str) -> String {
        format!("{}/api/v1/notifications/unsubscription/{token}", self.public_url)
    }

    /// Where what a notice is about can be seen, and something done.
    #[must_use]
    pub fn notice(&self, facts: &NoticeFacts) -> String {
        let portfolio = format!("{}/portfolio", self.public_url);
        match (facts.loan, facts.offer) {
            (Some(loan), _) => format!("{portfolio}?{}", loan_query(facts.kind, loan)),
            (None, Some(offer)) => format!("{portfolio}?offer={offer}"),
            (None, None) => portfolio,
        }
    }
}

fn loan_query(kind: NoticeKind, loan: LoanId) -> String {
    let is_over = matches!(
        kind,
        NoticeKind::Repaid | NoticeKind::Claimed | NoticeKind::Cancelled | NoticeKind::Lapsed | NoticeKind::Failed
    );
    format!("tab={}&loan={loan}", if is_over { "history" } else { "loans" })
}
