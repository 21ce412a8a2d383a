//! The signer: one request, one decision.

mod delegations;
mod fee_bumps;
mod lenders;
mod loans;
mod moves;
mod shared;
mod withdrawals;

use std::path::Path;

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::{Amount, TapSighashType, TxOut, consensus};
use escrow::contract::transaction::template::Template;
use escrow::contract::vault::{Vault, VaultTerms};

use crate::entry::{Entry, Outgoing, VaultInput};
use crate::identity::Identity;
use crate::key_source::KeySource;
use crate::loan::unbuildable;
use crate::master_seed::{MasterSeed, VaultKey};
use crate::policy::Policy;
use crate::refusal::Refusal;
use crate::request::{Answer, Description, InputSignature, Request, SignedTransaction};
use crate::signing_log::{CommitWaiter, LogError, Opened, SigningLog};
use crate::state::{OpenVault, State};
use crate::term_sheet::TermSheet;
use crate::waiting_keys::WaitingKeys;

/// The keys, the policy and the state derived from everything that was signed.
#[derive(Debug)]
pub struct Signer {
    seed: MasterSeed,
    policy: Policy,
    sheet: TermSheet,
    state: State,
    log: SigningLog,
    /// Repay keys that wait for the second round of their loans.
    waiting_keys: WaitingKeys,
    key_source: KeySource,
    /// The time of the latest request. Time never goes back, so a message that expired cannot become fresh again.
    latest_ms: u64,
}

/// An answer that must be withheld until the log entries it depends on are durable.
#[derive(Debug)]
pub struct PendingAnswer {
    answer: Answer,
    commit_waiter: CommitWaiter,
}

impl PendingAnswer {
    /// Returns the answer once it is durable; a refusal when the disk fails, after which nothing is signed any more.
    #[must_use]
    pub fn wait(self) -> Answer {
        match self.commit_waiter.wait() {
            Ok(()) => self.answer,
            Err(_) => Answer::Refused(Refusal::LogFailed),
        }
    }
}

/// A vault with the key that signs for it.
struct OwnVault {
    vault: Vault,
    key: VaultKey,
}

impl Signer {
    /// Opens the log, and restores the state from everything that was signed.
    ///
    /// # Errors
    /// If the log cannot be used, or was altered.
    pub fn open(seed: MasterSeed, policy: Policy, sheet: TermSheet, log: &Path) -> Result<(Self, Opened), LogError> {
        let mut state = State::default();
        let (log_file, opened) = SigningLog::open(log, &mut |at_ms, entry| {
            state.apply(at_ms, entry).map_err(|refusal| refusal.to_string())
        })?;
        let latest_ms = log_file.last_time_ms();
        let (waiting_keys, key_source) = (WaitingKeys::default(), KeySource::default());
        let mut signer = Self { seed, policy, sheet, state, log: log_file, waiting_keys, key_source, latest_ms };
        let hash = signer.policy.hash();
        if signer.state.policy != Some(hash) {
            let entry = Entry::Policy { hash, text: signer.policy.text().to_owned() };
            let recorded = signer.record(latest_ms, entry);
            let durable = recorded.and_then(|()| signer.log.commit_waiter().wait().map_err(|_| Refusal::LogFailed));
            durable.map_err(|refusal| LogError::File {
                path: log.to_owned(),
                source: std::io::Error::other(refusal.to_string()),
            })?;
        }
        Ok((signer, opened))
    }

    /// Returns its policy.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Replaces the source of single-use keys.
    pub fn set_key_source(&mut self, source: KeySource) {
        self.key_source = source;
    }

    /// Replaces the term sheet.
    pub fn set_sheet(&mut self, sheet: TermSheet) {
        self.sheet = sheet;
    }

    /// Decides a request, and returns once everything that the answer depends on is durable. `now_ms` is Unix
    /// milliseconds; a clock that was set back is held at the latest time.
    pub fn answer(&mut self, request: Request, now_ms: u64) -> Answer {
        self.decide(request, now_ms).wait()
    }

    /// Does the same for callers that share the signer: they can wait for the disk without blocking each other.
    pub fn decide(&mut self, request: Request, now_ms: u64) -> PendingAnswer {
        let answer = self.decision(request, now_ms);
        PendingAnswer { answer, commit_waiter: self.log.commit_waiter() }
    }

    fn decision(&mut self, request: Request, now_ms: u64) -> Answer {
        let now_ms = now_ms.max(self.latest_ms);
        self.latest_ms = now_ms;
        self.state.prune(now_ms / 1_000, self.policy.draft().offer_age_max_seconds);
        let (epoch, request) = match request {
            Request::OfWriter { epoch, request } => (Some(epoch), *request),
            request => (None, request),
        };
        let answer = self.check_writer(epoch, &request, now_ms).and_then(|()| self.answer_of(request, now_ms));
        answer.unwrap_or_else(|refusal| {
            tracing::warn!(%refusal, "refused");
            Answer::Refused(refusal)
        })
    }

    /// Refuses a server that another one has replaced, and records the epoch of the one that replaces it.
    fn check_writer(&mut self, epoch: Option<u64>, request: &Request, now_ms: u64) -> Result<(), Refusal> {
        let latest = self.state.writer_epoch;
        match epoch {
            Some(epoch) if epoch > latest => self.record(now_ms, Entry::WriterEpoch { epoch }),
            Some(epoch) if epoch < latest => Err(Refusal::Deposed { found: epoch, latest }),
            None if latest > 0 && !request.is_read() => Err(Refusal::Deposed { found: 0, latest }),
            Some(_) | None => Ok(()),
        }
    }

    /// Has a log accept servers of any epoch again: the journal was restored or moved, and its epochs begin anew. Returns
    /// the epoch that it had seen, 0 for none. No signer may run on the log meanwhile.
    ///
    /// # Errors
    /// If the log cannot be used, or was altered.
    pub fn forget_epoch(log: &Path) -> Result<u64, LogError> {
        let mut state = State::default();
        let (mut file, _) = SigningLog::open(log, &mut |at_ms, entry| {
            state.apply(at_ms, entry).map_err(|refusal| refusal.to_string())
        })?;
        if state.writer_epoch > 0 {
            let appended = file.append(file.last_time_ms(), &Entry::WriterEpoch { epoch: 0 });
            appended.and_then(|()| file.commit_waiter().wait()).map_err(|_| LogError::File {
                path: log.to_owned(),
                source: std::io::Error::other(Refusal::LogFailed.to_string()),
            })?;
        }
        Ok(state.writer_epoch)
    }

    fn answer_of(&mut self, request: Request, now_ms: u64) -> Result<Answer, Refusal> {
        match request {
            Request::OfWriter { .. } => {
                Err(Refusal::RequestUnreadable { reason: "an epoch within an epoch".to_owned() })
            }
            Request::Describe => Ok(Answer::Description(Description {
                policy_hash: self.policy.hash(),
                policy: self.policy.text().to_owned(),
            })),
            Request::PublicKey { lender_id } => {
                self.check_alone()?;
                self.key(lender_id).map(|key| Answer::PublicKey(key.public_key()))
            }
            Request::OpenVault { lender_id, lender, signed } => {
                self.check_alone()?;
                self.open_vault(lender_id, lender, None, signed, now_ms)
            }
            Request::AdmitOffer { lender_id, offer_id, signed } => {
                self.admit_offer(lender_id, offer_id, signed, now_ms)
            }
            Request::ReviseOffers { lender_id, signed } => self.revise_offers(lender_id, signed, now_ms),
            Request::AcceptTerm { lender_id, signed } => self.accept_term(lender_id, signed, now_ms),
            Request::Standing { offers } => self.offer_status(offers),
            Request::PrepareLoan(loan) => self.prepare_loan(&loan, now_ms),
            Request::SignLoan(asked) => self.sign_loan(&asked, now_ms),
            Request::SignWithdrawal(asked) => self.sign_withdrawal(*asked, now_ms),
            Request::BumpFee(asked) => self.bump_fee(&asked, now_ms),
            Request::MoveVault(asked) => self.sign_move(*asked, now_ms),
            Request::Delegation(asked) => self.answer_delegation(asked, now_ms),
            Request::Shared(asked) => self.answer_shared(asked, now_ms),
        }
    }

    /// Writes an entry, then applies it. No answer depends on it before it is durable.
    fn record(&mut self, now_ms: u64, entry: Entry) -> Result<(), Refusal> {
        self.log.append(now_ms, &entry).map_err(|_| Refusal::LogFailed)?;
        self.state.apply(now_ms, entry)
    }

    fn key(&self, lender_id: u64) -> Result<VaultKey, Refusal> {
        let key = self.seed.vault_key(self.policy.draft().network, lender_id);
        key.map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
    }

    fn identity(&self) -> Result<Identity, Refusal> {
        self.seed.identity().map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })
    }

    fn own_vault(&self, lender_id: u64, open: &OpenVault) -> Result<OwnVault, Refusal> {
        let key = self.key(lender_id)?;
        let signers = open.shared.clone().unwrap_or_else(|| key.public_key().into());
        let terms = VaultTerms { lender_id, signers, lender: open.lender };
        let vault = Vault::new(terms).map_err(|error| Refusal::ImpossibleVault { reason: error.to_string() })?;
        Ok(OwnVault { vault, key })
    }
}

impl OwnVault {
    /// Returns the log's record of a transaction, with the amount that it takes out of the vault.
    fn outgoing(&self, template: &Template) -> Result<Outgoing, Refusal> {
        let script = self.vault.output().script_pubkey();
        let transaction = &template.psbt.unsigned_tx;
        let sum = |outputs: &mut dyn Iterator<Item = &TxOut>| {
            let mut own = outputs.filter(|output| output.script_pubkey == script).map(|output| output.value);
            own.try_fold(Amount::ZERO, Amount::checked_add)
        };
        let spent = sum(&mut template.psbt.inputs.iter().filter_map(|input| input.witness_utxo.as_ref()));
        let change = sum(&mut transaction.output.iter());
        let left = spent.zip(change).and_then(|(spent, change)| spent.checked_sub(change));
        let left = left.ok_or_else(|| unbuildable("more goes back to the vault than was in it"))?;
        let inputs = self.inputs(template).map(|index| VaultInput(transaction.input[index].previous_output));
        Ok(Outgoing {
            txid: template.final_txid(),
            sats: left.to_sat(),
            inputs: inputs.collect(),
            unsigned: consensus::encode::serialize_hex(transaction),
        })
    }

    /// Signs for every vault output that the transaction spends.
    fn sign(&self, template: &Template) -> Result<SignedTransaction, Refusal> {
        let secp = Secp256k1::signing_only();
        let spent: Option<Vec<TxOut>> = template.psbt.inputs.iter().map(|input| input.witness_utxo.clone()).collect();
        let spent = spent.ok_or_else(|| unbuildable("an input spends nothing"))?;
        let mut cache = SighashCache::new(&template.psbt.unsigned_tx);
        let leaf = self.vault.signer_leaf().hash;
        let key = self.vault.terms().signers.only().is_none().then(|| self.key.public_key());
        let mut sign = |index| {
            let hash = cache
                .taproot_script_spend_signature_hash(index, &Prevouts::All(&spent), leaf, TapSighashType::Default)
                .map_err(unbuildable)?;
            let signature = self.key.sign(&secp, &Message::from_digest(hash.to_byte_array()));
            Ok(InputSignature { index, key, signature })
        };
        let signatures: Result<Vec<_>, Refusal> = self.inputs(template).map(&mut sign).collect();
        Ok(SignedTransaction { txid: template.final_txid(), signatures: signatures? })
    }

    /// Returns the indexes of the inputs that spend vault outputs.
    fn inputs(&self, template: &Template) -> impl Iterator<Item = usize> {
        let script = self.vault.output().script_pubkey();
        let inputs = template.psbt.inputs.iter().enumerate();
        inputs.filter_map(move |(index, input)| {
            input.witness_utxo.as_ref().is_some_and(|output| output.script_pubkey == script).then_some(index)
        })
    }
}

#[cfg(test)]
mod tests {
    use bitcoin::Network;
    use escrow::action::Action;
    use escrow::action_message::ActionMessage;
    use escrow::address::AddressKind;
    use escrow::envelope::Envelope;
    use escrow::wallet_key::WalletKey;

    use super::*;
    use crate::policy::{Limits, PolicyDraft};
    use crate::signed_text::SignedText;

    const NOW_MS: u64 = 1_800_000_000_000;

    /// A signer with this log, and a valid request to open a vault.
    fn rig(log: &Path) -> (Signer, Request) {
        let lender = WalletKey::from_seed([2; 32], Network::Regtest).unwrap();
        let limits = Limits {
            loan_max_sats: 1,
            hour_max_sats: 1,
            hour_max_count: 1,
            vault_hour_max_sats: 1,
            vault_hour_max_count: None,
            kept_percent: None,
        };
        let draft = PolicyDraft {
            network: Network::Regtest,
            domain: "lienbook.example".to_owned(),
            platform_address: lender.payment_address().to_string(),
            platform_fee_max_bps: 0,
            grace_seconds: 0,
            claim_slack_seconds: 0,
            fee_rate_min_sat_per_kwu: 0,
            fee_rate_max_sat_per_kwu: 1,
            offer_age_max_seconds: 1,
            limits,
            signers: None,
        };
        let seed = MasterSeed::random();
        let policy = Policy::new(draft, &seed).unwrap();
        let (signer, _) = Signer::open(seed, policy, TermSheet::default(), log).unwrap();
        let envelope = Envelope {
            domain: "lienbook.example".to_owned(),
            network: Network::Regtest,
            address: lender.ordinals_address().to_string(),
            nonce: "n".to_owned(),
            issued_s: NOW_MS / 1_000,
            expires_s: NOW_MS / 1_000 + 600,
        };
        let payment_address = lender.payment_address().to_string();
        let action = Action::OpenVault { payment_address, vault: signer.policy().hash().to_string() };
        let message = ActionMessage::new(action, envelope).unwrap().to_text();
        let signature = lender.sign_bip322(AddressKind::P2tr, &message).unwrap();
        let request = Request::OpenVault {
            lender_id: 4,
            lender: lender.public_key_hex(AddressKind::P2tr).parse().unwrap(),
            signed: SignedText { message, signature },
        };
        (signer, request)
    }

    #[test]
    fn a_request_that_cannot_be_logged_is_never_acknowledged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (mut signer, request) = rig(&path);
        let before = std::fs::read(&path).unwrap();
        signer.log.swap_file(std::fs::File::open(&path).unwrap());
        for _ in 0..2 {
            let answer = signer.answer(request.clone(), NOW_MS);
            assert_eq!(answer, Answer::Refused(Refusal::LogFailed));
        }
        // The disk works again, but its content is unknown.
        signer.log.swap_file(std::fs::OpenOptions::new().append(true).open(&path).unwrap());
        assert_eq!(signer.answer(request, NOW_MS), Answer::Refused(Refusal::LogFailed));
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(signer.state.vault(4).err(), Some(Refusal::NoVault { lender_id: 4 }));
    }

    #[test]
    fn no_later_answer_depends_on_an_entry_that_the_disk_lost() {
        let folder = tempfile::tempdir().unwrap();
        let (mut signer, request) = rig(&folder.path().join("log"));
        // A pipe accepts writes, but cannot be synced.
        let (_reader, writer) = std::io::pipe().unwrap();
        signer.log.swap_file(std::fs::File::from(std::os::fd::OwnedFd::from(writer)));
        let failed = Answer::Refused(Refusal::LogFailed);
        assert_eq!(signer.answer(request.clone(), NOW_MS), failed);
        assert!(signer.state.vault(4).is_ok(), "it was applied before the disk failed");
        // The same request again needs no new line, and depends on the one that was lost.
        assert_eq!(signer.answer(request, NOW_MS), failed);
        assert_eq!(signer.answer(Request::PublicKey { lender_id: 4 }, NOW_MS), failed);
    }
}
