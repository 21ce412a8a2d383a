//! The version of a transaction that no child can pin.

use bitcoin::transaction::Version;

/// Version 3: any child of the payout by the lender is limited to 1,000 virtual bytes, so the repayment cannot be
/// pinned.
pub const TRUC: Version = Version(3);
