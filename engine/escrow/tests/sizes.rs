//! Tests of the transaction weights that the README states. They are the weights that fees are computed for: signed
//! transactions are lighter by at most a byte per signature, which other tests check against really signed ones.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test stops at the first surprise")]

use bitcoin::hashes::Hash as _;
use bitcoin::secp256k1::{Keypair, Secp256k1};
use bitcoin::taproot::Signature;
use bitcoin::transaction::Version;
use bitcoin::{Amount, FeeRate, Network, OutPoint, ScriptBuf, TxOut, Txid, XOnlyPublicKey};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::pledge::{InscribedRange, Pledge};
use escrow::contract::loan::claim::Claim;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::extension::Extension;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::loan::payout_request::PayoutRequest;
use escrow::contract::loan::payout_signature_pair::PayoutSignaturePair;
use escrow::contract::loan::payout_signatures::PayoutSignatures;
use escrow::contract::loan::repay_keys::RepayKeys;
use escrow::contract::loan::repayable_loan::RepayableLoan;
use escrow::contract::loan::repayment::Repayment;
use escrow::contract::loan::running_loan::RunningLoan;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::{PAYOUT_SIGHASH, Template};
use escrow::contract::transaction::version::TRUC;
use escrow::contract::vault::payment::{Payee, Payment};
use escrow::contract::vault::vault_exit::VaultExit;
use escrow::contract::vault::vault_signers::VaultSigners;
use escrow::contract::vault::vault_withdrawal::{Share, VaultWithdrawal};
use escrow::contract::vault::{Vault, VaultTerms};
use escrow::wallet_key::WalletKey;
use ordinals::RuneId;

const README: &str = include_str!("../README.md");
const RUNE: RuneId = RuneId { block: 840_000, tx: 3 };

/// The pledge of several inscriptions in equal ranges.
fn inscriptions(count: u64) -> Pledge {
    let range = InscribedRange { value: Amount::from_sat(10_000 / count), offset: Amount::ZERO };
    Pledge::Inscriptions((0..count).map(|_| range).collect())
}

struct Parties {
    borrower: WalletKey,
    lender: WalletKey,
    ordinals_script: ScriptBuf,
    own: ScriptBuf,
    theirs: ScriptBuf,
    fee_rate: FeeRate,
}

fn ordinals(party: &WalletKey) -> XOnlyPublicKey {
    match party.coin_key(AddressKind::P2tr) {
        CoinKey::P2tr(key) => key,
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
    }
}

fn coin(number: u8, party: &WalletKey, kind: AddressKind, sats: u64) -> Coin {
    let key = party.coin_key(kind);
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), 0);
    Coin { outpoint, output: TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() }, key }
}

impl Parties {
    fn new() -> Self {
        let party = |seed| WalletKey::from_seed([seed; 32], Network::Regtest).unwrap();
        let (borrower, lender) = (party(1), party(2));
        let script = |party: &WalletKey, kind| party.coin_key(kind).script_pubkey();
        Self {
            ordinals_script: script(&borrower, AddressKind::P2tr),
            own: script(&borrower, AddressKind::P2wpkh),
            theirs: script(&lender, AddressKind::P2wpkh),
            fee_rate: FeeRate::from_sat_per_vb(3).unwrap(),
            borrower,
            lender,
        }
    }

    fn escrow(&self, loan: u128) -> LoanEscrow {
        let (borrower, lender) = (ordinals(&self.borrower), ordinals(&self.lender));
        LoanEscrow::new(EscrowTerms { loan, borrower, repay: lender.into(), lender, claim_after: 1_900_000_000 })
            .unwrap()
    }

    fn loan(&self, number: u8, pledge: Pledge) -> (RunningLoan, PayoutSignatures) {
        let loan = self.running(number, self.escrow(number.into()), pledge);
        let pads: Vec<Coin> = (60_u8..).take(loan.pad_count()).map(|number| self.pad(number)).collect();
        let request = PayoutRequest { loan: &loan, pads: &pads, destination: &self.ordinals_script, change: &self.own };
        let sign = |version| {
            let text = self.lender.sign_psbt(&request.to_base64(version).unwrap()).unwrap();
            request.check_returned(version, &text).unwrap()
        };
        let pre_signatures = PayoutSignaturePair { two: sign(Version::TWO), truc: sign(TRUC) };
        (loan, pre_signatures.into())
    }

    /// A loan with this number of single-use repay keys.
    fn loan_of_several(&self, count: u8, pledge: Pledge) -> (RunningLoan, PayoutSignatures) {
        let secp = Secp256k1::new();
        let pairs: Vec<Keypair> =
            (0..count).map(|number| Keypair::from_seckey_slice(&secp, &[21 + number; 32]).unwrap()).collect();
        let repay = RepayKeys::new(pairs.iter().map(|pair| pair.x_only_public_key().0)).unwrap();
        let terms = EscrowTerms { repay: repay.clone(), ..self.escrow(1).terms().clone() };
        let loan = self.running(1, LoanEscrow::new(terms).unwrap(), pledge);
        let sign = |key: &XOnlyPublicKey| {
            let pair = pairs.iter().find(|pair| pair.x_only_public_key().0 == *key).unwrap();
            let [two, truc] = [Version::TWO, TRUC].map(|version| Signature {
                signature: secp.sign_schnorr_no_aux_rand(&loan.payout_message(version).unwrap(), pair),
                sighash_type: PAYOUT_SIGHASH,
            });
            PayoutSignaturePair { two, truc }
        };
        let pre_signatures = repay.keys().iter().map(sign).collect();
        (loan, pre_signatures)
    }

    fn running(&self, number: u8, escrow: LoanEscrow, pledge: Pledge) -> RunningLoan {
        RunningLoan {
            escrow,
            outpoint: OutPoint::new(Txid::from_byte_array([number; 32]), 0),
            value: Amount::from_sat(10_000),
            pledge,
            payout: TxOut { value: Amount::from_sat(2_065_000), script_pubkey: self.theirs.clone() },
        }
    }

    fn pad(&self, number: u8) -> Coin {
        coin(number, &self.borrower, AddressKind::P2wpkh, 600)
    }

    fn originations(&self) -> Vec<(&'static str, Template)> {
        let carrying = |number, inscriptions: &[u64], runes: &[(RuneId, u128)]| AssetCoin {
            coin: coin(number, &self.borrower, AddressKind::P2tr, 10_000),
            inscriptions: inscriptions.iter().copied().map(Amount::from_sat).collect(),
            runes: runes.to_vec(),
        };
        let (inscribed, runic) = (carrying(1, &[0], &[]), [carrying(2, &[], &[(RUNE, 700)])]);
        let lent = [coin(3, &self.lender, AddressKind::P2wpkh, 2_500_000)];
        let exact = [coin(3, &self.lender, AddressKind::P2wpkh, 2_013_000)];
        let transfer = Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap();
        let platform = WalletKey::from_seed([3; 32], Network::Regtest).unwrap().coin_key(AddressKind::P2wpkh);
        let platform = TxOut { value: Amount::from_sat(13_000), script_pubkey: platform.script_pubkey() };
        let (vault, held) = (self.vault(), [(OutPoint::new(Txid::all_zeros(), 1), Amount::from_sat(5_000_000))]);
        let escrow = self.escrow(7);
        let plain = Origination {
            escrow: &escrow,
            collateral: Collateral::Inscription(&inscribed),
            funding: Funding::Coins { coins: &lent, change: &self.theirs },
            principal: Amount::from_sat(2_000_000),
            platform_fee: Some(&platform),
            borrower_payment: &self.own,
            fee_rate: self.fee_rate,
            change_outputs: 1,
        };
        let instant = Origination { funding: Funding::Vault { vault: &vault, outputs: &held }, ..plain };
        let part = Collateral::Runes { coins: &runic, id: RUNE, amount: 500, rest: &self.ordinals_script };
        let runes = Origination { collateral: part, ..plain };
        let five: Vec<AssetCoin> = (10..15).map(|number| carrying(number, &[0], &[])).collect();
        let several = Origination { collateral: Collateral::Inscriptions(&five), ..plain };
        let brc20 = Origination {
            collateral: Collateral::Brc20 { coin: &inscribed, transfer: &transfer },
            funding: Funding::Coins { coins: &exact, change: &self.theirs },
            ..plain
        };
        let commit = brc20.build().unwrap();
        let reveal = brc20.reveal(&commit).unwrap().build().unwrap();
        vec![
            ("origination, inscription", plain.build().unwrap()),
            ("origination, inscription, from a vault", instant.build().unwrap()),
            ("origination, five inscriptions", several.build().unwrap()),
            ("origination, part of the runes of one coin", runes.build().unwrap()),
            ("origination, BRC-20", commit),
            ("reveal, BRC-20", reveal),
        ]
    }

    fn vault(&self) -> Vault {
        let terms =
            VaultTerms { lender_id: 4, signers: ordinals(&self.borrower).into(), lender: ordinals(&self.lender) };
        Vault::new(terms).unwrap()
    }

    fn repayment(&self, pledges: &[Pledge]) -> Template {
        let loans: Vec<_> = (40_u8..).zip(pledges).map(|(number, pledge)| self.loan(number, pledge.clone())).collect();
        self.repayment_of(&loans)
    }

    fn repayment_of(&self, loans: &[(RunningLoan, PayoutSignatures)]) -> Template {
        let loans: Vec<_> = loans.iter().map(|(loan, pre_signatures)| RepayableLoan { loan, pre_signatures }).collect();
        let pads = 1 + loans.iter().map(|ending| ending.loan.pledge.range_count()).sum::<usize>();
        let pads: Vec<Coin> = (60_u8..).take(pads).map(|number| self.pad(number)).collect();
        let repayment = Repayment {
            loans: &loans,
            version: TRUC,
            pads: &pads,
            funding: &[coin(9, &self.borrower, AddressKind::P2wpkh, 9_000_000)],
            unconfirmed: &[],
            destination: &self.ordinals_script,
            change: &self.own,
            fee_rate: self.fee_rate,
        };
        repayment.build().unwrap()
    }

    fn endings(&self) -> Vec<(&'static str, Template)> {
        let inscription = Pledge::Inscription { offset: Amount::ZERO };
        let runes = Pledge::Runes { id: RUNE, amount: 500 };
        let (loan, _) = self.loan(40, inscription.clone());
        let fee_coin = coin(8, &self.lender, AddressKind::P2wpkh, 50_000);
        let claim = |fee_coin| {
            Claim {
                loan: &loan,
                fee_coin,
                destination: &self.lender.coin_key(AddressKind::P2tr).script_pubkey(),
                change: &self.theirs,
                fee_rate: self.fee_rate,
            }
            .build()
            .unwrap()
        };
        let pads = [self.pad(30), self.pad(31)];
        let later = LoanEscrow::new(EscrowTerms { claim_after: 1_900_000_001, ..loan.escrow.terms().clone() }).unwrap();
        let extension = Extension {
            loan: &loan,
            escrow: &later,
            version: Version::TWO,
            pads: &pads,
            interest: &TxOut { value: Amount::from_sat(65_000), script_pubkey: self.theirs.clone() },
            coins: &[coin(9, &self.borrower, AddressKind::P2wpkh, 9_000_000)],
            unconfirmed: &[],
            borrower_payment: &self.own,
            fee_rate: self.fee_rate,
        };
        let several = |keys| self.repayment_of(&[self.loan_of_several(keys, loan.pledge.clone())]);
        vec![
            ("repayment, one inscription", self.repayment(std::slice::from_ref(&inscription))),
            ("repayment, one inscription, 2 repay keys", several(2)),
            ("repayment, one inscription, 4 repay keys", several(4)),
            ("repayment, one inscription, 7 repay keys", several(7)),
            ("repayment, runes", self.repayment(&[runes])),
            ("repayment, two loans", self.repayment(&[inscription.clone(), inscription])),
            ("repayment, five inscriptions of one loan", self.repayment(&[inscriptions(5)])),
            ("repayment, twenty inscriptions of one loan", self.repayment(&[inscriptions(20)])),
            ("claim, out of the collateral's own sats", claim(None)),
            ("claim, with a coin for the fee", claim(Some(&fee_coin))),
            ("extension", extension.build().unwrap()),
        ]
    }

    fn vaults(&self) -> Vec<(&'static str, Template)> {
        let vault = self.vault();
        let coins = [coin(9, &self.lender, AddressKind::P2wpkh, 9_000_000)];
        let outputs = [(OutPoint::new(Txid::all_zeros(), 1), Amount::from_sat(5_000_000))];
        let amount = Amount::from_sat(2_000_000);
        let (fee_rate, theirs) = (self.fee_rate, &self.theirs);
        let deposit = Payment { to: Payee::Vault(&vault), coins: &coins, amount, change: theirs, fee_rate, outputs: 1 };
        let exit = VaultExit { vault: &vault, outputs: &outputs, destination: theirs, fee_rate };
        let withdrawal = |vault: &Vault| {
            let share = Share::All;
            let withdrawal =
                VaultWithdrawal { vault, outputs: &outputs, destination: theirs, share, fee_rate, change_outputs: 1 };
            withdrawal.build().unwrap()
        };
        let shared = |required| {
            let keys = (21..).take(2 * required - 1);
            let keys = keys.map(|seed| ordinals(&WalletKey::from_seed([seed; 32], Network::Regtest).unwrap()));
            let signers = VaultSigners::new(required, keys).unwrap();
            withdrawal(&Vault::new(VaultTerms { signers, ..vault.terms().clone() }).unwrap())
        };
        vec![
            ("vault deposit", deposit.build().unwrap()),
            ("vault withdrawal, one output", withdrawal(&vault)),
            ("vault withdrawal, one output, 2 of 3 signers", shared(2)),
            ("vault withdrawal, one output, 4 of 7 signers", shared(4)),
            ("vault exit, one output", exit.build().unwrap()),
        ]
    }
}

#[test]
fn the_readme_states_the_weight_of_each_transaction() {
    let parties = Parties::new();
    let rows: Vec<String> = [parties.originations(), parties.endings(), parties.vaults()]
        .concat()
        .into_iter()
        .map(|(name, template)| format!("| {name} | {} |", template.weight.to_vbytes_ceil()))
        .collect();
    println!("{}", rows.join("\n"));
    let missing: Vec<&String> = rows.iter().filter(|row| !README.lines().any(|line| line == row.as_str())).collect();
    assert!(missing.is_empty(), "the README lacks {missing:#?}");
}
