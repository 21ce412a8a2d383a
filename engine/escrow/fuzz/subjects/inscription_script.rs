//! The witness scripts of BRC-20 transfers, which wallets return.

use bitcoin::ScriptBuf;
use escrow::contract::assets::brc20_transfer::Brc20Transfer;
use escrow::contract::assets::inscription::Inscription;

use super::parties::Party;
use super::taproot_key;

/// A script, of which an inscription is read only if it is the script of that inscription.
pub fn inscription_script(bytes: &[u8]) -> bool {
    let script = ScriptBuf::from_bytes(bytes.to_vec());
    let Some((key, inscription)) = Inscription::read(&script) else { return false };
    assert_eq!(inscription.script(key).as_ref(), Ok(&script));
    true
}

/// A transfer, and content of several pieces.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    let key = taproot_key(&Party::new(1));
    let transfer = Brc20Transfer::new("ordi", 1_500_000_000_000_000_000).unwrap().inscription();
    let long = Inscription { content_type: "text/plain".to_owned(), body: vec![7; 1_100] };
    [transfer, long].map(|inscription| inscription.script(key).unwrap().into_bytes()).to_vec()
}
