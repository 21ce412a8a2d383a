//! The port of the server to the holder of the vaults' keys.

use std::future::Future;

use bitcoin::hashes::sha256;
use bitcoin::{ScriptBuf, XOnlyPublicKey};
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::delegation_id::DelegationId;
use thiserror::Error;

use crate::delegation_request::{DelegationName, DelegationRequest, DelegationStatus};
use crate::identity::AttestedKey;
use crate::pre_signed_loan::{LoanToSign, PreSignedLoan, RepayShares};
use crate::program_text::ProgramText;
use crate::refusal::Refusal;
use crate::request::shared::PreparedShared;
use crate::request::{
    Answer, Description, FeeBumpRequest, LoanRequest, MoveRequest, OfferHash, OfferStatus, PreparedLoan, Request,
    SignedTransaction, WithdrawalRequest,
};
use crate::signed_text::SignedText;

/// The reason why there is no answer, or not the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SignerError {
    /// The signer refuses the request.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The signer could not be reached, and so has done nothing.
    #[error("the signer cannot be reached: {reason}")]
    Unreachable {
        /// The cause.
        reason: String,
    },
    /// The request was sent and not answered: the signer may have signed. A repeated request gives the same signatures,
    /// and counts once.
    #[error("the signer gave no answer: {reason}")]
    Unanswered {
        /// The cause.
        reason: String,
    },
    /// The answer is of another kind, or cannot be parsed.
    #[error("the signer's answer makes no sense")]
    Nonsense,
}

/// A holder of the vaults' keys. Adapters implement [`VaultSigner::ask`]; the other methods wrap it for each request.
pub trait VaultSigner: Send + Sync + 'static {
    /// Sends a request and returns the answer. A refusal is an answer here; every other method makes it an error.
    fn ask(&self, request: Request) -> impl Future<Output = Result<Answer, SignerError>> + Send;

    /// Returns the public policy and its hash, which is the signer's id (`canisterId`).
    fn describe(&self) -> impl Future<Output = Result<Description, SignerError>> + Send {
        async {
            match self.ask(Request::Describe).await? {
                Answer::Description(description) => Ok(description),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Returns the policy of the signer that holds a lender's vault. Adapters to several signers choose by the vault.
    fn describe_vault(&self, lender_id: u64) -> impl Future<Output = Result<Description, SignerError>> + Send {
        let _ = lender_id;
        self.describe()
    }

    /// Returns the signers of the vault of a lender, from whose keys the vault's address is derived.
    fn vault_signers(&self, lender_id: u64) -> impl Future<Output = Result<VaultSigners, SignerError>> + Send {
        async move { Ok(self.attested_signers(lender_id).await?.0) }
    }

    /// Returns the same with the attestations of several signers, which a single one does not give.
    fn attested_signers(
        &self,
        lender_id: u64,
    ) -> impl Future<Output = Result<(VaultSigners, Vec<AttestedKey>), SignerError>> + Send {
        async move {
            match self.ask(Request::PublicKey { lender_id }).await? {
                Answer::PublicKey(key) => Ok((key.into(), Vec::new())),
                Answer::SharedKeys { required, keys } => {
                    let signers = VaultSigners::new(required, keys.iter().map(|attested| attested.key));
                    Ok((signers.map_err(|_| SignerError::Nonsense)?, keys))
                }
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits the lender's message that opens the vault, or moves one of other signers to it; returns the vault's script.
    fn open_vault(
        &self,
        lender_id: u64,
        lender: XOnlyPublicKey,
        signed: SignedText,
    ) -> impl Future<Output = Result<ScriptBuf, SignerError>> + Send {
        async move {
            match self.ask(Request::OpenVault { lender_id, lender, signed }).await? {
                Answer::Vault(script) => Ok(script),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits a signed offer, while its message is fresh; returns the offer's id in loans.
    fn admit_offer(
        &self,
        lender_id: u64,
        offer_id: String,
        signed: SignedText,
    ) -> impl Future<Output = Result<sha256::Hash, SignerError>> + Send {
        async move {
            match self.ask(Request::AdmitOffer { lender_id, offer_id, signed }).await? {
                Answer::Offer(offer) => Ok(offer),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits a message that cancels, pauses or resumes offers, or withdraws a quote that was not created.
    fn revise_offers(
        &self,
        lender_id: u64,
        signed: SignedText,
    ) -> impl Future<Output = Result<(), SignerError>> + Send {
        async move {
            match self.ask(Request::ReviseOffers { lender_id, signed }).await? {
                Answer::Revised => Ok(()),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits a message that accepts a change of an offer's term.
    fn accept_term(&self, lender_id: u64, signed: SignedText) -> impl Future<Output = Result<(), SignerError>> + Send {
        async move {
            match self.ask(Request::AcceptTerm { lender_id, signed }).await? {
                Answer::Revised => Ok(()),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits a lender's message that delegates quotes, while it is fresh.
    fn admit_delegation(
        &self,
        lender_id: u64,
        signed: SignedText,
    ) -> impl Future<Output = Result<(), SignerError>> + Send {
        self.revise_delegations(DelegationRequest::Admit { lender_id, signed })
    }

    /// Revokes a delegation; it is revoked for good once this returns.
    fn revoke_delegation(
        &self,
        lender_id: u64,
        delegation: DelegationId,
    ) -> impl Future<Output = Result<(), SignerError>> + Send {
        self.revise_delegations(DelegationRequest::Revoke { lender_id, delegation })
    }

    /// Submits a text of a program that cancels offers, or withdraws a quote that was not created.
    fn revise_delegated(
        &self,
        lender_id: u64,
        signed: ProgramText,
    ) -> impl Future<Output = Result<(), SignerError>> + Send {
        self.revise_delegations(DelegationRequest::ReviseOffers { lender_id, signed })
    }

    /// Sends a request about delegations that is answered by [`Answer::Revised`].
    fn revise_delegations(&self, request: DelegationRequest) -> impl Future<Output = Result<(), SignerError>> + Send {
        async move {
            match self.ask(Request::Delegation(request)).await? {
                Answer::Revised => Ok(()),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Submits a program's offer, while its text is fresh; returns the offer's id in loans.
    fn admit_delegated(
        &self,
        lender_id: u64,
        offer_id: String,
        signed: ProgramText,
    ) -> impl Future<Output = Result<sha256::Hash, SignerError>> + Send {
        async move {
            let request = DelegationRequest::AdmitOffer { lender_id, offer_id, signed };
            match self.ask(Request::Delegation(request)).await? {
                Answer::Offer(offer) => Ok(offer),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Returns the status of at most [`crate::delegation::DELEGATIONS_MAX`] delegations, without those that the signer
    /// does not know.
    fn delegation_status(
        &self,
        lender_id: u64,
        delegations: Vec<DelegationName>,
    ) -> impl Future<Output = Result<Vec<DelegationStatus>, SignerError>> + Send {
        async move {
            let request = DelegationRequest::Status { lender_id, delegations };
            match self.ask(Request::Delegation(request)).await? {
                Answer::Delegations(status) => Ok(status),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Returns the status of at most [`crate::request::STATUS_REQUEST_OFFERS_MAX`] offers, without those that no longer exist.
    fn offer_status(
        &self,
        offers: Vec<OfferHash>,
    ) -> impl Future<Output = Result<Vec<(OfferHash, OfferStatus)>, SignerError>> + Send {
        async move {
            match self.ask(Request::Standing { offers }).await? {
                Answer::Standing(standing) => Ok(standing),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Has repay keys made, used and destroyed. Moves no money.
    fn prepare_loan(&self, loan: LoanRequest) -> impl Future<Output = Result<PreSignedLoan, SignerError>> + Send {
        async move {
            match self.ask(Request::PrepareLoan(Box::new(loan))).await? {
                Answer::Prepared(prepared) => {
                    let PreparedLoan { repay_key: key, repay_proof: proof, payout, psbt } = *prepared;
                    Ok(PreSignedLoan { repay: RepayShares::Single { key, proof, payout }, psbt })
                }
                Answer::PreparedShared(prepared) => {
                    let PreparedShared { repay, psbt } = *prepared;
                    Ok(PreSignedLoan { repay: RepayShares::Shared(repay), psbt })
                }
                other => Err(unexpected(other)),
            }
        }
    }

    /// Has the vault's outputs signed for in the origination of a loan.
    fn sign_loan(&self, asked: LoanToSign) -> impl Future<Output = Result<SignedTransaction, SignerError>> + Send {
        async move {
            match self.ask(asked.into()).await? {
                Answer::Signed(signed) => Ok(signed),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Has the vault's outputs signed for in a withdrawal.
    fn sign_withdrawal(
        &self,
        asked: WithdrawalRequest,
    ) -> impl Future<Output = Result<SignedTransaction, SignerError>> + Send {
        async move {
            match self.ask(Request::SignWithdrawal(Box::new(asked))).await? {
                Answer::Signed(signed) => Ok(signed),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Has the vault's outputs signed for in the move to the vault of other signers.
    fn move_vault(&self, asked: MoveRequest) -> impl Future<Output = Result<SignedTransaction, SignerError>> + Send {
        async move {
            match self.ask(Request::MoveVault(Box::new(asked))).await? {
                Answer::Signed(signed) => Ok(signed),
                other => Err(unexpected(other)),
            }
        }
    }

    /// Has a change output of the vault signed for in a child that pays for its parent.
    fn bump_fee(&self, asked: FeeBumpRequest) -> impl Future<Output = Result<SignedTransaction, SignerError>> + Send {
        async move {
            match self.ask(Request::BumpFee(Box::new(asked))).await? {
                Answer::Signed(signed) => Ok(signed),
                other => Err(unexpected(other)),
            }
        }
    }
}

pub(crate) fn unexpected(answer: Answer) -> SignerError {
    match answer {
        Answer::Refused(refusal) => SignerError::Refused(refusal),
        _ => SignerError::Nonsense,
    }
}
