//! The contracts of a loan, as transactions in which no party has to trust another.
//!
//! - [`loan_escrow`] is the output that holds the collateral, [`vault`] the one that backs instant offers; each can be
//!   spent by two scripts ([`leaf`]) and by no key ([`unspendable`]).
//! - [`coin`] is an output to be spent, [`asset_coin`] one that carries assets besides sats; [`pledge`] is the
//!   collateral of a loan, [`sat_flow`] follows each sat through a transaction and [`rune_flow`] each rune, and
//!   [`collateral_flow`] checks that the collateral ends where the loans require it.
//! - [`collateral`] is the borrower's contribution, [`funding`] the lender's; [`side`] keeps their coins apart.
//! - [`running_loan`] is a loan that has begun, [`payout_signatures`] are the pre-signatures with which the borrower
//!   repays alone, [`payout_request`] asks the lender's wallet for them, [`repayable_loan`] is a loan with them.
//! - [`coin_selection`] is the coin selection, which meets a [`funding_target`].
//! - [`payment`] funds a vault, [`vault_withdrawal`] withdraws from it with the signer, [`vault_exit`] without;
//!   [`vault_change`] splits what returns to it, and a [`fee_bump`] raises the fee of an unconfirmed parent.
//! - [`brc20_transfer`] is a transfer inscription, [`inscription`] its envelope, [`commit`] the output that holds it
//!   until its [`reveal`].
//! - [`inscribe_transfer`] inscribes a user's own transfer, which a loan can then take as collateral.
//! - [`origination`] starts a loan, [`repayment`] and [`claim`] end it; [`refinance`] and [`extension`] replace it by
//!   another, with an [`escrow_move`].
//! - [`spent_output`] is the state of an input as node and indexer report it, [`checked_template`] a transaction whose
//!   inputs were checked against that: nothing else is handed to a wallet, as a [`wallet_copy`].
//! - [`assembly`] balances a transaction, [`template`] is one before it is signed, with the [`lock`] of each input,
//!   which lists its signers.
//! - [`returned_psbt`] takes the [`signatures`] from the PSBT that a wallet returns and verifies each
//!   ([`signature_check`]); [`finished`] is the transaction with all of them.

pub mod assembly;
pub mod asset_coin;
pub mod bill;
pub mod brc20_transfer;
pub mod checked_template;
pub mod claim;
pub mod coin;
pub mod coin_choice;
pub mod collateral;
pub mod collateral_flow;
pub mod commit;
pub mod escrow_move;
pub mod extension;
pub mod fee_bump;
pub mod finished;
pub mod funding;
pub mod inscription;
pub mod leaf;
pub mod loan_escrow;
pub mod lock;
pub mod note_order;
pub mod origination;
pub mod payment;
pub mod payout_request;
pub mod payout_signatures;
pub mod pledge;
pub mod refinance;
pub mod repayable_loan;
pub mod repayment;
pub mod returned;
pub mod returned_error;
pub mod reveal;
pub mod rune_flow;
pub mod running_loan;
pub mod sat_flow;
pub mod side;
pub mod signature_check;
pub mod signatures;
pub mod spent_output;
pub mod template;
pub mod unspendable;
pub mod vault;
pub mod vault_change;
pub mod vault_exit;
pub mod vault_withdrawal;
pub mod wallet_copy;
