//! An origination that the lender's wallet has signed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, FeeRate, Network, OutPoint, Psbt, PublicKey, TxOut, Txid, XOnlyPublicKey};
use escrow::address::AddressKind;
use escrow::contract::assets::asset_coin::AssetCoin;
use escrow::contract::loan::collateral::Collateral;
use escrow::contract::loan::funding::Funding;
use escrow::contract::loan::loan_escrow::{EscrowTerms, LoanEscrow};
use escrow::contract::loan::origination::Origination;
use escrow::contract::signing::returned_psbt_error::ReturnedPsbtError;
use escrow::contract::signing::signatures::Signatures;
use escrow::contract::transaction::coin::{Coin, CoinKey};
use escrow::contract::transaction::template::Template;
use escrow::wallet_key::WalletKey;
use ordinals::RuneId;

const KINDS: [AddressKind; 3] = [AddressKind::P2wpkh, AddressKind::P2shP2wpkh, AddressKind::P2tr];
const PRINCIPAL: Amount = Amount::from_sat(2_000_000);

/// The collateral of the loan.
#[derive(Clone, Copy, Debug)]
pub enum Pledged {
    /// An inscription.
    Inscription,
    /// A part of the runes of two coins.
    Runes,
}

pub struct SignedOrigination {
    pub template: Template,
    /// The answer of the lender's wallet.
    pub text: String,
    /// The first input that the lender signs; those before are the borrower's.
    pub first_funding: usize,
    pub unrelated_wallet: WalletKey,
    borrower: WalletKey,
    lender: WalletKey,
}

fn wallet(seed: u8) -> WalletKey {
    WalletKey::from_seed([seed; 32], Network::Regtest).unwrap()
}

fn x_only(wallet: &WalletKey) -> XOnlyPublicKey {
    match wallet.coin_key(AddressKind::P2tr) {
        CoinKey::P2tr(key) => key,
        CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => key.0.into(),
    }
}

fn coin(number: u8, wallet: &WalletKey, kind: AddressKind, sats: u64) -> Coin {
    let key = wallet.coin_key(kind);
    let outpoint = OutPoint::new(Txid::from_byte_array([number; 32]), u32::from(number));
    Coin { outpoint, output: TxOut { value: Amount::from_sat(sats), script_pubkey: key.script_pubkey() }, key }
}

impl SignedOrigination {
    /// Returns a loan that the lender funds from native, nested, taproot and native coins.
    pub fn new(pledged: Pledged) -> Self {
        let (borrower, lender, platform) = (wallet(1), wallet(2), wallet(3));
        let terms = EscrowTerms {
            loan: 41,
            borrower: x_only(&borrower),
            repay: x_only(&lender).into(),
            lender: x_only(&lender),
            claim_after: 1_900_000_000,
        };
        let (escrow, home) = (LoanEscrow::new(terms).unwrap(), borrower.coin_key(AddressKind::P2tr).script_pubkey());
        let of = |number, kind, sats| coin(number, &lender, kind, sats);
        let funding = [
            of(10, AddressKind::P2wpkh, 1_000_000),
            of(11, AddressKind::P2shP2wpkh, 500_000),
            of(12, AddressKind::P2tr, 600_000),
            of(13, AddressKind::P2wpkh, 700_000),
        ];
        let id = RuneId { block: 840_000, tx: 1 };
        let own = |number, sats| coin(number, &borrower, AddressKind::P2tr, sats);
        let pledge: Vec<AssetCoin> = match pledged {
            Pledged::Inscription => {
                vec![AssetCoin { coin: own(1, 10_000), inscriptions: vec![Amount::from_sat(4_000)], runes: vec![] }]
            }
            Pledged::Runes => [1, 2]
                .map(|number| AssetCoin { coin: own(number, 546), inscriptions: vec![], runes: vec![(id, 1_000)] })
                .into(),
        };
        let collateral = match pledged {
            Pledged::Inscription => Collateral::Inscription(&pledge[0]),
            Pledged::Runes => Collateral::Runes { coins: &pledge, id, amount: 1_500, rest: &home },
        };
        let script = |wallet: &WalletKey| wallet.coin_key(AddressKind::P2wpkh).script_pubkey();
        let origination = Origination {
            escrow: &escrow,
            collateral,
            funding: Funding::Coins { coins: &funding, change: &script(&lender) },
            principal: PRINCIPAL,
            platform_fee: Some(&TxOut { value: Amount::from_sat(13_000), script_pubkey: script(&platform) }),
            borrower_payment: &script(&borrower),
            fee_rate: FeeRate::from_sat_per_vb(7).unwrap(),
            change_outputs: 1,
        };
        let template = origination.build().unwrap();
        let text = lender.sign_psbt(&template.psbt.to_string()).unwrap();
        Self { template, text, first_funding: pledge.len(), unrelated_wallet: wallet(7), borrower, lender }
    }

    /// Checks a text as the answer of the lender's wallet; returns its signatures.
    pub fn check(&self, text: &str) -> Result<Signatures, ReturnedPsbtError> {
        self.template.check_returned(text, &KINDS.map(|kind| self.lender.coin_key(kind)))
    }

    /// The wallet's answer as a PSBT.
    pub fn returned(&self) -> Psbt {
        read(&self.text)
    }

    /// The wallet's answer to another PSBT.
    pub fn signed_by_lender(&self, psbt: &Psbt) -> Psbt {
        read(&self.lender.sign_psbt(&psbt.to_string()).unwrap())
    }

    /// The index of the output that pays the borrower the principal less fees.
    pub fn principal_output(&self) -> usize {
        let outputs = self.template.psbt.unsigned_tx.output.iter();
        let script = self.borrower.coin_key(AddressKind::P2wpkh).script_pubkey();
        let paid = outputs.enumerate().filter(|(_, output)| output.script_pubkey == script);
        paid.max_by_key(|(_, output)| output.value).unwrap().0
    }

    pub fn borrower_key(&self) -> XOnlyPublicKey {
        x_only(&self.borrower)
    }

    pub fn unrelated_key(&self) -> PublicKey {
        match self.unrelated_wallet.coin_key(AddressKind::P2wpkh) {
            CoinKey::P2wpkh(key) | CoinKey::P2shP2wpkh(key) => PublicKey::new(key.0),
            CoinKey::P2tr(_) => panic!("a payment address of another kind"),
        }
    }
}

fn read(text: &str) -> Psbt {
    Psbt::deserialize(&STANDARD.decode(text).unwrap()).unwrap()
}
