//! A borrower and a lender with simulated wallets, and the transactions that they are asked to sign.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, Psbt, ScriptBuf, Transaction, TxOut, Txid};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::pledge::Pledge;
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::origination_outputs::PADS;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::wallet_key::WalletKey;

const KINDS: [AddressKind; 3] = [AddressKind::P2tr, AddressKind::P2wpkh, AddressKind::P2shP2wpkh];
const EXPECT: &str = "valid test keys and amounts";

/// A user with a wallet.
pub(crate) struct Party {
    pub(crate) wallet: WalletKey,
}

impl Party {
    pub(crate) fn new(seed: u8) -> Self {
        Self { wallet: WalletKey::from_seed([seed; 32], Network::Regtest).expect(EXPECT) }
    }

    /// The keys that the wallet signs with.
    pub(crate) fn keys(&self) -> [CoinKey; 3] {
        KINDS.map(|kind| self.wallet.coin_key(kind))
    }

    pub(crate) fn ordinals(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2tr)
    }

    pub(crate) fn payment(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2wpkh)
    }

    pub(crate) fn nested(&self) -> CoinKey {
        self.wallet.coin_key(AddressKind::P2shP2wpkh)
    }

    /// Returns the text that the wallet returns.
    pub(crate) fn sign(&self, template: &Template) -> String {
        self.wallet.sign_psbt(&template.psbt.to_string()).expect(EXPECT)
    }

    /// Returns the signatures taken from a text as if this wallet had returned it.
    pub(crate) fn check(&self, template: &Template, text: &str) -> Result<Signatures, ReturnedPsbtError> {
        template.check_returned(text, &self.keys())
    }

    pub(crate) fn signatures(&self, template: &Template) -> Signatures {
        self.check(template, &self.sign(template)).expect(EXPECT)
    }
}

/// Both sides of a loan.
pub(crate) struct Parties {
    pub(crate) borrower: Party,
    pub(crate) lender: Party,
    pub(crate) escrow: LoanEscrow,
    pub(crate) ordinals_script: ScriptBuf,
    pub(crate) borrower_payment: ScriptBuf,
}

pub(crate) fn coin(number: u8, key: CoinKey, sats: u64) -> Coin {
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), u32::from(number));
    Coin { outpoint, output: TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() }, key }
}

/// A coin with an inscription on its sat 4,000.
pub(crate) fn inscribed(coin: Coin) -> AssetCoin {
    AssetCoin { coin, inscriptions: vec![Amount::from_sat(4_000)], runes: Vec::new() }
}

fn fee_rate() -> FeeRate {
    FeeRate::from_sat_per_vb(7).expect(EXPECT)
}

impl Parties {
    pub(crate) fn new() -> Self {
        let (borrower, lender) = (Party::new(1), Party::new(2));
        let key = |party: &Party| match party.ordinals() {
            CoinKey::P2tr(key) => key,
            CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
        };
        let terms = EscrowTerms {
            loan: 41,
            borrower: key(&borrower),
            repay: key(&lender).into(),
            lender: key(&lender),
            claim_after: 1_900_000_000,
        };
        Self {
            escrow: LoanEscrow::new(terms).expect(EXPECT),
            ordinals_script: borrower.ordinals().script_pubkey(),
            borrower_payment: borrower.payment().script_pubkey(),
            borrower,
            lender,
        }
    }

    /// The borrower signs input 0, the lender all others: native, nested, taproot and native segwit.
    pub(crate) fn origination(&self) -> Template {
        let lender = &self.lender;
        let coins = [
            coin(2, lender.payment(), 1_000_000),
            coin(3, lender.nested(), 500_000),
            coin(4, lender.ordinals(), 600_000),
            coin(5, lender.payment(), 700_000),
        ];
        let platform = Party::new(3).payment().script_pubkey();
        let origination = Origination {
            escrow: &self.escrow,
            collateral: Collateral::Inscription(&inscribed(coin(1, self.borrower.ordinals(), 10_000))),
            funding: Funding::Coins { coins: &coins, change: &lender.nested().script_pubkey() },
            principal: Amount::from_sat(2_000_000),
            platform_fee: Some(&TxOut { value: Amount::from_sat(13_000), script_pubkey: platform }),
            borrower_payment: &self.borrower_payment,
            fee_rate: fee_rate(),
            change_outputs: 1,
        };
        origination.build().expect(EXPECT)
    }

    /// The loan as both sides know it before signing.
    pub(crate) fn loan(&self) -> RunningLoan {
        let payout = TxOut { value: Amount::from_sat(2_065_000), script_pubkey: self.lender.payment().script_pubkey() };
        RunningLoan {
            escrow: self.escrow.clone(),
            outpoint: OutPoint::new(self.origination().final_txid(), 0),
            value: Amount::from_sat(10_000),
            pledge: Pledge::Inscription { offset: Amount::from_sat(4_000) },
            payout,
        }
    }

    pub(crate) fn pads(&self) -> [Coin; 2] {
        let (template, key) = (self.origination(), self.borrower.payment());
        PADS.map(|pad| {
            let outpoint = OutPoint::new(template.final_txid(), u32::try_from(pad).expect(EXPECT));
            Coin { outpoint, output: template.psbt.unsigned_tx.output[pad].clone(), key }
        })
    }

    pub(crate) fn payout_request<'a>(&'a self, loan: &'a RunningLoan, pads: &'a [Coin; 2]) -> PayoutRequest<'a> {
        PayoutRequest { loan, pads, destination: &self.ordinals_script, change: &self.borrower_payment }
    }

    /// The borrower signs all of it; the escrow is input 2 and also requires the repay key's signature.
    pub(crate) fn repayment(&self, version: Version) -> Template {
        let repayment = Repayment {
            loans: &[RepayableLoan { loan: &self.loan(), pre_signatures: &self.payout_signatures() }],
            version,
            pads: &self.pads(),
            funding: &[coin(9, self.borrower.nested(), 3_000_000)],
            unconfirmed: &[],
            destination: &self.ordinals_script,
            change: &self.borrower_payment,
            fee_rate: fee_rate(),
        };
        repayment.build().expect(EXPECT)
    }

    /// The pre-signatures that the lender's wallet makes before the loan begins.
    pub(crate) fn payout_signatures(&self) -> PayoutSignatures {
        let (loan, pads) = (self.loan(), self.pads());
        let request = self.payout_request(&loan, &pads);
        let sign = |version| {
            let text = self.lender.sign(&request.build(version).expect(EXPECT));
            request.check_returned(version, &text).expect(EXPECT)
        };
        PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) }.into()
    }

    /// The same, as a signature of this repayment.
    pub(crate) fn pre_signature(&self, repayment: &Template) -> Signatures {
        let (loan, pre_signatures) = (self.loan(), self.payout_signatures());
        RepayableLoan { loan: &loan, pre_signatures: &pre_signatures }.signatures(repayment).expect(EXPECT)
    }

    /// The lender signs both inputs: the escrow and a coin for the fee.
    pub(crate) fn claim(&self) -> Template {
        let claim = Claim {
            loan: &self.loan(),
            fee_coin: Some(&coin(8, self.lender.payment(), 20_000)),
            destination: &self.lender.ordinals().script_pubkey(),
            change: &self.lender.payment().script_pubkey(),
            fee_rate: fee_rate(),
        };
        claim.build().expect(EXPECT)
    }
}

/// Parses the PSBT of a text.
pub(crate) fn psbt(text: &str) -> Psbt {
    Psbt::deserialize(&STANDARD.decode(text).expect(EXPECT)).expect(EXPECT)
}

/// A text with a change of its PSBT.
pub(crate) fn altered(text: &str, alter: impl FnOnce(&mut Psbt)) -> String {
    let mut psbt = psbt(text);
    alter(&mut psbt);
    STANDARD.encode(psbt.serialize())
}

/// The transaction that the borrower and the lender finish together.
pub(crate) fn finished(template: &Template, signatures: Signatures, others: Signatures) -> Transaction {
    let all = signatures.merge(others).expect(EXPECT);
    template.finish(&all, template.final_txid()).expect(EXPECT)
}
