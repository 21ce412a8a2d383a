//! Outputs that no other loan has reserved.

use bitcoin::OutPoint;
use domain::LoanId;

use crate::lookups::ports::Ports;
use crate::records::outpoint;
use crate::service::loan_service::LoanService;

impl<P: Ports> LoanService<P> {
    /// Whether an output is unreserved, or reserved only for this loan.
    pub(crate) fn is_free(&self, output: OutPoint, loan: Option<LoanId>) -> bool {
        let output = outpoint::to_domain(output);
        let holder = self.market.reservation_of_output(&output).map(|holder| LoanId(holder.0));
        (holder.is_some() && holder == loan) || self.market.locked_outputs([output]).is_empty()
    }
}
