//! A test rig of several signers that share the vaults, each behind a line that can fail, and a lender with a wallet.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::secp256k1::schnorr;
use bitcoin::{Amount, FeeRate};
use escrow::action::{Action, CancelOffers};
use escrow::address::AddressKind;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use signer::in_process::InProcess;
use signer::master_seed::MasterSeed;
use signer::policy::{Policy, PolicyDraft};
use signer::quorum::Quorum;
use signer::request::shared::SharedRequest;
use signer::request::{Answer, LoanRequest, OfferHash, OfferStatus, Request, SpentOutput, WithdrawalRequest};
use signer::signed_text::SignedText;
use signer::signer::Signer;
use signer::signer_set::SignerSetDraft;
use signer::term_sheet::TermSheet;
use signer::vault_signer::{SignerError, VaultSigner};
use tempfile::TempDir;

use crate::rig::{
    LENDER_ID, Rig, START_MS, VAULT_SATS, draft, offer, ordinals_key, outpoint, sheet, signed_by, wallet,
};

/// A fault of a line or of the signer behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Fault {
    /// None.
    None,
    /// The signer cannot be reached.
    Away,
    /// The signer carries a request out, and its answer is lost.
    Silent,
    /// The signer's answers are false.
    Lying,
    /// The signer never answers, and does nothing.
    Hanging,
    /// The signer makes repay keys, and never signs with them.
    NeverPreSigning,
}

impl Fault {
    pub(crate) const ALL: [Self; 6] =
        [Self::None, Self::Away, Self::Silent, Self::Lying, Self::Hanging, Self::NeverPreSigning];
}

/// A signer behind a line.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    signer: Arc<Mutex<Option<InProcess>>>,
    fault: Arc<AtomicU8>,
}

impl Line {
    fn new(signer: Signer) -> Self {
        let signer = InProcess::with_clock(signer, || START_MS);
        Self { signer: Arc::new(Mutex::new(Some(signer))), fault: Arc::new(AtomicU8::new(0)) }
    }

    fn fault(&self) -> Fault {
        Fault::ALL[usize::from(self.fault.load(Ordering::SeqCst))]
    }

    fn signer(&self) -> Option<InProcess> {
        self.signer.lock().unwrap().clone()
    }
}

impl VaultSigner for Line {
    async fn ask(&self, request: Request) -> Result<Answer, SignerError> {
        let unreachable = || SignerError::Unreachable { reason: "away".to_owned() };
        let fault = self.fault();
        let is_second_round = matches!(request, Request::Shared(SharedRequest::PrepareLoan { .. }));
        if fault == Fault::Hanging || fault == Fault::NeverPreSigning && is_second_round {
            return std::future::pending().await;
        }
        let signer = self.signer().filter(|_| fault != Fault::Away).ok_or_else(unreachable)?;
        let answer = signer.ask(request).await?;
        match fault {
            Fault::None | Fault::NeverPreSigning => Ok(answer),
            Fault::Away | Fault::Hanging | Fault::Silent => {
                Err(SignerError::Unanswered { reason: "silent".to_owned() })
            }
            Fault::Lying => Ok(falsified(answer)),
        }
    }
}

/// Another answer of the same kind.
fn falsified(answer: Answer) -> Answer {
    let altered = |signature: schnorr::Signature| {
        let mut bytes = signature.serialize();
        bytes[40] ^= 1;
        schnorr::Signature::from_slice(&bytes).unwrap()
    };
    match answer {
        Answer::Attested(mut key) => {
            key.key = ordinals_key(&wallet(90));
            Answer::Attested(key)
        }
        Answer::Signed(mut signed) => {
            signed.signatures.iter_mut().for_each(|made| made.signature = altered(made.signature));
            Answer::Signed(signed)
        }
        Answer::PreparedShare(mut share) => {
            share.payout.two = altered(share.payout.two);
            Answer::PreparedShare(share)
        }
        Answer::Offer(_) => Answer::Offer(sha256::Hash::all_zeros()),
        Answer::Standing(statuses) => Answer::Standing(
            statuses.into_iter().map(|(name, _)| (name, OfferStatus::Used { sats: u64::MAX })).collect(),
        ),
        Answer::Description(mut description) => {
            description.policy_hash = sha256::Hash::all_zeros();
            Answer::Description(description)
        }
        other => other,
    }
}

/// The environment of a test.
pub(crate) struct SharedRig {
    folder: TempDir,
    draft: PolicyDraft,
    pub(crate) lines: Vec<Line>,
    pub(crate) quorum: Quorum<Line>,
    pub(crate) lender: WalletKey,
    /// Builds loans.
    loans: Rig,
    nonces: u32,
}

fn seed(number: usize) -> MasterSeed {
    MasterSeed::new(Box::new([u8::try_from(number).unwrap() + 1; 32]))
}

/// The policy draft of `required` of these signers.
pub(crate) fn shared_draft(required: usize, signers: usize) -> PolicyDraft {
    let identities = (0..signers).map(|number| seed(number).identity().unwrap().public_key()).collect();
    PolicyDraft { signers: Some(SignerSetDraft { required, identities }), ..draft() }
}

impl SharedRig {
    pub(crate) fn new(required: usize, signers: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let draft = shared_draft(required, signers);
        let open = |number| Line::new(open(&log_of(&folder, number), &draft, number));
        let lines: Vec<Line> = (0..signers).map(open).collect();
        let quorum = Quorum::new(required, lines.clone());
        Self { folder, draft, lines, quorum, lender: wallet(2), loans: Rig::new(), nonces: 0 }
    }

    /// A rig with an open vault.
    pub(crate) async fn with_vault(required: usize, signers: usize) -> Self {
        let mut rig = Self::new(required, signers);
        let script = rig.open_vault().await.unwrap();
        assert_eq!(script, rig.vault().await.output().script_pubkey());
        rig
    }

    pub(crate) fn break_line(&self, number: usize, fault: Fault) {
        let place = Fault::ALL.iter().position(|other| *other == fault).unwrap();
        self.lines[number].fault.store(u8::try_from(place).unwrap(), Ordering::SeqCst);
    }

    /// Ends a signer and starts it again on its log.
    pub(crate) async fn restart(&self, number: usize) {
        let line = &self.lines[number];
        drop(line.signer.lock().unwrap().take());
        let signer = loop {
            // Requests that the line has taken hold the log for a moment.
            let policy = Policy::new(self.draft.clone(), &seed(number)).unwrap();
            match Signer::open(seed(number), policy, TermSheet::new(sheet()), &log_of(&self.folder, number)) {
                Ok((signer, _)) => break signer,
                Err(_) => tokio::task::yield_now().await,
            }
        };
        *line.signer.lock().unwrap() = Some(InProcess::with_clock(signer, || START_MS));
    }

    pub(crate) fn log(&self, number: usize) -> String {
        std::fs::read_to_string(log_of(&self.folder, number)).unwrap()
    }

    pub(crate) fn policy_hash(&self) -> sha256::Hash {
        Policy::new(self.draft.clone(), &seed(0)).unwrap().hash()
    }

    pub(crate) fn sign(&mut self, kind: AddressKind, action: Action) -> SignedText {
        self.nonces += 1;
        let address = match kind {
            AddressKind::P2tr => self.lender.ordinals_address(),
            _ => self.lender.payment_address(),
        };
        let envelope = Envelope {
            domain: self.draft.domain.clone(),
            network: self.draft.network,
            address: address.to_string(),
            nonce: format!("nonce{}", self.nonces),
            issued_s: START_MS / 1_000,
            expires_s: START_MS / 1_000 + 600,
        };
        signed_by(&self.lender, kind, action, envelope)
    }

    pub(crate) async fn open_vault(&mut self) -> Result<bitcoin::ScriptBuf, SignerError> {
        let action = Action::OpenVault {
            payment_address: self.lender.payment_address().to_string(),
            vault: self.policy_hash().to_string(),
        };
        let signed = self.sign(AddressKind::P2tr, action);
        self.quorum.open_vault(LENDER_ID, ordinals_key(&self.lender), signed).await
    }

    pub(crate) async fn vault(&self) -> Vault {
        let signers = self.quorum.vault_signers(LENDER_ID).await.unwrap();
        Vault::new(VaultTerms { lender_id: LENDER_ID, signers, lender: ordinals_key(&self.lender) }).unwrap()
    }

    pub(crate) fn offer_text(&mut self) -> SignedText {
        let action = Action::CreateOffer(offer(&self.policy_hash(), None));
        self.sign(AddressKind::P2wpkh, action)
    }

    pub(crate) fn cancel_text(&mut self, offer_id: &str) -> SignedText {
        let cancel = CancelOffers {
            ordinal_offer_ids: vec![offer_id.to_owned()],
            rune_offer_ids: Vec::new(),
            vault: Some(self.policy_hash().to_string()),
        };
        self.sign(AddressKind::P2wpkh, Action::CancelOffers(cancel))
    }

    pub(crate) async fn admit(&mut self, offer_id: &str) -> Result<sha256::Hash, SignerError> {
        let text = self.offer_text();
        self.quorum.admit_offer(LENDER_ID, offer_id.to_owned(), text).await
    }

    pub(crate) async fn cancel(&mut self, offer_id: &str) -> Result<(), SignerError> {
        let text = self.cancel_text(offer_id);
        self.quorum.revise_offers(LENDER_ID, text).await
    }

    /// A loan by an offer, from an output of the vault of its own.
    pub(crate) fn loan(&self, offer: sha256::Hash, output: u8) -> LoanRequest {
        let vault_outputs = vec![SpentOutput { outpoint: outpoint(output), sats: VAULT_SATS }];
        LoanRequest { loan_id: u128::from(output), vault_outputs, ..self.loans.loan(offer) }
    }

    /// A withdrawal of this amount, from an output of the vault of its own.
    pub(crate) async fn withdrawal(&mut self, sats: u64, output: u8) -> WithdrawalRequest {
        const RATE: u64 = 1_250;
        let (to, vault) = (self.lender.payment_address().clone(), self.vault().await);
        let action = Action::Withdraw {
            sats,
            to: to.to_string(),
            fee_max_sats: Some(10_000),
            vault: self.policy_hash().to_string(),
        };
        let signed = self.sign(AddressKind::P2wpkh, action);
        let output = SpentOutput { outpoint: outpoint(output), sats: VAULT_SATS };
        let built = VaultWithdrawal {
            vault: &vault,
            outputs: &[(output.outpoint, output.value())],
            destination: &to.script_pubkey(),
            share: Share::Part(Amount::from_sat(sats)),
            fee_rate: FeeRate::from_sat_per_kwu(RATE),
            change_outputs: 1,
        };
        WithdrawalRequest {
            lender_id: LENDER_ID,
            signed,
            vault_outputs: vec![output],
            fee_rate_sat_per_kwu: RATE,
            back_outputs: 1,
            psbt: built.build().unwrap().psbt,
        }
    }

    /// The number of signers that hold an offer open.
    pub(crate) async fn holders(&self, offer: sha256::Hash) -> usize {
        let mut count = 0;
        for line in &self.lines {
            let signer = line.signer().unwrap();
            let statuses = signer.offer_status(vec![OfferHash(offer)]).await.unwrap();
            count += usize::from(matches!(statuses[..], [(_, OfferStatus::Open | OfferStatus::Used { .. })]));
        }
        count
    }
}

fn log_of(folder: &TempDir, number: usize) -> PathBuf {
    folder.path().join(format!("signed-{number}.jsonl"))
}

fn open(log: &std::path::Path, draft: &PolicyDraft, number: usize) -> Signer {
    let policy = Policy::new(draft.clone(), &seed(number)).unwrap();
    Signer::open(seed(number), policy, TermSheet::new(sheet()), log).unwrap().0
}
