//! The ports of the lending engine: the node, its indexers and the vault signer.

use lending::ports::Ports;

use crate::node::Node;
use crate::vault_keys::VaultKeys;

/// The node implements every port but that of the signer.
pub struct LivePorts {
    /// The chain and its indexers.
    pub node: Node,
    /// The vault signer.
    pub keys: VaultKeys,
}

impl Ports for LivePorts {
    type Chain = Node;
    type Assets = Node;
    type Brc20 = Node;
    type Coins = Node;
    type Signer = VaultKeys;

    fn chain(&self) -> &Node {
        &self.node
    }

    fn assets(&self) -> &Node {
        &self.node
    }

    fn brc20(&self) -> &Node {
        &self.node
    }

    fn coins(&self) -> &Node {
        &self.node
    }

    fn signer(&self) -> &VaultKeys {
        &self.keys
    }
}
