//! The fixed outputs of an origination.

use std::ops::Range;

use bitcoin::Amount;

/// The value of a pad. The borrower gets one more pad than inscriptions, and two with other collateral, and puts them
/// before the escrow at the repayment: they keep the output at the escrow's index free for the lender's payout, and each
/// inscription on its sat.
pub const PAD: Amount = Amount::from_sat(600);

/// The index of the escrow.
pub const ESCROW: usize = 0;
/// The index of the principal.
pub const PRINCIPAL: usize = 1;
/// The indices of the pads, except with BRC-20; several inscriptions have more of them.
pub const PADS: [usize; 2] = [2, 3];
/// The index of the commit, with BRC-20.
pub const COMMIT: usize = 2;
/// The index of the rest of the runes, if there is one.
pub const REST: usize = 4;

/// The indices of the pads of a loan whose collateral returns in this number of outputs, except with BRC-20.
#[must_use]
pub const fn pads(range_count: usize) -> Range<usize> {
    PADS[0]..PADS[1] + range_count
}
