//! The world that loans are made in: the node, its indexers and the holder of the vaults' keys.

use lending::ports::Ports;

use crate::node::Node;
use crate::vault_keys::VaultKeys;

/// The node plays every part but that of the signer.
pub struct LivePorts {
    /// The chain and what reads it.
    pub node: Node,
    /// The signer.
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
