//! The sections of the document about a loan's terms.

use domain::{DAY_MS, GRACE_MS, LoanDeal, ProcessType, Role, Sats, UnixMs};
use escrow::fee_rate;
use escrow::utc::utc;
use lending::service::loan_information::LoanInformation;

use super::{LoanTermsDocument, annual};
use crate::share::figures::{btc, days};
use crate::share::markup::escaped;

/// The method of the annual percentage rate, in words.
const RATE_METHOD: &str = "The annual percentage rate (APR) is the yearly rate X at which the two payments of the loan \
    are worth the same: what the borrower receives, the principal less the fees of its beginning, equals what the \
    borrower pays at the end, divided by (1 + X)^t. The term t is in years of 365 days. This is the equation of Annex I \
    of Directive 2008/48/EC for one drawdown and one payment. It compounds a short term over a whole year, so that a \
    small cost can be a high rate.";

/// A part of the document: facts by name, then sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    title: &'static str,
    facts: Vec<(&'static str, String)>,
    sentences: Vec<String>,
}

impl Section {
    /// Returns the section as HTML. All of its texts are escaped here.
    pub(super) fn html(&self) -> String {
        let fact = |(name, value): &(&str, String)| format!("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
        let facts: String = self.facts.iter().map(fact).collect();
        let facts = if facts.is_empty() { facts } else { format!("<dl>\n{facts}</dl>\n") };
        let sentences = self.sentences.iter().map(|sentence| format!("<p>{}</p>\n", escaped(sentence)));
        format!("<section>\n<h2>{}</h2>\n{facts}{}</section>\n", escaped(self.title), sentences.collect::<String>())
    }
}

impl LoanTermsDocument {
    pub(super) fn sections(&self) -> Vec<Section> {
        let figures = match self.information.role {
            Role::Borrower => self.cost_section(),
            Role::Lender => self.return_section(),
        };
        vec![self.loan_section(), figures, self.repayment_section(), self.default_section(), self.custody_section()]
    }

    fn loan_section(&self) -> Section {
        let LoanInformation { deal, extended_until, .. } = &self.information;
        let interest = format!("{}, {} % for the whole term", btc(deal.interest), deal.rate);
        let (term, due) = match extended_until {
            Some(due) => ("from the day on which the extended loan is due", time(*due)),
            None => ("from the block that confirms the loan's transaction", self.latest_due()),
        };
        let mut facts = vec![("Kind", self.kind()), ("Collection", self.collection.clone())];
        facts.extend(self.collateral.iter().map(|item| ("Collateral", item.clone())));
        facts.extend([
            ("Principal", btc(deal.principal)),
            ("Interest", interest),
            ("Term", format!("{} {term}", days(deal.term.0))),
            ("Repayment due", due),
            ("Lender's claim", format!("possible from {} on", time(deal.claim_after))),
            ("Grace period", format!("at least {} hours between the due time and a claim", GRACE_MS / (DAY_MS / 24))),
        ]);
        let lag = "Blocks decide the claim time by their median time past, which lags about an hour behind the clock.";
        Section { title: "The loan", facts, sentences: vec![lag.to_owned()] }
    }

    fn kind(&self) -> String {
        let LoanInformation { deal, extended_until, .. } = &self.information;
        let process = match deal.process {
            ProcessType::Manual => "Manual loan, signed by both sides",
            ProcessType::Instant => "Instant loan, paid by the lender's vault once the borrower has signed",
        };
        match (deal.follows, extended_until) {
            (Some(follows), Some(_)) => format!("{process}. It extends loan {follows}"),
            (Some(follows), None) => format!("{process}. Its principal first repays loan {follows}"),
            (None, _) => process.to_owned(),
        }
    }

    fn latest_due(&self) -> String {
        let deal = &self.information.deal;
        format!("at the end of the term, at the latest {}", time(deal.claim_after.minus_ms(GRACE_MS)))
    }

    fn cost_section(&self) -> Section {
        let LoanInformation { deal, fee_rate, interest_now, .. } = &self.information;
        let (cost, rate) = (self.cost(), fee_rate::number(*fee_rate));
        let mut facts = vec![
            ("Interest", btc(cost.interest_sats)),
            ("Network fee now", format!("{}, at {rate} sat/vB", btc(cost.origination_fee_sats))),
        ];
        if cost.postage_sats > Sats::ZERO {
            let note = "of the spent transfer inscription, which the repayment does not return";
            facts.push(("Postage", format!("{} {note}", btc(cost.postage_sats))));
        }
        let estimate = btc(cost.repayment_fee_estimate_sats);
        facts.extend([
            ("Network fee of the repayment", format!("{estimate}, an estimate at {rate} sat/vB")),
            ("Platform fee", format!("none; {}", lenders_fee(deal))),
            ("Total cost of credit", btc(cost.total_cost_sats)),
            ("Total amount payable", format!("{}, principal and total cost", btc(cost.total_payable_sats))),
            ("APR", annual(cost.apr)),
        ]);
        let mut sentences = vec![RATE_METHOD.to_owned()];
        if let Some(interest) = interest_now {
            sentences.push(format!(
                "When the extension begins, the interest of the term that ends is paid as well: {}. It is a cost of the \
                 extended loan and not counted here.",
                btc(*interest)
            ));
        }
        sentences.push(
            "The fee of the repayment depends on the fee rate at that time and on the coins that pay. All sums are in \
             bitcoin, whose price in other currencies changes."
                .to_owned(),
        );
        Section { title: "What it costs", facts, sentences }
    }

    fn return_section(&self) -> Section {
        let LoanInformation { deal, interest_now, .. } = &self.information;
        let result = self.lender_return();
        let mut facts = vec![
            ("You lend", btc(deal.principal)),
            ("Platform fee", if deal.platform_fee == Sats::ZERO { "none".to_owned() } else { lenders_fee(deal) }),
            ("You receive at the repayment", btc(deal.payout())),
            ("Gain", format!("{}, interest less platform fee", btc(result.gain_sats))),
            ("Yearly return", annual(result.yearly_return)),
        ];
        if let Some(interest) = interest_now {
            facts.insert(1, ("You receive now", format!("{}, the interest of the term that ends", btc(*interest))));
        }
        let method = "The yearly return is the rate for a year at which the sum lent with the platform fee grows to the \
            sum received, over the term in years of 365 days. It assumes repayment when due, and that the sum is lent again \
            at once on the same terms."
            .to_owned();
        Section { title: "What it brings", facts, sentences: vec![method] }
    }

    fn repayment_section(&self) -> Section {
        let deal = &self.information.deal;
        let payout = btc(deal.payout());
        let sentences = match self.information.role {
            Role::Borrower => vec![
                withdrawal(deal.process).to_owned(),
                format!(
                    "The repayment is one payment of {payout} and the network fee. It is possible at any time after the \
                     loan's transaction is confirmed. The interest is due in full then too; an early repayment costs \
                     nothing more and saves nothing."
                ),
            ],
            Role::Lender => vec![format!(
                "The borrower may repay {payout} at any time after the loan's transaction is confirmed. The interest is \
                 due in full then too."
            )],
        };
        Section { title: "Repayment", facts: Vec::new(), sentences }
    }

    fn default_section(&self) -> Section {
        let claim = time(self.information.deal.claim_after);
        let sentences = match self.information.role {
            Role::Borrower => vec![
                format!(
                    "From {claim} on the lender may take the collateral, all of it, whatever it is worth then. Until that \
                     claim is confirmed, you can still repay."
                ),
                "After a claim you keep the principal and owe nothing more: the collateral is all that you are liable \
                 with. No price of the collateral ends the loan earlier."
                    .to_owned(),
            ],
            Role::Lender => vec![format!(
                "From {claim} on you may take the collateral, whatever it is worth then. You have no other claim against \
                 the borrower. Until your claim is confirmed, the borrower can still repay."
            )],
        };
        Section { title: "If it is not repaid", facts: Vec::new(), sentences }
    }

    fn custody_section(&self) -> Section {
        let kit = match self.information.role {
            Role::Borrower => "repay",
            Role::Lender => "claim",
        };
        let text = format!(
            "The collateral is in a Bitcoin output that only the borrower and the lender can spend; Lienbook has no key \
             for it. With the loan kit, a file of the running loan, and a Bitcoin node you can {kit} without Lienbook and \
             without the other side."
        );
        Section { title: "Without Lienbook", facts: Vec::new(), sentences: vec![text] }
    }
}

/// The platform fee in words, for both sides.
fn lenders_fee(deal: &LoanDeal) -> String {
    match deal.platform_fee {
        Sats::ZERO => "the lender pays none either".to_owned(),
        fee => format!("{}, paid by the lender", btc(fee)),
    }
}

const fn withdrawal(process: ProcessType) -> &'static str {
    match process {
        ProcessType::Manual => "Until the lender has signed, you can withdraw at no cost.",
        ProcessType::Instant => "Once you have signed, the lender's vault pays at once, and you cannot withdraw.",
    }
}

/// A time in UTC; empty beyond what a block can state.
fn time(at: UnixMs) -> String {
    u32::try_from(at.seconds()).map(utc).unwrap_or_default()
}
