//! Payments out of a lender's payment address: into the vault, or back to it as one coin of exactly the sum that a loan
//! takes.
//!
//! Nothing is stored between handing out a payment and its submission: the returned PSBT names its coins, which are
//! looked up again, and it must be the payment built of them. Its effect is observed on the chain.

use std::collections::BTreeSet;

use bitcoin::script::{Builder, PushBytesBuf};
use bitcoin::{Address, FeeRate, OutPoint, Psbt, Script, ScriptBuf, Txid};
use domain::{Outpoint, Sats, UserId};
use engine::chain::{Chain as _, ChainError};
use escrow::contract::signing::finished::FinishError;
use escrow::contract::signing::returned_psbt::parse_psbt;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::spent_output::InputPolicy;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::coin_selection::{SelectionError, SelectionTarget};
use escrow::contract::transaction::funding_target::FeePayer;
use escrow::contract::transaction::spend::Spend;
use escrow::contract::vault::payment::{self, Payee, Payment};
use escrow::contract::vault::vault_change;
use thiserror::Error;

use crate::lookups::lookup::{INPUTS_MAX, LookupError};
use crate::lookups::ports::Ports;
use crate::records::party::Party;
use crate::service::fee_bounds::{self, FeeRateOutOfBounds};
use crate::service::loan_service::LoanService;
use crate::service::sides::{Side, sides};
use crate::vaults::vault::{LenderVault, NoVault, amount, bitcoin_outpoint, ledger_outpoint, sats};
use crate::vaults::vault_split;

/// A lender's request for a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentRequest {
    /// The amount that arrives.
    pub sats: Sats,
    /// The fee rate; the fee comes on top.
    pub fee_rate: FeeRate,
}

/// A payment for the lender's wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedPayment {
    /// The transaction: a PSBT in base64.
    pub transaction_base64: String,
    /// The inputs to sign, and how.
    pub sides: Vec<Side>,
    /// The amount that arrives: in a vault in as many outputs as it lacks, elsewhere in one.
    pub sats: Sats,
    /// The fee.
    pub fee: Sats,
    /// The change, which returns to the payment address.
    pub change: Sats,
    /// The address paid.
    pub to: String,
}

/// The reason why there is no payment. Nothing was broadcast, unless stated otherwise.
#[derive(Debug, Error)]
pub enum PaymentError {
    /// There is no vault.
    #[error(transparent)]
    NoVault(#[from] NoVault),
    /// The lender signed in with addresses that no transaction can be made for.
    #[error("no transaction can be made for the addresses that the lender signed in with")]
    UnsupportedAddresses,
    /// The fee rate is out of bounds.
    #[error(transparent)]
    FeeRate(#[from] FeeRateOutOfBounds),
    /// A lookup failed or forbids it. If the broadcast failed it may have been sent, and can be sent again.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The payment address does not hold enough spendable bitcoin.
    #[error(transparent)]
    Coins(#[from] SelectionError),
    /// The coin is reserved for a loan or an order.
    #[error("the coin {0} is reserved for a loan or an order")]
    Reserved(OutPoint),
    /// The payment cannot be built, or is not one that was built here.
    #[error(transparent)]
    Build(#[from] payment::PaymentError),
    /// The signed PSBT from the wallet is invalid.
    #[error(transparent)]
    Returned(#[from] ReturnedPsbtError),
    /// The signatures do not complete it.
    #[error(transparent)]
    Finish(#[from] FinishError),
}

impl From<ChainError> for PaymentError {
    fn from(error: ChainError) -> Self {
        Self::Lookup(error.into())
    }
}

/// The source and destination of a payment.
struct Route {
    payment: CoinKey,
    /// The vault to pay into; without one the payment returns to its source.
    vault: Option<LenderVault>,
}

impl Route {
    /// A payment from the payment address back to it.
    const fn to_self(lender: &Party) -> Self {
        Self { payment: lender.payment, vault: None }
    }

    fn payee(&self) -> Payee<'_> {
        self.vault.as_ref().map_or(Payee::Own, |vault| Payee::Vault(&vault.contract))
    }

    fn script(&self) -> ScriptBuf {
        self.vault.as_ref().map_or_else(|| self.payment.script_pubkey(), LenderVault::script_pubkey)
    }
}

impl<P: Ports> LoanService<P> {
    /// Builds a deposit into the lender's vault, for the lender to sign.
    ///
    /// # Errors
    /// [`PaymentError`].
    pub async fn prepare_deposit(
        &self,
        lender: UserId,
        request: PaymentRequest,
    ) -> Result<PreparedPayment, PaymentError> {
        self.prepare_payment(&self.vault_route(lender).await?, request).await
    }

    /// Broadcasts a deposit that the lender signed. Idempotent.
    ///
    /// # Errors
    /// [`PaymentError`].
    pub async fn submit_deposit(&self, lender: UserId, signed: &str) -> Result<Txid, PaymentError> {
        self.submit_payment(&self.vault_route(lender).await?, signed).await
    }

    /// Builds a coin of an exact amount at the lender's payment address, for the lender to sign: it funds a loan
    /// against BRC-20, which leaves no change.
    ///
    /// # Errors
    /// [`PaymentError`].
    pub async fn prepare_exact_coin(
        &self,
        lender: &Party,
        request: PaymentRequest,
    ) -> Result<PreparedPayment, PaymentError> {
        self.prepare_payment(&Route::to_self(lender), request).await
    }

    /// Broadcasts the signed payment that makes an exact coin. Idempotent.
    ///
    /// # Errors
    /// [`PaymentError`].
    pub async fn submit_exact_coin(&self, lender: &Party, signed: &str) -> Result<Txid, PaymentError> {
        self.submit_payment(&Route::to_self(lender), signed).await
    }

    async fn prepare_payment(&self, route: &Route, request: PaymentRequest) -> Result<PreparedPayment, PaymentError> {
        fee_bounds::check(request.fee_rate, self.recommended_rate().await?, self.rules.fee_rate_max)?;
        let (payment, change) = (route.payment, route.payment.script_pubkey());
        let holdings = self.lookup().holdings(&payment).await?;
        let script = route.script();
        let count = route.vault.as_ref().map_or(1, |vault| {
            vault_split::deposit_outputs(&vault.ledger, amount(request.sats), &script, request.fee_rate)
        });
        let count = usize::from(count);
        let outputs = vault_change::outputs(amount(request.sats), count, &script);
        let wanted = SelectionTarget {
            amount: amount(request.sats),
            fee_payer: FeePayer::Coins,
            fee_rate: request.fee_rate,
            inputs: &[],
            outputs: &outputs,
            change: &change,
        };
        let mut candidates = holdings.candidates();
        let places = candidates.iter().map(|candidate| ledger_outpoint(&candidate.spend.outpoint()));
        let reserved: BTreeSet<Outpoint> = self.market.locked_outputs(places).into_iter().collect();
        candidates.retain(|candidate| !reserved.contains(&ledger_outpoint(&candidate.spend.outpoint())));
        let coins: Vec<Coin> = wanted.select(&candidates)?.spends.iter().filter_map(coin_of).collect();
        let paid = Payment {
            to: route.payee(),
            coins: &coins,
            amount: amount(request.sats),
            outputs: count,
            change: &change,
            fee_rate: request.fee_rate,
        };
        let template = paid.build()?;
        let checked = self.lookup().check(&template, &InputPolicy::default()).await?;
        let change = template.output_amounts().get(count).copied().map_or(Sats::ZERO, sats);
        Ok(PreparedPayment {
            transaction_base64: checked.to_base64(),
            sides: sides(&checked, &[payment], self.rules.network),
            sats: request.sats,
            fee: template.fee().map_or(Sats::ZERO, sats),
            change,
            to: Address::from_script(&script, self.rules.network)
                .map(|address| address.to_string())
                .unwrap_or_default(),
        })
    }

    async fn submit_payment(&self, route: &Route, signed: &str) -> Result<Txid, PaymentError> {
        let payment = route.payment;
        let returned = parse_psbt(signed)?;
        let places: Vec<OutPoint> = returned.unsigned_tx.input.iter().map(|input| input.previous_output).collect();
        if places.len() > INPUTS_MAX {
            return Err(LookupError::TooManyInputs { found: places.len() }.into());
        }
        let mut standing = self.lookup().unspent_outputs(places.into_iter().collect()).await?;
        standing.retain(|_, (unspent, _)| unspent.output.script_pubkey == payment.script_pubkey());
        let coins: Vec<Coin> = standing
            .into_iter()
            .map(|(outpoint, (unspent, _))| Coin { outpoint, output: unspent.output, key: payment })
            .collect();
        let known = Payment::rebuild(&returned.unsigned_tx, route.payee(), &coins, &payment.script_pubkey());
        let (template, fee_rate) = match known {
            Ok(known) => known,
            // Its coins are spent, by itself if it was broadcast before.
            Err(error @ payment::PaymentError::UnknownCoin(_)) => {
                let txid = final_txid(&returned, &payment);
                let is_sent = self.pays(txid, &route.script()).await?;
                return if is_sent { Ok(txid) } else { Err(error.into()) };
            }
            Err(error) => return Err(error.into()),
        };
        fee_bounds::check(fee_rate, fee_bounds::FEE_RATE_MAX, self.rules.fee_rate_max)?;
        if let Some(reserved) =
            self.market.locked_outputs(coins.iter().map(|coin| ledger_outpoint(&coin.outpoint))).first()
        {
            return Err(PaymentError::Reserved(bitcoin_outpoint(reserved)));
        }
        self.lookup().check(&template, &InputPolicy::default()).await?;
        let signatures = template.check_returned(signed, &[payment])?;
        let transaction = template.finish(&signatures, template.final_txid())?;
        let txid = transaction.compute_txid();
        self.ports.chain().broadcast(&[transaction]).await?;
        Ok(txid)
    }

    /// Returns the vault, and the key that pays into it.
    async fn vault_route(&self, lender: UserId) -> Result<Route, PaymentError> {
        let vault = self.lender_vault(lender).await?;
        let account = self.market.account(lender).await.ok_or(NoVault::NotOpen(lender))?;
        let party = Party::of(&account.addresses, self.rules.network).ok_or(PaymentError::UnsupportedAddresses)?;
        Ok(Route { payment: party.payment, vault: Some(vault) })
    }

    /// Whether the node has a transaction of this id that pays to a script.
    async fn pays(&self, txid: Txid, script: &Script) -> Result<bool, ChainError> {
        let seen = self.ports.chain().transaction(txid).await?;
        Ok(seen.is_some_and(|seen| seen.transaction.output.iter().any(|output| output.script_pubkey == *script)))
    }
}

fn coin_of(spend: &Spend<'_>) -> Option<Coin> {
    match spend {
        Spend::Coin(coin) => Some((*coin).clone()),
        Spend::Script { .. } => None,
    }
}

/// Returns the txid of a payment once it is signed with this key: an input nested in P2SH reveals its program.
fn final_txid(returned: &Psbt, payment: &CoinKey) -> Txid {
    let mut transaction = returned.unsigned_tx.clone();
    if let Some(program) = payment.redeem_script().and_then(|script| PushBytesBuf::try_from(script.into_bytes()).ok()) {
        for input in &mut transaction.input {
            input.script_sig = Builder::new().push_slice(&program).into_script();
        }
    }
    transaction.compute_txid()
}
