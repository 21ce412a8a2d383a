//! The signers that share the vaults, as one: each request goes to all of them, and enough equal answers are an answer.
//!
//! With t of n signers, any t sign a payment, and an offer counts as admitted once t have it. A cancellation counts once
//! n - t + 1 have it, so that no t signers without it remain. A signer that is away, slow or wrong costs its vote and
//! nothing else; what it missed is sent again, as long as this process runs, before anything later.

mod member;
mod preparation;
mod signatures;
mod statuses;
mod turns;
mod votes;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bitcoin::{Psbt, XOnlyPublicKey};
use tokio::sync::mpsc;
use tokio::time::timeout;

use self::member::Member;
use self::turns::Turns;
use self::votes::Votes;
use crate::delegation_request::DelegationRequest;
use crate::identity::{AttestedKey, KeyPurpose};
use crate::policy::PolicyText;
use crate::refusal::Refusal;
use crate::request::shared::SharedRequest;
use crate::request::{Answer, Description, Request, SignedTransaction};
use crate::vault_signer::{SignerError, VaultSigner};

/// The signers that share the vaults. Clones are handles to the same ones.
#[derive(Clone, Debug)]
pub struct Quorum<S>(Arc<Inner<S>>);

#[derive(Debug)]
struct Inner<S> {
    /// The number of signers that sign each payment.
    required: usize,
    members: Vec<Arc<Member<S>>>,
    /// The epoch of this server's lease in a cluster, which each request carries; 0 without one.
    epoch: AtomicU64,
    described: RwLock<Option<Arc<Description>>>,
    turns: Turns,
}

/// The time for which signers are waited for that have not answered, when enough others have.
const STRAGGLERS_WAIT: Duration = Duration::from_millis(20);

/// The number of signers that must have logged a cancellation before it is acknowledged: among any `required` signers is one
/// of them.
#[must_use]
pub const fn acknowledging(required: usize, signers: usize) -> usize {
    signers + 1 - required
}

/// The outcome of a request to one signer.
type Outcome = Result<Answer, SignerError>;

/// The outcomes of a request, each with the place of the signer, as they come.
type Outcomes = mpsc::UnboundedReceiver<(usize, Outcome)>;

impl<S: VaultSigner> Quorum<S> {
    /// The signers at these ports, of which `required` sign each payment. They need not be running yet.
    #[must_use]
    pub fn new(required: usize, signers: Vec<S>) -> Self {
        let members = signers.into_iter().map(|signer| Arc::new(Member::new(signer))).collect();
        let (epoch, described, turns) = (AtomicU64::new(0), RwLock::new(None), Turns::new());
        Self(Arc::new(Inner { required, members, epoch, described, turns }))
    }

    /// Returns how many of these signers have to sign, and how many there are.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.0.required, self.0.members.len())
    }

    /// Returns whether each signer answered the latest request to it, in the order of their ports.
    #[must_use]
    pub fn members_answer(&self) -> Vec<bool> {
        self.0.members.iter().map(|member| member.answers()).collect()
    }

    fn removing(&self) -> usize {
        acknowledging(self.0.required, self.0.members.len())
    }

    /// Sends a request to these signers; the outcomes arrive as they come. What is not awaited goes on by itself.
    fn send(&self, to: &[usize], request: &Request, is_owed: bool) -> Outcomes {
        let (sender, outcomes) = mpsc::unbounded_channel();
        for place in to.iter().copied() {
            let Some(member) = self.0.members.get(place).map(Arc::clone) else { continue };
            let (sender, request) = (sender.clone(), self.of_writer(request.clone()));
            tokio::spawn(async move {
                let outcome = member.ask(request, is_owed).await;
                // The caller may have enough answers and be gone.
                let _ = sender.send((place, outcome));
            });
        }
        outcomes
    }

    fn of_writer(&self, request: Request) -> Request {
        match self.0.epoch.load(Ordering::Acquire) {
            0 => request,
            epoch => Request::OfWriter { epoch, request: Box::new(request) },
        }
    }

    fn all(&self) -> Vec<usize> {
        (0..self.0.members.len()).collect()
    }

    /// Sends a request to all signers, and returns the answer that `needed` of them give.
    async fn equal_answer(&self, request: &Request, needed: usize) -> Outcome {
        let mut outcomes = self.send(&self.all(), request, false);
        self.decided(&mut outcomes, needed).await
    }

    /// Sends a lender's message to all signers in its turn, and returns the answer that `needed` of them give. What a signer
    /// does not answer is sent to it again.
    async fn in_turn(&self, lender_id: u64, request: &Request, needed: usize) -> Outcome {
        let turn = self.0.turns.of(lender_id).await;
        let mut outcomes = self.send(&self.all(), request, true);
        let decided = self.decided(&mut outcomes, needed).await;
        tokio::spawn(async move {
            let rest = async { while outcomes.recv().await.is_some() {} };
            // A signer that is slower than that may miss the order, which costs its vote.
            let _ = timeout(STRAGGLERS_WAIT, rest).await;
            drop(turn);
        });
        decided
    }

    /// Counts outcomes until the answer is certain.
    async fn decided(&self, outcomes: &mut Outcomes, needed: usize) -> Outcome {
        let mut votes = Votes::new(self.0.members.len(), needed);
        while let Some((_, outcome)) = outcomes.recv().await {
            if let Some(decided) = votes.push(outcome) {
                return decided;
            }
        }
        Err(votes.error(0))
    }

    /// Sends a read to all signers, and returns what those that answered say, if they are enough. The others are waited for
    /// a little longer.
    async fn reads(&self, request: &Request) -> Result<Vec<Answer>, SignerError> {
        let mut outcomes = self.send(&self.all(), request, false);
        let (mut answers, mut votes) = (Vec::new(), Votes::new(self.0.members.len(), self.0.required));
        loop {
            let next = if answers.len() < self.0.required {
                outcomes.recv().await
            } else {
                timeout(STRAGGLERS_WAIT, outcomes.recv()).await.unwrap_or(None)
            };
            let Some((_, outcome)) = next else { break };
            match outcome {
                Ok(answer) if !matches!(answer, Answer::Refused(_)) => answers.push(answer),
                other => {
                    if let Some(Err(error)) = votes.push(other) {
                        return Err(error);
                    }
                }
            }
        }
        if answers.len() >= self.0.required { Ok(answers) } else { Err(votes.error(0)) }
    }

    /// Returns the policy that enough signers have, read once.
    async fn policy(&self) -> Result<Arc<Description>, SignerError> {
        let known = self.0.described.read().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(known) => Ok(known),
            None => self.read_policy().await,
        }
    }

    async fn read_policy(&self) -> Result<Arc<Description>, SignerError> {
        let Answer::Description(description) = self.equal_answer(&Request::Describe, self.0.required).await? else {
            return Err(SignerError::Nonsense);
        };
        let description = Arc::new(description);
        *self.0.described.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&description));
        Ok(description)
    }

    async fn policy_text(&self) -> Result<PolicyText, SignerError> {
        let text = PolicyText::read(&self.policy().await?.policy).ok_or(SignerError::Nonsense)?;
        let is_ours =
            text.signers.required() == self.0.required && text.signers.identities().len() == self.0.members.len();
        if is_ours { Ok(text) } else { Err(SignerError::Nonsense) }
    }

    /// Asks every signer, and returns all answers in any order, or the first error.
    async fn every_answer(&self, request: &Request) -> Result<Vec<Answer>, SignerError> {
        let mut outcomes = self.send(&self.all(), request, false);
        let mut answers = Vec::with_capacity(self.0.members.len());
        while let Some((_, outcome)) = outcomes.recv().await {
            match outcome? {
                Answer::Refused(refusal) => return Err(refusal.into()),
                answer => answers.push(answer),
            }
        }
        Ok(answers)
    }

    /// Returns an attested key of each signer for a lender's vault. All must answer: each is in the vault's script.
    async fn vault_keys(&self, lender_id: u64) -> Result<Vec<AttestedKey>, SignerError> {
        let PolicyText { network, signers, .. } = self.policy_text().await?;
        let request = Request::Shared(SharedRequest::VaultKey { lender_id });
        let attested = |answer| match answer {
            Answer::Attested(key) => Ok(key),
            _ => Err(SignerError::Nonsense),
        };
        let answers = self.every_answer(&request).await?.into_iter();
        let keys: Vec<AttestedKey> = answers.map(attested).collect::<Result<_, _>>()?;
        signers.vault_signers(KeyPurpose::Vault { network, lender_id }, &keys)?;
        Ok(keys)
    }

    /// Sends a request to sign a transaction to all signers, and returns the signatures of the first that sign, each of
    /// which is checked.
    async fn signed(&self, request: &Request, psbt: &Psbt) -> Outcome {
        let mut outcomes = self.send(&self.all(), request, false);
        let mut votes = Votes::new(self.0.members.len(), self.0.required);
        let mut signed: Vec<(XOnlyPublicKey, SignedTransaction)> = Vec::new();
        while let Some((place, outcome)) = outcomes.recv().await {
            match outcome {
                Ok(Answer::Signed(own)) => match signatures::check(psbt, &own) {
                    Some(key) if signed.iter().all(|(other, _)| *other != key) => signed.push((key, own)),
                    _ => {
                        warn(place, "its signatures are not valid for the transaction");
                        votes.push(Err(SignerError::Nonsense));
                    }
                },
                other => {
                    if let Some(Err(error)) = votes.push(other) {
                        return Err(error);
                    }
                }
            }
            if signed.len() == self.0.required {
                let mut signed = signed.into_iter().map(|(_, own)| own);
                let mut whole = signed.next().ok_or(SignerError::Nonsense)?;
                whole.signatures.extend(signed.flat_map(|own| own.signatures));
                return Ok(Answer::Signed(whole));
            }
        }
        Err(votes.error(signed.len()))
    }
}

fn warn(place: usize, fault: &str) {
    tracing::error!(signer = place, fault, "a vault signer is wrong, and its answer does not count");
}

impl<S: VaultSigner> VaultSigner for Quorum<S> {
    async fn ask(&self, request: Request) -> Outcome {
        let request = match request {
            Request::OfWriter { epoch, request } => {
                self.0.epoch.fetch_max(epoch, Ordering::AcqRel);
                *request
            }
            request => request,
        };
        match self.answer(request).await {
            Err(SignerError::Refused(refusal)) => {
                if matches!(refusal, Refusal::OtherPolicy { .. } | Refusal::ForeignKeys { .. }) {
                    // The known policy is outdated.
                    *self.0.described.write().unwrap_or_else(PoisonError::into_inner) = None;
                }
                Ok(Answer::Refused(refusal))
            }
            answered => answered,
        }
    }
}

impl<S: VaultSigner> Quorum<S> {
    async fn answer(&self, request: Request) -> Outcome {
        let required = self.0.required;
        match request {
            Request::Describe => Ok(Answer::Description(Description::clone(&*self.read_policy().await?))),
            Request::Standing { ref offers } => {
                let answers = self.reads(&request).await?;
                statuses::of_offers(offers, &answers, self.0.members.len(), required)
            }
            Request::Delegation(DelegationRequest::Status { ref delegations, .. }) => {
                statuses::of_delegations(delegations, &self.reads(&request).await?, self.removing())
            }
            Request::ReviseOffers { lender_id, .. }
            | Request::Delegation(
                DelegationRequest::Revoke { lender_id, .. } | DelegationRequest::ReviseOffers { lender_id, .. },
            ) => self.in_turn(lender_id, &request, self.removing()).await,
            Request::AdmitOffer { lender_id, .. }
            | Request::AcceptTerm { lender_id, .. }
            | Request::Delegation(
                DelegationRequest::Admit { lender_id, .. } | DelegationRequest::AdmitOffer { lender_id, .. },
            ) => self.in_turn(lender_id, &request, required).await,
            Request::PublicKey { lender_id } => {
                let keys = self.vault_keys(lender_id).await?;
                Ok(Answer::SharedKeys { required, keys })
            }
            Request::OpenVault { lender_id, lender, signed } => {
                let keys = self.vault_keys(lender_id).await?;
                let request = Request::Shared(SharedRequest::OpenVault { lender_id, lender, keys, signed });
                // Every signer must know the vault before anything is paid to it.
                self.equal_answer(&request, self.0.members.len()).await
            }
            Request::PrepareLoan(loan) => self.prepare_loan(&loan).await,
            Request::Shared(SharedRequest::SignLoan(ref asked)) => self.signed(&request, &asked.psbt).await,
            Request::SignWithdrawal(ref asked) => self.signed(&request, &asked.psbt).await,
            Request::BumpFee(ref asked) => self.signed(&request, &asked.psbt).await,
            Request::MoveVault(ref asked) => self.signed(&request, &asked.psbt).await,
            Request::OfWriter { .. } | Request::SignLoan(_) | Request::Shared(_) => {
                let signers = self.0.members.len();
                Ok(Answer::Refused(Refusal::OtherSigners { required, signers }))
            }
        }
    }
}
