//! The fixed outputs of an origination.

use bitcoin::Amount;

/// The value of a pad. Two pads go to the borrower, who puts them before the escrow at the repayment: they keep the
/// output at the escrow's index free for the lender's payout, and the inscription on its sat.
pub const PAD: Amount = Amount::from_sat(600);

/// The index of the escrow.
pub const ESCROW: usize = 0;
/// The index of the principal.
pub const PRINCIPAL: usize = 1;
/// The indices of the pads, except with BRC-20.
pub const PADS: [usize; 2] = [2, 3];
/// The index of the commit, with BRC-20.
pub const COMMIT: usize = 2;
/// The index of the rest of the runes, if there is one.
pub const REST: usize = 4;
