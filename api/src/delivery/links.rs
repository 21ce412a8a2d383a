//! Links in messages to pages of the app and to endpoints of the server.

use domain::{LoanId, NoticeFacts, NoticeKind};

use crate::config::public_url::PublicUrl;

/// Links to one server. Tokens are in the fragment behind `#`, which browsers do not send and servers do not log,
/// except the one that mail clients follow by themselves, which can only stop mails.
#[derive(Clone, Copy, Debug)]
pub struct Links<'url> {
    /// The public URL of the server.
    pub public_url: &'url PublicUrl,
}

impl Links<'_> {
    /// Returns the server's domain.
    #[must_use]
    pub fn site(&self) -> &str {
        self.public_url.domain()
    }

    /// Returns the page of the notification settings.
    #[must_use]
    pub fn settings(&self) -> String {
        format!("{}/settings/notifications", self.public_url)
    }

    /// Returns the page that verifies an address.
    #[must_use]
    pub fn verify(&self, token: &str) -> String {
        format!("{}#verify={token}", self.settings())
    }

    /// Returns the page that stops the mails to an address.
    #[must_use]
    pub fn unsubscribe(&self, token: &str) -> String {
        format!("{}#unsubscribe={token}", self.settings())
    }

    /// Returns the endpoint by which mail clients stop them.
    #[must_use]
    pub fn one_click(&self, token: &str) -> String {
        format!("{}/api/v1/notifications/unsubscription/{token}", self.public_url)
    }

    /// Returns the page about the subject of a notice.
    #[must_use]
    pub fn notice(&self, facts: &NoticeFacts) -> String {
        if facts.kind == NoticeKind::WebhookPaused {
            return self.settings();
        }
        let portfolio = format!("{}/portfolio", self.public_url);
        match (facts.loan, facts.offer) {
            (Some(loan), Some(offer)) if is_about_another_offer(facts.kind) => {
                format!("{portfolio}?{}&refinance={offer}", loan_query(facts.kind, loan))
            }
            (Some(loan), _) => format!("{portfolio}?{}", loan_query(facts.kind, loan)),
            (None, Some(offer)) => format!("{portfolio}?offer={offer}"),
            (None, None) => portfolio,
        }
    }
}

/// Whether the offer of a notice is one that its loan could move to.
const fn is_about_another_offer(kind: NoticeKind) -> bool {
    matches!(kind, NoticeKind::RefinanceCheaper | NoticeKind::RefinanceOrdered)
}

fn loan_query(kind: NoticeKind, loan: LoanId) -> String {
    let is_over = matches!(
        kind,
        NoticeKind::Repaid | NoticeKind::Claimed | NoticeKind::Cancelled | NoticeKind::Lapsed | NoticeKind::Failed
    );
    format!("tab={}&loan={loan}", if is_over { "history" } else { "loans" })
}
