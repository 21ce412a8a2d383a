//! A borrower, a lender and a loan between them, with real keys; they sign as their wallets would.

use bitcoin::hashes::Hash as _;
use bitcoin::key::TapTweak as _;
use bitcoin::secp256k1::{All, Keypair, Message, Secp256k1, SecretKey};
use bitcoin::sighash::{Prevouts, SighashCache};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{
    Amount, CompressedPublicKey, FeeRate, OutPoint, ScriptBuf, TapSighashType, Transaction, TxOut, Txid, Witness,
    XOnlyPublicKey, consensus::serialize,
};
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::{ESCROW, PADS};
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::leaf::Leaf;
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;

pub(super) const CLAIM_AFTER: u32 = 1_900_000_000;
pub(super) const PRINCIPAL_SATS: u64 = 2_000_000;
pub(super) const PAYOUT_SATS: u64 = 2_065_000;

pub(super) struct Party {
    pub(super) keys: Keypair,
    pub(super) secret: SecretKey,
}

impl Party {
    pub(super) fn new(secp: &Secp256k1<All>, byte: u8) -> Self {
        let secret = SecretKey::from_slice(&[byte; 32]).expect("valid keys and amounts");
        Self { keys: Keypair::from_secret_key(secp, &secret), secret }
    }

    pub(super) fn ordinals(&self) -> CoinKey {
        CoinKey::P2tr(self.keys.x_only_public_key().0)
    }

    pub(super) fn payment(&self) -> CoinKey {
        CoinKey::P2wpkh(CompressedPublicKey(self.keys.public_key()))
    }

    pub(super) fn nested(&self) -> CoinKey {
        CoinKey::P2shP2wpkh(CompressedPublicKey(self.keys.public_key()))
    }
}

pub(super) fn coin(number: u8, key: CoinKey, sats: u64) -> Coin {
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), 0);
    Coin { outpoint, output: TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() }, key }
}

/// The output of a transaction as a coin.
pub(super) fn coin_of(transaction: &Transaction, vout: u32, key: CoinKey) -> Coin {
    let output = transaction.output[usize::try_from(vout).expect("valid keys and amounts")].clone();
    Coin { outpoint: OutPoint::new(transaction.compute_txid(), vout), output, key }
}

/// A loan that is about to begin.
pub(super) struct LoanFixture {
    pub(super) secp: Secp256k1<All>,
    pub(super) borrower: Party,
    pub(super) lender: Party,
    pub(super) escrow: LoanEscrow,
    pub(super) collateral: AssetCoin,
    pub(super) funding: Vec<Coin>,
    pub(super) offset: Amount,
    pub(super) platform_fee: TxOut,
    pub(super) fee_rate: FeeRate,
    pub(super) ordinals_script: ScriptBuf,
    pub(super) borrower_payment: ScriptBuf,
    pub(super) lender_payment: ScriptBuf,
    /// The holders of the repay keys.
    repayers: Vec<Party>,
}

impl LoanFixture {
    pub(super) fn new(postage: u64, offset: u64, fee_rate: FeeRate) -> Self {
        let secp = Secp256k1::new();
        let (borrower, lender, platform) = (Party::new(&secp, 1), Party::new(&secp, 2), Party::new(&secp, 3));
        let key = |party: &Party| party.keys.x_only_public_key().0;
        let terms = EscrowTerms {
            loan: 77,
            borrower: key(&borrower),
            repay: key(&lender).into(),
            lender: key(&lender),
            claim_after: CLAIM_AFTER,
        };
        Self {
            escrow: LoanEscrow::new(terms).expect("valid keys and amounts"),
            collateral: AssetCoin {
                coin: coin(1, borrower.ordinals(), postage),
                inscriptions: vec![Amount::from_sat(offset)],
                runes: Vec::new(),
            },
            funding: vec![
                coin(2, lender.payment(), 1_500_000),
                coin(3, lender.nested(), 400_000),
                coin(4, lender.ordinals(), 700_000),
            ],
            offset: Amount::from_sat(offset),
            platform_fee: TxOut { value: Amount::from_sat(13_000), script_pubkey: platform.payment().script_pubkey() },
            fee_rate,
            ordinals_script: borrower.ordinals().script_pubkey(),
            borrower_payment: borrower.payment().script_pubkey(),
            lender_payment: lender.payment().script_pubkey(),
            borrower,
            lender,
            repayers: vec![Party::new(&secp, 2)],
            secp,
        }
    }

    /// The same, with this number of single-use repay keys.
    pub(super) fn with_repay_keys(postage: u64, offset: u64, fee_rate: FeeRate, count: u8) -> Self {
        let mut fixture = Self::new(postage, offset, fee_rate);
        fixture.repayers = (0..count).map(|number| Party::new(&fixture.secp, 20 + number)).collect();
        let keys = fixture.repayers.iter().map(|party| party.keys.x_only_public_key().0);
        let repay = RepayKeys::new(keys).expect("distinct keys");
        let terms = EscrowTerms { repay, ..fixture.escrow.terms().clone() };
        fixture.escrow = LoanEscrow::new(terms).expect("valid keys and amounts");
        fixture
    }

    pub(super) fn origination(&self) -> Origination<'_> {
        Origination {
            escrow: &self.escrow,
            collateral: Collateral::Inscription(&self.collateral),
            funding: Funding::Coins { coins: &self.funding, change: &self.lender_payment },
            principal: Amount::from_sat(PRINCIPAL_SATS),
            platform_fee: Some(&self.platform_fee),
            borrower_payment: &self.borrower_payment,
            fee_rate: self.fee_rate,
            change_outputs: 1,
        }
    }

    pub(super) fn running(&self, origination: &Transaction) -> RunningLoan {
        let payout = TxOut { value: Amount::from_sat(PAYOUT_SATS), script_pubkey: self.lender_payment.clone() };
        RunningLoan {
            escrow: self.escrow.clone(),
            outpoint: OutPoint::new(origination.compute_txid(), 0),
            value: origination.output[ESCROW].value,
            pledge: Pledge::Inscription { offset: self.offset },
            payout,
        }
    }

    /// Signs an input that one key spends.
    pub(super) fn sign_coin(
        &self,
        template: &Template,
        transaction: &mut Transaction,
        index: usize,
        coin: &Coin,
        party: &Party,
    ) {
        let spent = prevouts(template);
        let mut cache = SighashCache::new(&template.psbt.unsigned_tx);
        let input = &mut transaction.input[index];
        if let CoinKey::P2tr(_) = coin.key {
            let hash = cache.taproot_key_spend_signature_hash(index, &Prevouts::All(&spent), TapSighashType::Default);
            let keys = party.keys.tap_tweak(&self.secp, None).to_keypair();
            let signature = self.secp.sign_schnorr_no_aux_rand(
                &Message::from_digest(hash.expect("valid keys and amounts").to_byte_array()),
                &keys,
            );
            input.witness = Witness::p2tr_key_spend(&Signature { signature, sighash_type: TapSighashType::Default });
            return;
        }
        let program = coin.key.redeem_script().unwrap_or_else(|| coin.key.script_pubkey());
        let all = bitcoin::EcdsaSighashType::All;
        let hash =
            cache.p2wpkh_signature_hash(index, &program, coin.output.value, all).expect("valid keys and amounts");
        let signature = self.secp.sign_ecdsa(&Message::from_digest(hash.to_byte_array()), &party.secret);
        let signature = bitcoin::ecdsa::Signature { signature, sighash_type: all };
        input.witness = Witness::p2wpkh(&signature, &party.keys.public_key());
        if let Some(script) = coin.key.redeem_script() {
            let push = bitcoin::script::PushBytesBuf::try_from(script.into_bytes()).expect("valid keys and amounts");
            input.script_sig = bitcoin::script::Builder::new().push_slice(push).into_script();
        }
    }

    pub(super) fn sign_leaf(&self, template: &Template, index: usize, leaf: &Leaf, party: &Party) -> Signature {
        let spent = prevouts(template);
        let mut cache = SighashCache::new(&template.psbt.unsigned_tx);
        let sighash_type = TapSighashType::Default;
        let hash = cache
            .taproot_script_spend_signature_hash(index, &Prevouts::All(&spent), leaf.hash, sighash_type)
            .expect("valid keys and amounts");
        let signature = self.secp.sign_schnorr_no_aux_rand(&Message::from_digest(hash.to_byte_array()), &party.keys);
        Signature { signature, sighash_type }
    }

    pub(super) fn pre_sign(&self, loan: &RunningLoan, version: Version) -> Signature {
        self.pre_sign_by(&self.lender, loan, version)
    }

    fn pre_sign_by(&self, party: &Party, loan: &RunningLoan, version: Version) -> Signature {
        let message = loan.payout_message(version).expect("valid keys and amounts");
        let signature = self.secp.sign_schnorr_no_aux_rand(&message, &party.keys);
        Signature { signature, sighash_type: TapSighashType::SinglePlusAnyoneCanPay }
    }

    pub(super) fn pre_sign_both(&self, loan: &RunningLoan) -> PayoutSignatures {
        let pair = |key: &XOnlyPublicKey| {
            let party = self.repayers.iter().find(|party| party.keys.x_only_public_key().0 == *key);
            let [two, truc] =
                [Version::TWO, TRUC].map(|version| self.pre_sign_by(party.expect("a repay key"), loan, version));
            PayoutSignaturePair { two, truc }
        };
        loan.escrow.terms().repay.keys().iter().map(pair).collect()
    }

    pub(super) fn originate(&self) -> (Template, Transaction) {
        let template = self.origination().build().expect("valid keys and amounts");
        let signed = self.sign_origination(&self.origination(), &template);
        (template, signed)
    }

    /// Signs for the collateral as the borrower, and for the funds as the lender.
    pub(super) fn sign_origination(&self, origination: &Origination<'_>, template: &Template) -> Transaction {
        let mut signed = template.psbt.unsigned_tx.clone();
        let collateral = origination.collateral.coins().iter().map(|coin| (&coin.coin, &self.borrower));
        let coins: &[Coin] = if let Funding::Coins { coins, .. } = origination.funding { coins } else { &[] };
        let funding = coins.iter().map(|coin| (coin, &self.lender));
        for (index, (coin, party)) in collateral.chain(funding).enumerate() {
            self.sign_coin(template, &mut signed, index, coin, party);
        }
        signed
    }

    /// Repays as the borrower alone, with the lender's pre-signature.
    pub(super) fn repay(
        &self,
        loan: &RunningLoan,
        origination: &Transaction,
        version: Version,
        pre_signatures: &PayoutSignatures,
    ) -> (Template, Transaction) {
        let pads = PADS.map(|pad| {
            coin_of(origination, u32::try_from(pad).expect("valid keys and amounts"), self.borrower.payment())
        });
        let funding = [coin(9, self.borrower.payment(), 3_000_000)];
        let repayment = Repayment {
            loans: &[RepayableLoan { loan, pre_signatures }],
            version,
            pads: &pads,
            funding: &funding,
            unconfirmed: &[],
            destination: &self.ordinals_script,
            change: &self.borrower_payment,
            fee_rate: self.fee_rate,
        };
        let template = repayment.build().expect("valid keys and amounts");
        let mut signed = template.psbt.unsigned_tx.clone();
        for (index, coin) in [(0, &pads[0]), (1, &pads[1]), (3, &funding[0])] {
            self.sign_coin(&template, &mut signed, index, coin, &self.borrower);
        }
        let leaf = loan.escrow.repay_leaf();
        let own = self.sign_leaf(&template, 2, leaf, &self.borrower);
        let pair = pre_signatures.only().expect("the lender's");
        let pre_signatures = pair.of(version).expect("signed for this version");
        signed.input[2].witness = leaf_witness(&[pre_signatures.to_vec(), own.to_vec()], leaf);
        (template, signed)
    }
}

pub(super) fn prevouts(template: &Template) -> Vec<TxOut> {
    template.psbt.inputs.iter().map(|input| input.witness_utxo.clone().expect("valid keys and amounts")).collect()
}

pub(super) fn leaf_witness(signatures: &[Vec<u8>], leaf: &Leaf) -> Witness {
    let mut witness = Witness::new();
    for signature in signatures {
        witness.push(signature);
    }
    witness.push(leaf.script.as_bytes());
    witness.push(leaf.control_block.serialize());
    witness
}

/// Whether Bitcoin Core's interpreter accepts every input.
pub(super) fn is_valid(template: &Template, signed: &Transaction) -> bool {
    let scripts: Vec<Vec<u8>> = prevouts(template).iter().map(|output| output.script_pubkey.to_bytes()).collect();
    let spent: Vec<bitcoinconsensus::Utxo> = prevouts(template)
        .iter()
        .zip(&scripts)
        .map(|(output, script)| bitcoinconsensus::Utxo {
            script_pubkey: script.as_ptr(),
            script_pubkey_len: u32::try_from(script.len()).expect("valid keys and amounts"),
            value: i64::try_from(output.value.to_sat()).expect("valid keys and amounts"),
        })
        .collect();
    let bytes = serialize(signed);
    let flags = bitcoinconsensus::VERIFY_ALL_PRE_TAPROOT | bitcoinconsensus::VERIFY_TAPROOT;
    prevouts(template).iter().enumerate().all(|(index, output)| {
        let (script, amount) = (output.script_pubkey.as_bytes(), output.value.to_sat());
        bitcoinconsensus::verify_with_flags(script, amount, &bytes, Some(&spent), index, flags).is_ok()
    })
}

/// Asserts that the signed transaction weighs no more than was paid for, and at most one byte of signature per input
/// less.
pub(super) fn assert_weight(template: &Template, signed: &Transaction) {
    let (most, found) = (template.weight.to_wu(), signed.weight().to_wu());
    let slack = 4 * u64::try_from(signed.input.len()).expect("valid keys and amounts");
    assert!(found <= most && most <= found + slack, "predicted {most}, found {found}");
}

pub(super) fn rate(sats: u64) -> FeeRate {
    FeeRate::from_sat_per_vb(sats).expect("valid keys and amounts")
}
