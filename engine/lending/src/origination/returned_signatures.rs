//! The signatures of one party in the transactions that its wallet returned.

use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::template::Template;

use crate::records::contract::LoanTransactions;
use crate::records::party::Party;
use crate::service::loan_service_error::LoanServiceError;

/// Returns one party's signatures of each transaction.
pub(super) fn check_returned(
    beginning: &LoanTransactions,
    signed: &[String],
    party: &Party,
) -> Result<Vec<Signatures>, LoanServiceError> {
    let templates: Vec<&Template> = beginning.templates().collect();
    if templates.len() != signed.len() {
        return Err(LoanServiceError::TransactionCount { wanted: templates.len(), found: signed.len() });
    }
    let both = templates.into_iter().zip(signed);
    both.map(|(template, text)| Ok(template.check_returned(text, &party.keys())?)).collect()
}
