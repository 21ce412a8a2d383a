//! An instant loan, funded by a vault: the signer commits to it at preparation, and signs as soon as the borrower has.

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::{Amount, FeeRate, OutPoint, Txid, XOnlyPublicKey};
use domain::{
    CancelledBy, LoanAccount, LoanDeal, LoanId, LoanStage, OfferId, ProcessType, Rejection, Role, Sats, UserId, Vault,
    VaultChange, VaultKeys, VaultSpend,
};
use engine::Refusal;
use escrow::address::WalletAddress;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::signing::spent_output::SpentOutputError;
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::{Vault as VaultScript, VaultTerms};
use signer::pre_signed_loan::{LoanToSign, RepayShares};
use signer::request::{self, BorrowerCoin, SpentOutput};
use signer::term_sheet::Term;
use signer::vault_signer::{SignerError, VaultSigner as _};
use tracing::{Instrument as _, debug_span};

use crate::lookups::lookup::LookupError;
use crate::lookups::ports::Ports;
use crate::origination::loan_request::{LoanRequest, ValidatedLoanRequest};
use crate::origination::returned_signatures::check_returned;
use crate::records::contract::{Contract, ContractError, LoanTransactions, Pledged, Source, VaultSource};
use crate::records::outpoint;
use crate::records::party::Party;
use crate::service::fee_bounds::OriginationStep;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;
use crate::service::signing_times::{BORROWER_SIGNING_MS, SOFT_RESERVATION_MS};
use crate::service::unsigned_transactions::UnsignedLoan;
use crate::vaults::{vault, vault_signatures, vault_split};

impl<P: Ports> LoanService<P> {
    /// Prepares an instant loan: the signer signs its repayment and destroys the key. Idempotent for the same borrower
    /// and request while it can be signed.
    pub async fn prepare_instant(&self, request: &LoanRequest) -> Result<UnsignedLoan, LoanServiceError> {
        self.market.check_new_loan().await?;
        if let Some(prepared) = self.existing_prepared(request).await? {
            return Ok(prepared);
        }
        match self.prepare_from_vault(request).await {
            Err(error) => Err(self.or_offer_taken(request.offer, error).await),
            prepared => prepared,
        }
    }

    /// Returns the error of a request that lost against a faster one: if the offer is gone or used up, that is the
    /// reason.
    async fn or_offer_taken(&self, id: OfferId, error: LoanServiceError) -> LoanServiceError {
        match self.market.offer(id).await {
            Ok(None) => LoanServiceError::UnknownOffer(id),
            Ok(Some(offer)) if offer.takeable() == Sats::ZERO => Refusal::from(Rejection::OfferUsed(id)).into(),
            _ => error,
        }
    }

    async fn prepare_from_vault(&self, request: &LoanRequest) -> Result<UnsignedLoan, LoanServiceError> {
        let mut draft = self.validate_loan_request(request, ProcessType::Instant, BORROWER_SIGNING_MS).await?;
        let lender = draft.deal.lender;
        let not_admitted = || LoanServiceError::NotAdmitted(request.offer);
        let admission = self.market.offer_admission(request.offer).await.ok_or_else(not_admitted)?;
        let admission = sha256::Hash::from_byte_array(admission);
        self.market.check_delegation_of(lender, request.offer)?;
        let ledger = self.market.vault_ledger(lender).await.ok_or_else(not_admitted)?;
        let keys = ledger.keys().ok_or_else(not_admitted)?;
        let signers = vault::signers(&keys.signers).ok_or_else(not_admitted)?;
        draft.lender =
            self.with_vault_key(draft.lender, keys).ok_or(LoanServiceError::UnsupportedAddresses(Role::Lender))?;
        let outputs = self.vault_coins(&ledger, draft.lender_pays()?)?;
        let (loan, rate) = (self.loan_ids.next(), request.fee_rate);
        let script = vault::contract_of(lender, keys).map_err(|_| not_admitted())?.output().script_pubkey();
        let rest = outputs.iter().map(|(_, value)| *value).sum::<Amount>().checked_sub(draft.lender_pays()?);
        let spent: Vec<_> = outputs.iter().map(|(outpoint, _)| outpoint::to_domain(*outpoint)).collect();
        let rest = rest.unwrap_or(Amount::ZERO);
        // A refinance has one change output.
        let change_outputs = match draft.pledged {
            Pledged::Running { .. } => 1,
            _ => vault_split::change_outputs(&ledger, &spent, rest, &script, rate),
        };
        draft.pledged = self.with_coins_for_vault(&draft, loan, (&signers, &outputs, admission), rate).await?;
        let sides = (&draft.borrower, &draft.pledged);
        let asked = loan_request(&draft.deal, loan, sides, (admission, &outputs, change_outputs), rate)?;
        let prepared = self.ports.signer().prepare_loan(asked).await?;
        let payout = prepared.repay.payout();
        let source = VaultSource { lender, signers, outputs, change_outputs, admission, repay: prepared.repay };
        let contract = self.contract(&draft, loan, Source::Vault(Box::new(source)), rate)?;
        let beginning = contract.build()?;
        // The signer's transaction must equal ours, and its signatures must be valid for the repayment.
        let is_same = prepared.psbt.unsigned_tx == beginning.origination.psbt.unsigned_tx;
        if !is_same || payout.check(&beginning.loan).is_err() {
            return Err(SignerError::Nonsense.into());
        }
        self.store_prepared(draft, &contract).await
    }

    /// Returns the collateral of a draft, of a refinance with the coins that the borrower adds. They are chosen for a
    /// transaction of the same size, because its repay key does not exist yet.
    async fn with_coins_for_vault(
        &self,
        draft: &ValidatedLoanRequest,
        loan: LoanId,
        (signers, outputs, admission): (&VaultSigners, &[(OutPoint, Amount)], sha256::Hash),
        rate: FeeRate,
    ) -> Result<Pledged, LoanServiceError> {
        if draft.pledged.replaced_kit().is_none() {
            return Ok(draft.pledged.clone());
        }
        let source = VaultSource {
            lender: draft.deal.lender,
            signers: signers.clone(),
            outputs: outputs.to_vec(),
            change_outputs: 1,
            admission,
            repay: RepayShares::of_size(signers).ok_or(LoanServiceError::OutOfRange)?,
        };
        let contract = self.contract(draft, loan, Source::Vault(Box::new(source)), rate)?;
        Ok(self.with_borrower_coins(contract).await?.pledged)
    }

    /// Verifies the borrower's signatures, has the vault's made, and originates the loan; returns its txid. Idempotent.
    pub async fn submit_instant(
        &self,
        borrower: UserId,
        id: LoanId,
        signed: &[String],
    ) -> Result<Txid, LoanServiceError> {
        let loan = self.accepted_loan(borrower, id).await?;
        let contract = Contract::from_record(&loan.contract)?;
        let Source::Vault(source) = &contract.source else { return Err(LoanServiceError::WrongProcess) };
        let (beginning, signatures) = debug_span!("check_signatures").in_scope(|| {
            let beginning = contract.build()?;
            let signatures = check_returned(&beginning, signed, &contract.borrower)?;
            Ok::<_, LoanServiceError>((beginning, signatures))
        })?;
        if loan.stage != LoanStage::Prepared {
            return Ok(beginning.txid());
        }
        self.market.check_new_loan().await?;
        let originated = self.originate_from_vault(&loan, (&contract, source), &beginning, signatures).await;
        let originated = match originated {
            // Nothing is reserved for it: a faster request may be the reason.
            Err(error) if self.market.loan(id).await.is_none_or(|now| now.coins_to_reserve.is_some()) => {
                Err(self.or_offer_taken(loan.deal.offer, error).await)
            }
            originated => originated,
        };
        self.or_if_originated(id, beginning.txid(), originated).await
    }

    async fn originate_from_vault(
        &self,
        loan: &LoanAccount,
        (contract, source): (&Contract, &VaultSource),
        beginning: &LoanTransactions,
        mut signatures: Vec<Signatures>,
    ) -> Result<Txid, LoanServiceError> {
        let looked_up = self.check_inputs(contract, beginning).instrument(debug_span!("look_up")).await.map(drop);
        if let Err(error) = looked_up.and(self.check_vault_outputs(source).await) {
            if matches!(error, LoanServiceError::Lookup(LookupError::Spent(SpentOutputError::MissingOrSpent(_)))) {
                // Another loan or a withdrawal spent a coin: this transaction can never confirm.
                self.market.cancel_loan(loan.id, CancelledBy::Market).await?;
            }
            return Err(error);
        }
        self.check_origination_rate(contract.fee_rate, ProcessType::Instant, OriginationStep::Submit).await?;
        self.market.check_delegation_of(source.lender, loan.deal.offer)?;
        self.reserve(loan, contract).await?;
        // The signer counts what it signs as used, whatever becomes of it, so it is asked last.
        let template = &beginning.origination;
        let signing = self.vault_signatures(contract, source, &loan.deal, template);
        let vault_signed = signing.instrument(debug_span!("vault_signatures")).await?;
        let mut first = signatures.remove(0).merge(vault_signed)?;
        if let Some(ending) = contract.pledged.replaced_kit() {
            first = first.merge(ending.pre_signatures(template)?)?;
        }
        let transaction = debug_span!("finish").in_scope(|| template.finish(&first, template.final_txid()))?;
        let spend = VaultSpend {
            outputs: source.outputs.iter().map(|(outpoint, _)| outpoint::to_domain(*outpoint)).collect(),
            change: change(contract, source, beginning)?,
        };
        self.originate_loan(contract, beginning, vec![transaction], source.repay.payout(), Some(spend)).await
    }

    /// Returns the lender with the key that the vault was opened with, whatever wallet the lender has signed in with
    /// since: the vault signer pays that one and lets it claim. `None` where the vault's payment address is not the
    /// lender's.
    fn with_vault_key(&self, lender: Party, keys: &VaultKeys) -> Option<Party> {
        let payment_script = WalletAddress::parse(&keys.payment_address, self.rules.network).ok()?.script_pubkey();
        let ordinals = XOnlyPublicKey::from_slice(&keys.lender_key).ok()?;
        (payment_script == lender.payment_script()).then_some(Party { ordinals, ..lender })
    }

    /// Returns sufficient outputs of a vault, preferring those without a soft reservation.
    fn vault_coins(&self, vault: &Vault, wanted: Amount) -> Result<Vec<(OutPoint, Amount)>, LoanServiceError> {
        let now = self.market.now();
        let wanted = Sats::new(wanted.to_sat());
        let choice = self
            .soft_reservations
            .choose(now, now.plus_ms(SOFT_RESERVATION_MS), |reserved| vault.select_coins(wanted, reserved));
        let chosen = choice.map_err(engine::Refusal::from)?;
        let value = |output: &domain::Outpoint| vault.output(output).map(|known| Amount::from_sat(known.amount.get()));
        let coins = chosen.iter().map(|output| Some((outpoint::to_bitcoin(*output), value(output)?)));
        coins.collect::<Option<_>>().ok_or(LoanServiceError::OutOfRange)
    }

    /// Checks that the vault's ledger still has the outputs that a loan spends: the chain may not know yet of another
    /// loan or a withdrawal that took them.
    async fn check_vault_outputs(&self, source: &VaultSource) -> Result<(), LoanServiceError> {
        let spent: Vec<_> = source.outputs.iter().map(|(outpoint, _)| outpoint::to_domain(*outpoint)).collect();
        let gone = self.market.first_missing_output(source.lender, &spent).await.map(outpoint::to_bitcoin);
        gone.map_or(Ok(()), |gone| Err(LookupError::from(SpentOutputError::MissingOrSpent(gone)).into()))
    }

    async fn vault_signatures(
        &self,
        contract: &Contract,
        source: &VaultSource,
        deal: &LoanDeal,
        template: &Template,
    ) -> Result<Signatures, LoanServiceError> {
        let sides = (&contract.borrower, &contract.pledged);
        let vault = (source.admission, &source.outputs[..], source.change_outputs);
        let loan = loan_request(deal, contract.loan, sides, vault, contract.fee_rate)?;
        let asked = LoanToSign { loan, repay: source.repay.clone(), psbt: template.psbt.clone() };
        let signed = self.ports.signer().sign_loan(asked).await?;
        vault_signatures::checked(template, &signed, &source.signers)
    }
}

/// Builds the request to the signer, the same when a loan is prepared and when it is signed.
fn loan_request(
    deal: &LoanDeal,
    loan: LoanId,
    (borrower, collateral): (&Party, &Pledged),
    (admission, outputs, change_outputs): (sha256::Hash, &[(OutPoint, Amount)], u8),
    fee_rate: FeeRate,
) -> Result<request::LoanRequest, LoanServiceError> {
    Ok(request::LoanRequest {
        lender_id: deal.lender.0,
        offer: admission,
        loan_id: loan.0,
        borrower: borrower.ordinals,
        borrower_payment: borrower.payment_script(),
        pledged: pledged(collateral, borrower.ordinals_script())?,
        vault_outputs: spent(outputs),
        principal_sats: deal.principal.get(),
        term: Term { days: deal.term.0, interest_bps: deal.rate.basis_points() },
        claim_after: u32::try_from(deal.claim_after.seconds()).map_err(|_| LoanServiceError::OutOfRange)?,
        platform_fee_sats: deal.platform_fee.get(),
        fee_rate_sat_per_kwu: fee_rate.to_sat_per_kwu(),
        change_outputs,
    })
}

fn spent(outputs: &[(OutPoint, Amount)]) -> Vec<SpentOutput> {
    outputs.iter().map(|(outpoint, value)| SpentOutput { outpoint: *outpoint, sats: value.to_sat() }).collect()
}

fn pledged(pledged: &Pledged, rest: bitcoin::ScriptBuf) -> Result<request::Pledged, LoanServiceError> {
    match pledged {
        Pledged::Inscription(coin) => Ok(request::Pledged::Inscription(coin.into())),
        Pledged::Inscriptions(coins) => {
            Ok(request::Pledged::Inscriptions(coins.iter().map(request::BorrowerCoin::from).collect()))
        }
        Pledged::Runes { coins, id, amount } => {
            let coins = coins.iter().map(BorrowerCoin::from).collect();
            Ok(request::Pledged::Runes { coins, id: *id, amount: *amount, rest })
        }
        Pledged::Running { kit, coins } => {
            let coins = coins.iter().map(BorrowerCoin::from).collect();
            Ok(request::Pledged::Running { kit: kit.clone(), coins })
        }
        // Vaults do not lend against BRC-20.
        Pledged::Note { .. } => Err(LoanServiceError::WrongProcess),
    }
}

/// Returns the change outputs of the vault.
fn change(
    contract: &Contract,
    source: &VaultSource,
    beginning: &LoanTransactions,
) -> Result<VaultChange, LoanServiceError> {
    let terms =
        VaultTerms { lender_id: source.lender.0, signers: source.signers.clone(), lender: contract.lender.ordinals };
    let script = VaultScript::new(terms).map_err(ContractError::from)?.output().script_pubkey();
    Ok(vault_split::change_to_vault(&script, &beginning.origination))
}
