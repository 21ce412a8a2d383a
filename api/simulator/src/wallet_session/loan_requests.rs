//! The requests of a wallet about loans, and its signatures for them.

use domain::{GroupId, OfferId, ProcessType, SubCollection, UnitPrice};
use escrow::action::{Action, NewRequest, RequestedPledge};
use reqwest::Method;
use serde_json::{Value, json};

use super::{WalletSession, unsigned};
use crate::api_client::CallError;
use crate::borrow_request::{BorrowRequest, OfferForMe, OffersForMe, RequestList};
use crate::clock;
use crate::loan_wire::{
    ChainResponse, FundingCoin, LoansPage, MyLoan, PreparedCountersignature, PreparedLoan, RuneQuotes, ToSign,
};
use crate::negotiation::{NegotiationAnswer, NegotiationList};

/// The fee rate of simulated users, in sats for each virtual byte.
const FEE_RATE: u32 = 3;
/// The time for which a proposal of a simulated user is good, in milliseconds.
const PROPOSAL_GOOD_MS: u64 = 12 * 3_600_000;
/// The name of the wallet in requests.
const WALLET: &str = "simulated";

impl WalletSession {
    /// Returns the account's open loans as the borrower, the latest 100.
    pub(crate) async fn borrowed(&mut self) -> Result<Vec<MyLoan>, CallError> {
        const OPEN: &str = "prepared,awaiting_lender,broadcast,active,expired,repaying";
        self.loans(&format!("/api/v1/me/loans?role=borrower&stage={OPEN}&limit=100")).await
    }

    /// Returns the account's loans as the lender that wait for an action.
    pub(crate) async fn waiting_for_lender(&mut self) -> Result<Vec<MyLoan>, CallError> {
        self.loans("/api/v1/me/loans/waiting?role=lender&limit=100").await
    }

    /// Returns the account's ended loans as the borrower, the latest first.
    pub(crate) async fn ended_loans(&mut self) -> Result<Vec<MyLoan>, CallError> {
        self.loans("/api/v1/me/history?role=borrower&limit=100").await
    }

    async fn loans(&mut self, path: &str) -> Result<Vec<MyLoan>, CallError> {
        Ok(self.read(path).await?.read::<LoansPage>()?.data)
    }

    /// Returns the state of the chain.
    pub(crate) async fn chain(&mut self) -> Result<ChainResponse, CallError> {
        self.read("/api/v1/chain").await?.read()
    }

    /// Returns the instant offers of a group of a rune that can be taken now.
    pub(crate) async fn rune_quotes(&mut self, group_slug: &str) -> Result<Vec<RuneQuotes>, CallError> {
        self.read(&format!("/api/instant/runes/offers?collection_group_slug={group_slug}")).await?.read()
    }

    /// Takes a manual offer, up to the lender's signature. With `follows` the loan refinances that one.
    pub(crate) async fn take_manual(
        &mut self,
        offer: &str,
        inscriptions: &[String],
        follows: Option<&str>,
    ) -> Result<String, CallError> {
        let mut body = self.borrower_fields();
        body["feeRate"] = FEE_RATE.into();
        body["offerId"] = offer.into();
        body["hardware_wallet"] = false.into();
        if !inscriptions.is_empty() {
            body["inscriptionIds"] = inscriptions.into();
        }
        if let Some(follows) = follows {
            body["refinancedLoanId"] = follows.into();
        }
        let prepared = self.write(Method::POST, "/api/v1/loans/manual/prepare", &body).await?.read()?;
        self.accept_manual(&prepared).await
    }

    /// Takes an offer with inscriptions; a manual one up to the lender's signature.
    pub(crate) async fn take_with_inscriptions(
        &mut self,
        process: ProcessType,
        offer: &str,
        inscriptions: &[String],
    ) -> Result<String, CallError> {
        match process {
            ProcessType::Manual => self.take_manual(offer, inscriptions, None).await,
            ProcessType::Instant => {
                self.take_instant("ordinals", offer, ("inscription_ids", inscriptions.into())).await
            }
        }
    }

    /// Returns the borrow requests of all users.
    pub(crate) async fn borrow_requests(&mut self) -> Result<Vec<BorrowRequest>, CallError> {
        Ok(self.read("/api/v1/requests").await?.read::<RequestList>()?.requests)
    }

    /// Returns the offers that only this account can take.
    pub(crate) async fn offers_for_me(&mut self) -> Result<Vec<OfferForMe>, CallError> {
        Ok(self.read("/api/v1/offers/for-me").await?.read::<OffersForMe>()?.data)
    }

    /// Signs and places a borrow request against inscriptions.
    pub(crate) async fn place_request(&mut self, request: &NewRequest) -> Result<(), CallError> {
        let signed = self.signed(Action::RequestLoan(request.clone())).await?;
        let RequestedPledge::Inscriptions(inscriptions) = &request.collateral else { return Ok(()) };
        let body = json!({
            "collection": request.collection_slug,
            "inscriptionIds": inscriptions,
            "principalAmountSats": request.principal_sats,
            "interestMax": request.interest_max,
            "termMinDays": request.term_min_days,
            "termMaxDays": request.term_max_days,
            "goodUntil": request.good_until_s * 1_000,
            "signature": signed.signature,
            "signatureTimestamp": signed.issued_s,
            "message": signed.message,
        });
        self.write(Method::POST, "/api/v1/requests", &body).await.map(drop)
    }

    /// Fills a borrow request from the wallet.
    pub(crate) async fn fill_request(&mut self, request: &str, slug: &str) -> Result<(), CallError> {
        let body = json!({ "collectionSlug": slug });
        self.write(Method::POST, &format!("/api/v1/requests/{request}/fill"), &body).await.map(drop)
    }

    /// Answers the account's negotiations about inscriptions, with the price and the usual terms of a group; returns the
    /// number of answers.
    pub(crate) async fn answer_negotiations(
        &mut self,
        context: impl Fn(GroupId) -> Option<(UnitPrice, Vec<SubCollection>)>,
    ) -> Result<usize, CallError> {
        let negotiations = self.read("/api/v1/negotiations").await?.read::<NegotiationList>()?.negotiations;
        let mut count = 0;
        for negotiation in negotiations {
            let Some((price, usual)) = context(negotiation.group_id) else { continue };
            let Some(answer) = negotiation.answer(price, &usual) else { continue };
            let (path, round) = (format!("/api/v1/negotiations/{}", negotiation.id), negotiation.proposals.len());
            let answered = match answer {
                NegotiationAnswer::Accept => {
                    self.write(Method::POST, &format!("{path}/accept"), &json!({ "round": round })).await
                }
                NegotiationAnswer::Propose { principal, interest, days } => {
                    let body = json!({
                        "round": round,
                        "principalAmountSats": principal.get(),
                        "interest": interest,
                        "termDays": days,
                        "goodUntil": clock::now().plus_ms(PROPOSAL_GOOD_MS),
                    });
                    self.write(Method::POST, &format!("{path}/proposals"), &body).await
                }
                NegotiationAnswer::Decline => {
                    self.write(Method::DELETE, &format!("{path}?round={round}"), &Value::Null).await
                }
            };
            match answered {
                Ok(_) => count += 1,
                // The other side has answered meanwhile, or the price does not allow it any more.
                Err(CallError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }

    /// Signs a manual loan that was prepared before.
    pub(crate) async fn sign_prepared(&mut self, loan: &str) -> Result<String, CallError> {
        let prepared = self.read(&format!("/api/v1/loans/{loan}/acceptance")).await?.read()?;
        self.accept_manual(&prepared).await
    }

    async fn accept_manual(&mut self, prepared: &PreparedLoan) -> Result<String, CallError> {
        let signed = self.psbt(&prepared.transaction_base64)?;
        let body = json!({ "acceptRequest": prepared.offer_accept_request_id, "walletName": WALLET, "base64": signed });
        self.write(Method::POST, "/api/v1/loans/manual/accept", &body).await?;
        Ok(prepared.loan_id.clone())
    }

    /// Takes an instant offer with an inscription, or with whole tokens in decimals.
    pub(crate) async fn take_instant(
        &mut self,
        kind: &str,
        offer: &str,
        pledge: (&str, Value),
    ) -> Result<String, CallError> {
        let mut body = self.borrower_fields();
        body["fee_rate"] = FEE_RATE.into();
        let (field, value) = pledge;
        body[field] = value;
        let path = format!("/api/v1/offers/instant/{kind}/{offer}");
        let prepared = self.write(Method::POST, &format!("{path}/prepare-accept"), &body).await?;
        let prepared: PreparedLoan = prepared.read()?;
        let body = json!({
            "offer_accept_request_id": prepared.offer_accept_request_id,
            "wallet_name": WALLET,
            "signed_psbt": self.psbt(&prepared.transaction_base64)?,
        });
        self.write(Method::POST, &format!("{path}/accept"), &body).await?;
        Ok(prepared.loan_id)
    }

    /// Withdraws from a loan that the lender has not signed.
    pub(crate) async fn withdraw(&mut self, loan: &str) -> Result<(), CallError> {
        self.send(Method::DELETE, &format!("/api/v1/loans/{loan}/acceptance"), None, None).await.map(drop)
    }

    /// Counter-signs a loan that a borrower accepted, and pre-signs its repayment.
    pub(crate) async fn countersign(&mut self, loan: &str) -> Result<(), CallError> {
        let path = format!("/api/v1/loans/{loan}/countersignature");
        let asked: PreparedCountersignature = self.read(&path).await?.read()?;
        let payouts = asked.payouts.iter().map(|payout| self.psbt(&payout.transaction_base64));
        let payouts: Vec<String> = payouts.collect::<Result<_, _>>()?;
        let signed = self.psbt(&asked.transaction_base64)?;
        let body = json!({ "walletName": WALLET, "base64": signed, "payouts": payouts });
        self.write(Method::POST, &path, &body).await.map(drop)
    }

    /// Refuses a loan that a borrower accepted.
    pub(crate) async fn refuse(&mut self, loan: &str) -> Result<(), CallError> {
        self.send(Method::DELETE, &format!("/api/v1/loans/{loan}/countersignature"), None, None).await.map(drop)
    }

    /// Repays loans, all in one transaction.
    pub(crate) async fn repay(&mut self, loans: &[String]) -> Result<(), CallError> {
        let asked = json!({ "loanIds": loans, "feeRate": FEE_RATE });
        let ending = self.write(Method::POST, "/api/v1/loans/repayment/prepare", &asked).await?;
        let ending: ToSign = ending.read()?;
        let signed = self.psbt(&ending.transaction_base64)?;
        let body = json!({ "loanIds": loans, "walletName": WALLET, "base64": signed });
        self.write(Method::POST, "/api/v1/loans/repayment", &body).await.map(drop)
    }

    /// Claims the collateral of a loan that was not repaid.
    pub(crate) async fn claim(&mut self, loan: &str) -> Result<(), CallError> {
        let path = format!("/api/v1/loans/{loan}/claim");
        let asked = json!({ "feeRate": FEE_RATE });
        let ending: ToSign = self.write(Method::POST, &format!("{path}/prepare"), &asked).await?.read()?;
        let body = json!({ "walletName": WALLET, "base64": self.psbt(&ending.transaction_base64)? });
        self.write(Method::POST, &path, &body).await.map(drop)
    }

    /// Moves coins of the payment address into the account's vault.
    pub(crate) async fn deposit(&mut self, sats: u64) -> Result<(), CallError> {
        let asked = json!({ "sats": sats, "fee_rate": FEE_RATE });
        let deposit: ToSign = self.write(Method::POST, "/api/v1/vaults/me/deposits/prepare", &asked).await?.read()?;
        let body = json!({ "signed_psbt": self.psbt(&deposit.transaction_base64)? });
        self.write(Method::POST, "/api/v1/vaults/me/deposits", &body).await.map(drop)
    }

    /// Creates the coin that an own offer against BRC-20 spends, unless it is confirmed already; returns whether one
    /// was created.
    pub(crate) async fn make_exact_coin(&mut self, offer: OfferId) -> Result<bool, CallError> {
        let coin: FundingCoin = self.read(&format!("/api/v1/me/funds/exact/{offer}")).await?.read()?;
        let Some(sats) = coin.funding_sats.filter(|_| !coin.is_there) else { return Ok(false) };
        let asked = json!({ "sats": sats, "fee_rate": FEE_RATE });
        let payment: ToSign = self.write(Method::POST, "/api/v1/me/funds/exact/prepare", &asked).await?.read()?;
        let body = json!({ "signed_psbt": self.psbt(&payment.transaction_base64)? });
        self.write(Method::POST, "/api/v1/me/funds/exact", &body).await?;
        Ok(true)
    }

    fn psbt(&self, unsigned_base64: &str) -> Result<String, CallError> {
        self.wallet.sign_psbt(unsigned_base64).map_err(unsigned)
    }

    /// The fields that identify the wallet in loan requests.
    fn borrower_fields(&self) -> Value {
        json!({
            "borrower_wallet": WALLET,
            "borrower_payment_address": self.payment_address(),
            "borrower_payment_pubkey": self.payment_public_key(),
            "borrower_ordinal_address": self.ordinals_address(),
            "borrower_ordinal_pubkey": self.ordinals_public_key(),
        })
    }
}
