//! A loan between two simulated wallets, step by step, with the server's work separate from the wallets'.

use bitcoin::hashes::Hash as _;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, Transaction, TxOut, Txid, XOnlyPublicKey};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
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
use escrow::contract::signing::spent_output::{CarriedAssets, InputPolicy, SpentOutput};
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::contract::transaction::version::TRUC;
use escrow::wallet_key::WalletKey;
use ordinals::RuneId;

const KINDS: [AddressKind; 3] = [AddressKind::P2wpkh, AddressKind::P2shP2wpkh, AddressKind::P2tr];
const RUNE: RuneId = RuneId { block: 840_000, tx: 1 };
const PRINCIPAL: Amount = Amount::from_sat(2_000_000);
const PAYOUT: Amount = Amount::from_sat(2_065_000);
const PLATFORM_FEE: Amount = Amount::from_sat(13_000);

/// The collateral of the loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pledged {
    /// An inscription in the middle of its coin.
    Inscription,
    /// A part of the runes of three coins.
    Runes,
}

/// The terms that both sides have agreed on, and their coins.
pub struct Deal {
    borrower: WalletKey,
    lender: WalletKey,
    terms: EscrowTerms,
    pledged: Pledged,
    collateral: Vec<AssetCoin>,
    funding: Vec<Coin>,
    platform_fee: TxOut,
}

/// A loan that awaits signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The origination.
    pub template: Template,
    /// The same as text for the wallets.
    pub text: String,
    /// The repayments for the lender's wallet to pre-sign, of version 2 and of version 3.
    pub payout_texts: [String; 2],
}

/// The PSBTs that the wallets returned.
pub struct Answers {
    borrower: String,
    lender: String,
    payouts: [String; 2],
}

/// A repayment that awaits the borrower's signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedRepayment {
    /// The repayment.
    pub template: Template,
    /// The same as text for the wallet.
    pub text: String,
}

fn wallet(seed: u8) -> WalletKey {
    WalletKey::from_seed([seed; 32], Network::Regtest).expect("the seed is valid")
}

fn keys(wallet: &WalletKey) -> [CoinKey; 3] {
    KINDS.map(|kind| wallet.coin_key(kind))
}

fn payment(wallet: &WalletKey) -> CoinKey {
    wallet.coin_key(AddressKind::P2wpkh)
}

fn ordinals(wallet: &WalletKey) -> CoinKey {
    wallet.coin_key(AddressKind::P2tr)
}

fn ordinals_key(wallet: &WalletKey) -> XOnlyPublicKey {
    match ordinals(wallet) {
        CoinKey::P2tr(key) => key,
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
    }
}

fn coin(number: u8, key: CoinKey, value: Amount) -> Coin {
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), u32::from(number));
    Coin { outpoint, output: TxOut { value, script_pubkey: key.script_pubkey() }, key }
}

fn fee_rate() -> FeeRate {
    FeeRate::from_sat_per_vb(7).expect("a small rate")
}

/// The text for the wallets, after everything that the transaction spends was checked against a look-up: here one that
/// confirms the deal, without asking any chain.
fn psbt_to_sign(template: &Template, collateral: &[(OutPoint, CarriedAssets)]) -> String {
    let inputs = template.psbt.unsigned_tx.input.iter().zip(&template.psbt.inputs);
    let looked_up = inputs.filter_map(|(input, spent)| {
        let outpoint = input.previous_output;
        let known = collateral.iter().find(|(place, _)| *place == outpoint);
        let assets = Some(known.map(|(_, carried)| carried.clone()).unwrap_or_default());
        let output = spent.witness_utxo.clone()?;
        Some((outpoint, SpentOutput { output, confirmations: 1, is_coinbase: false, assets }))
    });
    let spending = InputPolicy { collateral, unconfirmed: &[] };
    spending.check(template, &looked_up.collect()).expect("the coins match the look-up").to_base64()
}

impl Deal {
    /// A manual loan that the lender pays from `coins` coins of all kinds.
    #[must_use]
    pub fn new(pledged: Pledged, coins: u8) -> Self {
        let (borrower, lender) = (wallet(1), wallet(2));
        let terms = EscrowTerms {
            loan: 41,
            borrower: ordinals_key(&borrower),
            repay: ordinals_key(&lender).into(),
            lender: ordinals_key(&lender),
            claim_after: 1_900_000_000,
        };
        let each = Amount::from_sat((PRINCIPAL + PLATFORM_FEE).to_sat().div_ceil(u64::from(coins)) + 10_000);
        let lenders = keys(&lender).into_iter().cycle().zip(10..);
        let funding = lenders.take(usize::from(coins)).map(|(key, number)| coin(number, key, each)).collect();
        let own = |number, sats| coin(number, ordinals(&borrower), Amount::from_sat(sats));
        let collateral = match pledged {
            Pledged::Inscription => {
                let inscriptions = vec![Amount::from_sat(4_000)];
                vec![AssetCoin { coin: own(1, 10_000), inscriptions, runes: Vec::new() }]
            }
            Pledged::Runes => {
                let runes = |number| AssetCoin {
                    coin: own(number, 546),
                    inscriptions: Vec::new(),
                    runes: vec![(RUNE, 1_000_000)],
                };
                (1..=3).map(runes).collect()
            }
        };
        let platform_fee = TxOut { value: PLATFORM_FEE, script_pubkey: payment(&wallet(3)).script_pubkey() };
        Self { borrower, lender, terms, pledged, collateral, funding, platform_fee }
    }

    fn collateral_return_script(&self) -> ScriptBuf {
        ordinals(&self.borrower).script_pubkey()
    }

    fn borrower_payment(&self) -> ScriptBuf {
        payment(&self.borrower).script_pubkey()
    }

    /// The server's work before signing: the contract, the origination with all its checks, including those of the
    /// coins that it spends, the repayments for the lender to pre-sign, and the texts of all of them for the wallets.
    #[must_use]
    pub fn prepare(&self) -> Prepared {
        let escrow = LoanEscrow::new(self.terms.clone()).expect("the terms are possible");
        let (rest, borrower_payment) = (self.collateral_return_script(), self.borrower_payment());
        let change = payment(&self.lender).script_pubkey();
        let origination = self.origination(&escrow, &rest, &borrower_payment, &change);
        let template = origination.build().expect("the loan can begin");
        let loan = self.loan_of(&origination, &template);
        let pads = self.pads(&template);
        let payout_texts = [Version::TWO, TRUC].map(|version| {
            let request = PayoutRequest { loan: &loan, pads: &pads, destination: &rest, change: &borrower_payment };
            request.to_base64(version).expect("the payout PSBT can be built")
        });
        let carrying: Vec<_> = self.collateral.iter().map(AssetCoin::carried_assets).collect();
        Prepared { text: psbt_to_sign(&template, &carrying), template, payout_texts }
    }

    fn origination<'a>(
        &'a self,
        escrow: &'a LoanEscrow,
        rest: &'a ScriptBuf,
        borrower_payment: &'a ScriptBuf,
        change: &'a ScriptBuf,
    ) -> Origination<'a> {
        let collateral = match self.pledged {
            Pledged::Inscription => Collateral::Inscription(&self.collateral[0]),
            Pledged::Runes => Collateral::Runes { coins: &self.collateral, id: RUNE, amount: 2_500_000, rest },
        };
        Origination {
            escrow,
            collateral,
            funding: Funding::Coins { coins: &self.funding, change },
            principal: PRINCIPAL,
            platform_fee: Some(&self.platform_fee),
            borrower_payment,
            fee_rate: fee_rate(),
            change_outputs: 1,
        }
    }

    fn loan_of(&self, origination: &Origination<'_>, template: &Template) -> RunningLoan {
        let payout = TxOut { value: PAYOUT, script_pubkey: payment(&self.lender).script_pubkey() };
        origination.running_loan(template, payout).expect("the collateral is valid")
    }

    /// The loan as the server rebuilds it between two requests.
    #[must_use]
    pub fn loan(&self, prepared: &Prepared) -> RunningLoan {
        let escrow = LoanEscrow::new(self.terms.clone()).expect("the terms are possible");
        let (rest, borrower_payment) = (self.collateral_return_script(), self.borrower_payment());
        let change = payment(&self.lender).script_pubkey();
        self.loan_of(&self.origination(&escrow, &rest, &borrower_payment, &change), &prepared.template)
    }

    fn pads(&self, template: &Template) -> [Coin; 2] {
        let (txid, key) = (template.final_txid(), payment(&self.borrower));
        PADS.map(|pad| Coin {
            outpoint: OutPoint::new(txid, u32::try_from(pad).expect("few outputs")),
            output: template.psbt.unsigned_tx.output[pad].clone(),
            key,
        })
    }

    /// The wallets' work.
    #[must_use]
    pub fn sign(&self, prepared: &Prepared) -> Answers {
        let sign = |wallet: &WalletKey, text: &String| wallet.sign_psbt(text).expect("the wallet signs");
        Answers {
            borrower: sign(&self.borrower, &prepared.text),
            lender: sign(&self.lender, &prepared.text),
            payouts: prepared.payout_texts.each_ref().map(|text| sign(&self.lender, text)),
        }
    }

    /// The server's work once both have signed: every signature verified, pre-signatures included, merged, and the
    /// finished transaction checked.
    #[must_use]
    pub fn begin(&self, prepared: &Prepared, answers: &Answers) -> (Transaction, PayoutSignatures) {
        let template = &prepared.template;
        let (loan, pads) = (self.loan(prepared), self.pads(template));
        let (home, change) = (self.collateral_return_script(), self.borrower_payment());
        let request = PayoutRequest { loan: &loan, pads: &pads, destination: &home, change: &change };
        let [two, truc] = &answers.payouts;
        let payout = |version, text| request.check_returned(version, text).expect("the lender has pre-signed");
        let pre_signatures = PayoutSignaturePair { two: payout(Version::TWO, two), truc: payout(TRUC, truc) };
        let borrowers = template.check_returned(&answers.borrower, &keys(&self.borrower)).expect("the borrower signed");
        let lenders = template.check_returned(&answers.lender, &keys(&self.lender)).expect("the lender signed");
        let signatures = borrowers.merge(lenders).expect("of one transaction");
        (template.finish(&signatures, template.final_txid()).expect("all have signed"), pre_signatures.into())
    }

    /// The server's work before the borrower signs a repayment.
    #[must_use]
    pub fn prepare_repayment(
        &self,
        loan: &RunningLoan,
        prepared: &Prepared,
        pre_signatures: &PayoutSignatures,
    ) -> PreparedRepayment {
        let (pads, home, change) =
            (self.pads(&prepared.template), self.collateral_return_script(), self.borrower_payment());
        let funding = [coin(9, payment(&self.borrower), Amount::from_sat(3_000_000))];
        let repayment = Repayment {
            loans: &[RepayableLoan { loan, pre_signatures }],
            version: TRUC,
            pads: &pads,
            funding: &funding,
            unconfirmed: &[],
            destination: &home,
            change: &change,
            fee_rate: fee_rate(),
        };
        let template = repayment.build().expect("the loan can be repaid");
        PreparedRepayment { text: psbt_to_sign(&template, &[loan.carried_assets()]), template }
    }

    /// The work of the borrower's wallet.
    #[must_use]
    pub fn sign_repayment(&self, prepared: &PreparedRepayment) -> String {
        self.borrower.sign_psbt(&prepared.text).expect("the wallet signs")
    }

    /// The server's work once the borrower has signed: the signatures of both sides verified, merged and finished.
    #[must_use]
    pub fn end(
        &self,
        loan: &RunningLoan,
        prepared: &PreparedRepayment,
        answer: &str,
        pre_signatures: &PayoutSignatures,
    ) -> Transaction {
        let template = &prepared.template;
        let borrowers = template.check_returned(answer, &keys(&self.borrower)).expect("the borrower signed");
        let kept = RepayableLoan { loan, pre_signatures }.signatures(template).expect("the pre-signature is valid");
        let signatures = borrowers.merge(kept).expect("of one transaction");
        template.finish(&signatures, template.final_txid()).expect("all have signed")
    }
}
