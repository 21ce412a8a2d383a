//! A borrower's request, validated against the offer and against the chain.

use std::sync::Arc;

use bitcoin::{Amount, FeeRate};
use domain::{
    Bundle, CollateralType, CollectionGroup, GRACE_MS, GroupId, Inscription, LinkKey, LoanDeal, LoanId, Offer,
    OfferConditions, OfferId, PledgedIds, ProcessType, Rejection, Role, Taker, TermDays, UnixMs, UserId,
};
use engine::Refusal;
use engine::asset_index::InscriptionId;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use futures_util::future::try_join_all;
use ordinals::RuneId;

use crate::lookups::ports::Ports;
use crate::records::contract::Pledged;
use crate::records::party::Party;
use crate::service::fee_bounds::OriginationStep;
use crate::service::loan_service::LoanService;
use crate::service::loan_service_error::LoanServiceError;

/// The most rune coins that one loan spends.
const RUNE_COINS_MAX: usize = 64;
/// Decimals of BRC-20's raw units.
const BRC20_DECIMALS: u32 = 18;

/// A borrower's request for a loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanRequest {
    /// The borrower.
    pub borrower: UserId,
    /// The offer to take.
    pub offer: OfferId,
    /// The inscriptions to pledge; for BRC-20 the transfer inscription, if the borrower chooses one.
    pub inscriptions: Vec<InscriptionId>,
    /// The number of raw units of tokens, where a part of the offer can be taken; `None` takes all that is left.
    pub amount_raw: Option<u128>,
    /// The fee rate of the transaction, which the borrower pays.
    pub fee_rate: FeeRate,
    /// Whether a hardware wallet would sign.
    pub is_hardware_wallet: bool,
    /// The key in the link of an unlisted offer.
    pub link_key: Option<LinkKey>,
    /// The loan to refinance: its collateral passes to the new loan, which repays its lender.
    pub refinances: Option<LoanId>,
}

/// A validated loan request.
#[derive(Clone, Debug)]
pub(crate) struct ValidatedLoanRequest {
    pub(crate) borrower: Party,
    pub(crate) lender: Party,
    pub(crate) pledged: Pledged,
    pub(crate) deal: LoanDeal,
}

impl ValidatedLoanRequest {
    pub(crate) fn principal(&self) -> Amount {
        Amount::from_sat(self.deal.principal.get())
    }

    pub(crate) fn payout(&self) -> Amount {
        Amount::from_sat(self.deal.payout().get())
    }

    /// The sum of principal and platform fee.
    pub(crate) fn lender_pays(&self) -> Result<Amount, LoanServiceError> {
        let sum = self.deal.principal.checked_add(self.deal.platform_fee).ok_or(LoanServiceError::OutOfRange)?;
        Ok(Amount::from_sat(sum.get()))
    }

    /// The time from which the lender may claim, in Unix seconds.
    pub(crate) fn claim_after(&self) -> Result<u32, LoanServiceError> {
        u32::try_from(self.deal.claim_after.seconds()).map_err(|_| LoanServiceError::OutOfRange)
    }
}

impl<P: Ports> LoanService<P> {
    /// Validates a request. The checks that need no I/O come first (offer, keys, rates), then the chain. `allowance_ms`
    /// is the time that the parties have to sign.
    pub(super) async fn validate_loan_request(
        &self,
        request: &LoanRequest,
        process: ProcessType,
        allowance_ms: u64,
    ) -> Result<ValidatedLoanRequest, LoanServiceError> {
        if request.is_hardware_wallet {
            // The borrower gets the collateral back, or passes it to a refinance, by a script-path signature.
            return Err(LoanServiceError::HardwareWallet);
        }
        self.check_origination_rate(request.fee_rate, process, OriginationStep::Prepare).await?;
        let offer = self.market.offer(request.offer).await?.ok_or(LoanServiceError::UnknownOffer(request.offer))?;
        if offer.process != process {
            return Err(LoanServiceError::WrongProcess);
        }
        offer.check_takeable(request.borrower, self.market.now()).map_err(Refusal::from)?;
        if offer.is_conditional() {
            self.check_conditions(request, &offer).await?;
        }
        let group = self.market.group(offer.id.group()).ok_or(Refusal::UnknownGroup)?;
        let terms = self.market.loan_terms(offer.id).await?.ok_or(LoanServiceError::UnknownOffer(offer.id))?;
        let asked = self.asked_amount(request, &offer, &group).await;
        let (principal, pledged_raw) = offer.part(asked).map_err(Refusal::from)?;
        let borrower = self.party(request.borrower, Role::Borrower).await?;
        let lender = self.party(offer.lender, Role::Lender).await?;
        let (pledged, pledged_ids) = match request.refinances {
            Some(id) => {
                self.refinanced_collateral(
                    request.borrower,
                    id,
                    &request.inscriptions,
                    request.offer.group(),
                    pledged_raw,
                )
                .await?
            }
            None => self.collateral(request, &group, pledged_raw, &borrower).await?,
        };
        let interest = terms.interest.of(principal).ok_or(LoanServiceError::OutOfRange)?;
        let deal = LoanDeal {
            offer: offer.id,
            sub_collection: offer.sub_collection,
            process,
            lender: offer.lender,
            borrower: request.borrower,
            principal,
            rate: terms.interest,
            interest,
            platform_fee: self.platform_fee(interest)?,
            pledged_raw,
            pledged_ids,
            term: terms.days,
            claim_after: claim_after(self.market.now(), allowance_ms, terms.days),
            follows: request.refinances,
        };
        Ok(ValidatedLoanRequest { borrower, lender, pledged, deal })
    }

    /// Returns the amount of tokens that a borrower pledges, where a part of the offer can be taken: of a refinance that
    /// of its loan.
    async fn asked_amount(&self, request: &LoanRequest, offer: &Offer, group: &CollectionGroup) -> Option<u128> {
        let sub = group.sub_collection(offer.sub_collection)?;
        match request.refinances {
            Some(loan) if sub.bundle == Bundle::Open => self.market.loan(loan).await.map(|loan| loan.deal.pledged_raw),
            _ => request.amount_raw,
        }
    }

    /// Checks what an offer asks of borrowers. The book decides again when it reserves the offer; the key of a link and the
    /// numbers of inscriptions are checked here alone: without them there is no prepared loan.
    async fn check_conditions(&self, request: &LoanRequest, offer: &Offer) -> Result<(), LoanServiceError> {
        let Some(conditions) = self.market.offer_conditions(request.offer).await? else { return Ok(()) };
        let access = conditions.check_access(request.offer, request.borrower, request.link_key);
        access.map_err(Refusal::from)?;
        let record = self.market.borrower_record(request.borrower);
        let taker = Taker {
            user: request.borrower,
            repaid: record.repaid,
            last_claimed_at: record.last_claimed_at,
            inscriptions: self.pledged_inscriptions(request).await,
        };
        conditions.check(offer, &taker, self.market.now()).map_err(Refusal::from)?;
        self.check_chosen_inscriptions(offer.id, &conditions, &taker.inscriptions).await
    }

    /// Checks the numbers of inscriptions, which the indexer reports, where an offer takes them by number.
    ///
    /// # Errors
    /// [`Rejection::InscriptionNotChosen`], and those of the lookup.
    pub async fn check_chosen_inscriptions(
        &self,
        offer: OfferId,
        conditions: &OfferConditions,
        inscriptions: &[Inscription],
    ) -> Result<(), LoanServiceError> {
        if conditions.numbers.is_empty() {
            return Ok(());
        }
        let mut pledged = Vec::with_capacity(inscriptions.len());
        for id in inscriptions {
            let is_named = conditions.inscriptions.binary_search(id).is_ok();
            let number = if is_named { None } else { self.lookup().inscription_number((*id).into()).await? };
            pledged.push((*id, number));
        }
        Ok(conditions.check_chosen(offer, &pledged).map_err(Refusal::from)?)
    }

    /// Returns the inscriptions to pledge, ascending, which a refinance takes from its loan.
    async fn pledged_inscriptions(&self, request: &LoanRequest) -> Vec<Inscription> {
        let mut named = request.inscriptions.clone();
        if let Some(id) = request.refinances {
            let loan = self.market.loan(id).await;
            named = loan.iter().flat_map(|loan| loan.deal.pledged_ids.iter()).flat_map(str::parse).collect();
        }
        let mut inscriptions: Vec<Inscription> = named.into_iter().map(Into::into).collect();
        inscriptions.sort_unstable();
        inscriptions
    }

    /// Returns the borrower's coins that carry the collateral, and its identifier for display.
    async fn collateral(
        &self,
        request: &LoanRequest,
        group: &Arc<CollectionGroup>,
        raw: u128,
        borrower: &Party,
    ) -> Result<(Pledged, PledgedIds), LoanServiceError> {
        match &group.collateral {
            CollateralType::Inscription => {
                let mut coins = self.inscribed_coins(&request.inscriptions, group.id, borrower).await?;
                if u128::try_from(coins.len()) != Ok(raw) {
                    return Err(Refusal::from(Rejection::WrongQuantity).into());
                }
                let pledged = match coins.pop() {
                    Some(only) if coins.is_empty() => Pledged::Inscription(only),
                    last => Pledged::Inscriptions(coins.into_iter().chain(last).collect()),
                };
                Ok((pledged, request.inscriptions.iter().collect()))
            }
            CollateralType::Rune { rune_id, .. } => {
                let id: RuneId = rune_id.parse().map_err(|_| LoanServiceError::UnknownToken)?;
                let coins = self.rune_coins(id, raw, borrower).await?;
                Ok((Pledged::Runes { coins, id, amount: raw }, PledgedIds::default()))
            }
            CollateralType::Brc20 { ticker, decimals } => {
                let amount = brc20_raw(raw, *decimals)?;
                let transfer = Brc20Transfer::new(ticker, amount).map_err(|_| LoanServiceError::UnknownToken)?;
                let id = match request.inscriptions[..] {
                    [id, ..] => id,
                    [] => self.free_note(&transfer, borrower).await?,
                };
                let coin = self.lookup().transfer_inscription(id, &borrower.ordinals_key(), &transfer).await?;
                Ok((Pledged::Note { coin, transfer }, [id].into_iter().collect()))
            }
        }
    }

    /// Returns the coins of a borrower's inscriptions, of which there is at least one, in their order.
    ///
    /// # Errors
    /// [`LoanServiceError::NoInscription`], [`LoanServiceError::NotOfCollection`], and those of the lookups.
    pub(super) async fn inscribed_coins(
        &self,
        inscriptions: &[InscriptionId],
        group: GroupId,
        borrower: &Party,
    ) -> Result<Vec<AssetCoin>, LoanServiceError> {
        if inscriptions.is_empty() {
            return Err(LoanServiceError::NoInscription);
        }
        let is_foreign = |id: &&InscriptionId| self.market.group_of_inscription((**id).into()) != Some(group);
        if let Some(id) = inscriptions.iter().find(is_foreign) {
            return Err(LoanServiceError::NotOfCollection(*id));
        }
        let (lookup, key) = (self.lookup(), borrower.ordinals_key());
        let coins = inscriptions.iter().map(|id| lookup.inscription(*id, &key));
        Ok(try_join_all(coins).await?)
    }

    /// Returns the unreserved coins that hold a rune and no other asset.
    pub(super) async fn free_rune_coins(
        &self,
        id: RuneId,
        borrower: &Party,
    ) -> Result<Vec<AssetCoin>, LoanServiceError> {
        let holdings = self.lookup().holdings(&borrower.ordinals_key()).await?;
        let mut coins = holdings.runes().remove(&id).unwrap_or_default();
        coins.retain(|coin| self.is_free(coin.coin.outpoint, None));
        Ok(coins)
    }

    /// Returns unreserved coins that hold at least `wanted` of a rune and no other asset, the largest first.
    pub(super) async fn rune_coins(
        &self,
        id: RuneId,
        wanted: u128,
        borrower: &Party,
    ) -> Result<Vec<AssetCoin>, LoanServiceError> {
        let held = |coin: &AssetCoin| rune_amount(coin, id);
        let mut coins = self.free_rune_coins(id, borrower).await?;
        coins.sort_by_key(|coin| (std::cmp::Reverse(held(coin)), coin.coin.outpoint));
        coins.truncate(RUNE_COINS_MAX);
        let mut found = 0_u128;
        for (index, coin) in coins.iter().enumerate() {
            found = found.saturating_add(held(coin));
            if found >= wanted {
                coins.truncate(index + 1);
                self.lookup().cross_check(&coins).await?;
                return Ok(coins);
            }
        }
        Err(LoanServiceError::InsufficientTokens { wanted, found })
    }

    /// Returns the id of an unused, unreserved transfer inscription of exactly this amount.
    async fn free_note(&self, wanted: &Brc20Transfer, borrower: &Party) -> Result<InscriptionId, LoanServiceError> {
        let (lookup, key) = (self.lookup(), borrower.ordinals_key());
        let holdings = lookup.holdings(&key).await?;
        let mut notes = lookup.notes(&key, &holdings).await?.into_iter();
        let note = notes.find(|note| {
            note.amount == wanted.amount()
                && note.ticker.eq_ignore_ascii_case(wanted.ticker())
                && self.is_free(note.inscription.outpoint, None)
        });
        note.map(|note| note.inscription.id).ok_or(LoanServiceError::NoNote { wanted: wanted.amount() })
    }
}

/// Returns the amount of a rune in a coin.
pub(super) fn rune_amount(coin: &AssetCoin, rune: RuneId) -> u128 {
    let of_rune = coin.runes.iter().filter(|(id, _)| *id == rune);
    of_rune.fold(0, |sum, (_, raw)| sum.saturating_add(*raw))
}

/// Returns an amount of a token in BRC-20's raw units, which have more decimals.
pub(super) fn brc20_raw(raw: u128, decimals: u8) -> Result<u128, LoanServiceError> {
    let missing = BRC20_DECIMALS.checked_sub(u32::from(decimals));
    let scale = missing.and_then(|missing| 10_u128.checked_pow(missing));
    scale.and_then(|scale| raw.checked_mul(scale)).ok_or(LoanServiceError::OutOfRange)
}

/// Returns the time from which the lender may claim: the signing time, the term and one day of grace from now. Rounded
/// up to a whole second, as in the script.
fn claim_after(now: UnixMs, allowance_ms: u64, term: TermDays) -> UnixMs {
    let earliest = now.plus_ms(allowance_ms).plus_ms(term.ms()).plus_ms(GRACE_MS);
    UnixMs(earliest.0.div_ceil(1_000).saturating_mul(1_000))
}
