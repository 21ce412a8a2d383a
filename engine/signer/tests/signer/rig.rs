//! A test rig: a signer in its own folder, a lender with a wallet, and a borrower with an inscription and some runes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use bitcoin::hashes::{Hash as _, sha256};
use bitcoin::key::TapTweak as _;
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::{
    Network, OutPoint, Psbt, ScriptBuf, TapSighashType, Transaction, TxOut, Txid, Witness, XOnlyPublicKey,
    consensus::serialize,
};
use escrow::action::{Action, InstantTerms, NewOffer, OfferProcess};
use escrow::action_message::ActionMessage;
use escrow::address::AddressKind;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::transaction::leaf::Leaf;
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::envelope::Envelope;
use escrow::wallet_key::WalletKey;
use ordinals::RuneId;
use signer::master_seed::MasterSeed;
use signer::policy::{Limits, Policy, PolicyDraft};
use signer::refusal::Refusal;
use signer::request::{
    Answer, BorrowerCoin, BorrowerKey, LoanRequest, Pledged, PreparedLoan, Request, RuneHolding, SignLoan,
    SignedTransaction, SpentOutput,
};
use signer::signed_text::SignedText;
use signer::signer::Signer;
use signer::term_sheet::{Listing, Term, TermSheet};
use tempfile::TempDir;

pub(crate) const LENDER_ID: u64 = 4;
pub(crate) const START_MS: u64 = 1_800_000_000_000;
pub(crate) const PRINCIPAL_SATS: u64 = 2_000_000;
pub(crate) const PLATFORM_FEE_SATS: u64 = 13_000;
pub(crate) const VAULT_SATS: u64 = 5_000_000;
pub(crate) const DOG: RuneId = RuneId { block: 840_000, tx: 3 };
pub(crate) const FORTNIGHT: Term = Term { days: 14, interest_bps: 325 };
const GRACE_S: u32 = 86_400;

/// The environment of a test.
pub(crate) struct Rig {
    pub(crate) folder: TempDir,
    pub(crate) signer: Signer,
    pub(crate) now_ms: u64,
    pub(crate) lender: WalletKey,
    pub(crate) lender_id: u64,
    pub(crate) draft: PolicyDraft,
    pub(crate) sheet: BTreeMap<String, Listing>,
    nonces: u32,
}

pub(crate) fn seed() -> MasterSeed {
    MasterSeed::new(Box::new([0x5a; 32]))
}

pub(crate) fn draft() -> PolicyDraft {
    PolicyDraft {
        network: Network::Regtest,
        domain: "lienbook.example".to_owned(),
        platform_address: wallet(9).payment_address().to_string(),
        platform_fee_max_bps: 2_000,
        grace_seconds: GRACE_S,
        claim_slack_seconds: 3_600,
        fee_rate_min_sat_per_kwu: 25,
        fee_rate_max_sat_per_kwu: 250_000,
        offer_age_max_seconds: 30 * 86_400,
        limits: Limits {
            loan_max_sats: 10_000_000,
            hour_max_sats: 9_000_000,
            hour_max_count: 5,
            vault_hour_max_sats: 7_000_000,
            vault_hour_max_count: None,
            kept_percent: None,
        },
        signers: None,
    }
}

pub(crate) fn sheet() -> BTreeMap<String, Listing> {
    let listing = |rune| Listing { days: FORTNIGHT.days, interest_bps: FORTNIGHT.interest_bps, rune };
    BTreeMap::from([("ninjas-14d".to_owned(), listing(None)), ("dog-14d".to_owned(), listing(Some(DOG)))])
}

pub(crate) fn wallet(byte: u8) -> WalletKey {
    WalletKey::from_seed([byte; 32], Network::Regtest).unwrap()
}

pub(crate) fn ordinals_key(wallet: &WalletKey) -> XOnlyPublicKey {
    wallet.public_key_hex(AddressKind::P2tr).parse().unwrap()
}

pub(crate) fn outpoint(number: u8) -> OutPoint {
    OutPoint::new(Txid::from_byte_array([number; 32]), 1)
}

/// An instant offer against an inscription, or against this amount of the rune.
pub(crate) fn offer(policy: &sha256::Hash, rune_amount: Option<u128>) -> NewOffer {
    NewOffer {
        collection_slug: if rune_amount.is_some() { "dog-14d" } else { "ninjas-14d" }.to_owned(),
        principal_sats: PRINCIPAL_SATS,
        process: OfferProcess::Instant(InstantTerms {
            fungible_amount: rune_amount,
            ..InstantTerms::plain(7_500, policy.to_string())
        }),
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with(draft())
    }

    pub(crate) fn with(draft: PolicyDraft) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let signer = open(&folder.path().join("signed.jsonl"), &draft, &sheet());
        Self {
            folder,
            signer,
            now_ms: START_MS,
            lender: wallet(2),
            lender_id: LENDER_ID,
            draft,
            sheet: sheet(),
            nonces: 0,
        }
    }

    /// Creates a rig with an open vault and an admitted offer.
    pub(crate) fn lending(rune_amount: Option<u128>) -> (Self, sha256::Hash) {
        let mut rig = Self::new();
        rig.open_vault();
        let offer = rig.admit("of_1", rune_amount);
        (rig, offer)
    }

    /// Makes later requests come from this lender.
    pub(crate) fn as_lender(&mut self, lender_id: u64, seed: u8) {
        (self.lender_id, self.lender) = (lender_id, wallet(seed));
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("signed.jsonl")
    }

    /// Returns a signer on this log for other callers; the rig's own moves to another log.
    pub(crate) fn reopened(&mut self) -> Signer {
        let elsewhere = self.folder.path().join("other.jsonl");
        drop(std::mem::replace(&mut self.signer, open(&elsewhere, &self.draft, &self.sheet)));
        open(&self.log(), &self.draft, &self.sheet)
    }

    /// Ends the signer and starts it again on the same log.
    pub(crate) fn restart(self) -> Self {
        self.restart_after(|| ())
    }

    /// Does the same, with a change to the log in between.
    pub(crate) fn restart_after(self, meanwhile: impl FnOnce()) -> Self {
        let Self { folder, signer, now_ms, lender, lender_id, draft, sheet, nonces } = self;
        drop(signer);
        meanwhile();
        let signer = open(&folder.path().join("signed.jsonl"), &draft, &sheet);
        Self { folder, signer, now_ms, lender, lender_id, draft, sheet, nonces }
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests ask once and forget")]
    pub(crate) fn ask(&mut self, request: Request) -> Answer {
        // Requests and answers are serialized, so that tests cover what a socket would carry.
        let text = serde_json::to_string(&request).unwrap();
        let answer = self.signer.answer(serde_json::from_str(&text).unwrap(), self.now_ms);
        let text = serde_json::to_string(&answer).unwrap();
        let travelled: Answer = serde_json::from_str(&text).unwrap();
        assert_eq!(travelled, answer);
        travelled
    }

    pub(crate) fn refusal(&mut self, request: Request) -> Refusal {
        match self.ask(request) {
            Answer::Refused(refusal) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }

    pub(crate) fn policy_hash(&self) -> sha256::Hash {
        self.signer.policy().hash()
    }

    /// A current envelope with a fresh nonce, for the lender's payment address.
    pub(crate) fn envelope(&mut self) -> Envelope {
        self.nonces += 1;
        Envelope {
            domain: self.draft.domain.clone(),
            network: Network::Regtest,
            address: self.lender.payment_address().to_string(),
            nonce: format!("nonce{}", self.nonces),
            issued_s: self.now_ms / 1_000,
            expires_s: self.now_ms / 1_000 + 600,
        }
    }

    pub(crate) fn sign(&mut self, action: Action) -> SignedText {
        let envelope = self.envelope();
        signed_by(&self.lender, AddressKind::P2wpkh, action, envelope)
    }

    pub(crate) fn opening(&mut self) -> Request {
        let action = Action::OpenVault {
            payment_address: self.lender.payment_address().to_string(),
            vault: self.policy_hash().to_string(),
        };
        let envelope = Envelope { address: self.lender.ordinals_address().to_string(), ..self.envelope() };
        let signed = signed_by(&self.lender, AddressKind::P2tr, action, envelope);
        Request::OpenVault { lender_id: self.lender_id, lender: ordinals_key(&self.lender), signed }
    }

    pub(crate) fn open_vault(&mut self) {
        let request = self.opening();
        let answer = self.ask(request);
        assert_eq!(answer, Answer::Vault(self.vault().output().script_pubkey()));
    }

    pub(crate) fn admission(&mut self, offer_id: &str, rune_amount: Option<u128>) -> Request {
        let action = Action::CreateOffer(offer(&self.policy_hash(), rune_amount));
        let signed = self.sign(action);
        Request::AdmitOffer { lender_id: self.lender_id, offer_id: offer_id.to_owned(), signed }
    }

    pub(crate) fn admit(&mut self, offer_id: &str, rune_amount: Option<u128>) -> sha256::Hash {
        let request = self.admission(offer_id, rune_amount);
        match self.ask(request) {
            Answer::Offer(offer) => offer,
            other => panic!("{other:?}"),
        }
    }

    /// The vault as it is derived from the signer's public key.
    pub(crate) fn vault(&mut self) -> Vault {
        let Answer::PublicKey(signer) = self.ask(Request::PublicKey { lender_id: self.lender_id }) else {
            panic!("no key");
        };
        let lender = ordinals_key(&self.lender);
        Vault::new(VaultTerms { lender_id: self.lender_id, signers: signer.into(), lender }).unwrap()
    }

    /// A loan against an inscription, from the vault's first output.
    pub(crate) fn loan(&self, offer: sha256::Hash) -> LoanRequest {
        let borrower = Borrower::new();
        let term_s = u64::from(FORTNIGHT.days) * 86_400 + u64::from(GRACE_S);
        LoanRequest {
            lender_id: self.lender_id,
            offer,
            loan_id: 77,
            borrower: borrower.key(),
            borrower_payment: wallet(7).payment_address().script_pubkey(),
            pledged: Pledged::Inscription(BorrowerCoin {
                output: SpentOutput { outpoint: outpoint(1), sats: 10_000 },
                key: BorrowerKey::P2tr(borrower.key()),
                inscription_offsets: vec![4_000],
                runes: Vec::new(),
            }),
            vault_outputs: vec![SpentOutput { outpoint: outpoint(50), sats: VAULT_SATS }],
            principal_sats: PRINCIPAL_SATS,
            term: FORTNIGHT,
            claim_after: u32::try_from(self.now_ms / 1_000 + term_s).unwrap(),
            platform_fee_sats: PLATFORM_FEE_SATS,
            fee_rate_sat_per_kwu: 1_250,
            change_outputs: 1,
        }
    }

    /// The same against this amount of the rune, of which the borrower has 1,000.
    pub(crate) fn rune_loan(&self, offer: sha256::Hash, amount: u128, principal_sats: u64) -> LoanRequest {
        let borrower = Borrower::new();
        let coin = BorrowerCoin {
            output: SpentOutput { outpoint: outpoint(1), sats: 10_000 },
            key: BorrowerKey::P2tr(borrower.key()),
            inscription_offsets: Vec::new(),
            runes: vec![RuneHolding { id: DOG, amount: 1_000 }],
        };
        let rest = borrower.script();
        let pledged = Pledged::Runes { coins: vec![coin], id: DOG, amount, rest };
        LoanRequest { pledged, principal_sats, platform_fee_sats: 0, ..self.loan(offer) }
    }

    /// The escrow of a prepared loan.
    pub(crate) fn escrow_of(&self, loan: &LoanRequest, prepared: &PreparedLoan) -> LoanEscrow {
        let terms = EscrowTerms {
            loan: loan.loan_id,
            borrower: loan.borrower,
            repay: prepared.repay_key.into(),
            lender: ordinals_key(&self.lender),
            claim_after: loan.claim_after,
        };
        LoanEscrow::new(terms).unwrap()
    }

    pub(crate) fn prepare(&mut self, loan: &LoanRequest) -> PreparedLoan {
        match self.ask(Request::PrepareLoan(Box::new(loan.clone()))) {
            Answer::Prepared(prepared) => *prepared,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn sign_loan(&mut self, loan: &LoanRequest, prepared: &PreparedLoan) -> SignedTransaction {
        match self.ask(signing(loan, prepared)) {
            Answer::Signed(signed) => signed,
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn signing(loan: &LoanRequest, prepared: &PreparedLoan) -> Request {
    let PreparedLoan { repay_key, repay_proof, payout, psbt } = prepared.clone();
    Request::SignLoan(Box::new(SignLoan { loan: loan.clone(), repay_key, repay_proof, payout, psbt }))
}

pub(crate) fn signed_by(wallet: &WalletKey, kind: AddressKind, action: Action, envelope: Envelope) -> SignedText {
    let message = ActionMessage::new(action, envelope).unwrap().to_text();
    let signature = wallet.sign_bip322(kind, &message).unwrap();
    SignedText { message, signature }
}

fn open(log: &std::path::Path, draft: &PolicyDraft, sheet: &BTreeMap<String, Listing>) -> Signer {
    let policy = Policy::new(draft.clone(), &seed()).unwrap();
    Signer::open(seed(), policy, TermSheet::new(sheet.clone()), log).unwrap().0
}

/// The borrower's ordinals key, which also holds the coins.
pub(crate) struct Borrower {
    keys: Keypair,
    secp: Secp256k1<All>,
}

impl Borrower {
    pub(crate) fn new() -> Self {
        let secp = Secp256k1::new();
        Self { keys: Keypair::from_seckey_slice(&secp, &[1; 32]).unwrap(), secp }
    }

    pub(crate) fn key(&self) -> XOnlyPublicKey {
        self.keys.x_only_public_key().0
    }

    pub(crate) fn script(&self) -> ScriptBuf {
        ScriptBuf::new_p2tr(&self.secp, self.key(), None)
    }

    pub(crate) fn key_spend(&self, transaction: &Transaction, index: usize, spent: &[TxOut]) -> Witness {
        let hash = SighashCache::new(transaction)
            .taproot_key_spend_signature_hash(index, &Prevouts::All(spent), TapSighashType::Default)
            .unwrap();
        let keys = self.keys.tap_tweak(&self.secp, None).to_keypair();
        let signature = self.secp.sign_schnorr_no_aux_rand(&Message::from_digest(hash.to_byte_array()), &keys);
        Witness::p2tr_key_spend(&Signature { signature, sighash_type: TapSighashType::Default })
    }

    pub(crate) fn leaf_signature(
        &self,
        transaction: &Transaction,
        index: usize,
        spent: &[TxOut],
        leaf: &Leaf,
    ) -> Vec<u8> {
        let hash = SighashCache::new(transaction)
            .taproot_script_spend_signature_hash(index, &Prevouts::All(spent), leaf.hash, TapSighashType::Default)
            .unwrap();
        let message = Message::from_digest(hash.to_byte_array());
        self.secp.sign_schnorr_no_aux_rand(&message, &self.keys).serialize().to_vec()
    }
}

pub(crate) fn spent_outputs(psbt: &Psbt) -> Vec<TxOut> {
    psbt.inputs.iter().map(|input| input.witness_utxo.clone().unwrap()).collect()
}

pub(crate) fn leaf_witness(signatures: &[Vec<u8>], leaf: &Leaf) -> Witness {
    let mut witness = Witness::from_slice(signatures);
    witness.push(leaf.script.as_bytes());
    witness.push(leaf.control_block.serialize());
    witness
}

/// Returns whether Bitcoin Core's interpreter accepts an input.
pub(crate) fn is_valid(transaction: &Transaction, index: usize, spent: &[TxOut]) -> bool {
    let outputs: Vec<bitcoinconsensus::Utxo> = spent
        .iter()
        .map(|output| bitcoinconsensus::Utxo {
            script_pubkey: output.script_pubkey.as_bytes().as_ptr(),
            script_pubkey_len: u32::try_from(output.script_pubkey.len()).unwrap(),
            value: i64::try_from(output.value.to_sat()).unwrap(),
        })
        .collect();
    let flags = bitcoinconsensus::VERIFY_ALL_PRE_TAPROOT | bitcoinconsensus::VERIFY_TAPROOT;
    let (script, amount) = (spent[index].script_pubkey.as_bytes(), spent[index].value.to_sat());
    let bytes = serialize(transaction);
    bitcoinconsensus::verify_with_flags(script, amount, &bytes, Some(&outputs), index, flags).is_ok()
}
