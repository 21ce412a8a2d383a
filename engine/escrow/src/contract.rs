//! The contracts of a loan, as transactions that nobody has to trust.
//!
//! - [`loan_escrow`] is the output that holds the collateral, [`vault`] the one that backs instant offers; each can be
//!   spent by two scripts ([`leaf`]) and by no key ([`unspendable`]).
//! - [`coin`] is an output that somebody spends, [`asset_coin`] one that carries more than sats; [`pledge`] is what a
//!   loan is secured by, [`sat_flow`] tells where each sat goes and [`rune_flow`] where each rune does,
//!   [`collateral_flow`] whether that is where the loans want it.
//! - [`collateral`] is what a borrower brings, [`funding`] what a lender does; [`side`] tells their coins apart.
//! - [`running_loan`] is a loan that has begun, [`payout_signatures`] what lets the borrower end it alone,
//!   [`payout_request`] asks the lender's wallet for it, [`repayable_loan`] is both.
//! - [`coin_choice`] picks the coins that pay a [`bill`].
//! - [`payment`] fills a vault, [`vault_withdrawal`] takes out of it with the signer, [`vault_exit`] without;
//!   [`vault_change`] says in how many outputs money goes to it, a [`fee_bump`] lifts what waits for a block.
//! - [`brc20_transfer`] is a note, [`inscription`] what carries it, [`commit`] where it waits for its [`reveal`].
//! - [`note_order`] inscribes a person's own note, which a loan can then take as collateral.
//! - [`origination`] starts a loan, [`repayment`] ends it well, [`claim`] ends it otherwise; [`refinance`] and
//!   [`extension`] let another follow it, by an [`escrow_move`].
//! - [`spent_output`] is what node and indexer say of an input, [`checked_template`] a transaction whose inputs are what
//!   it takes them for: nothing else is handed to a wallet, as a [`wallet_copy`].
//! - [`assembly`] balances a transaction, [`template`] is one before it is signed, with the [`lock`] of each input: who
//!   signs what.
//! - [`returned`] takes the [`signatures`] from what a wallet gives back, each of them verified ([`signature_check`]);
//!   [`finished`] is the transaction that has all of them.

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
