//! The terms of a loan and their cost as a document of one file, drawn without a script.

mod sections;

use domain::{LoanId, Role};
use engine::wire::{LenderReturnView, LoanCostView, Percent};
use lending::service::loan_information::LoanInformation;

use crate::plain_document::PlainDocument;
use crate::share::figures::percent;
use crate::share::markup::escaped;
use sections::Section;

const STYLE: &str = include_str!("loan_terms/loan-terms.css");

/// The contents of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanTermsDocument {
    /// The loan.
    pub loan: LoanId,
    /// The terms, their cost, and the side that reads them.
    pub information: LoanInformation,
    /// The display name of the collateral's collection.
    pub collection: String,
    /// The ids of the inscriptions, or an amount and its token.
    pub collateral: Vec<String>,
}

impl LoanTermsDocument {
    /// The name of the file.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("lienbook-loan-{}-terms.html", self.loan)
    }

    /// Returns the document as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let title = match self.information.role {
            Role::Borrower => "Terms and cost of your loan",
            Role::Lender => "Terms and return of your loan",
        };
        let sections: String = self.sections().iter().map(Section::html).collect();
        let loan = escaped(&self.loan.to_string());
        let main = format!(
            "<h1>{title}</h1>\n<p>Loan <code>{loan}</code>, arranged by Lienbook between two users. Lienbook is not a party \
             to it.</p>\n{sections}"
        );
        PlainDocument { title, style: STYLE, main: &main }.html()
    }

    fn cost(&self) -> LoanCostView {
        self.information.cost.into()
    }

    fn lender_return(&self) -> LenderReturnView {
        self.information.lender_return.into()
    }
}

/// Formats an annual rate; one that is not stated exceeds the maximum.
fn annual(rate: Option<Percent>) -> String {
    rate.map_or_else(|| "over 99,999 %".to_owned(), percent)
}
