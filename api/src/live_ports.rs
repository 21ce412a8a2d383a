//! The ports of the lending engine: the node, its indexers and the vault signer.

use lending::lookups::ports::Ports;
use lending::lookups::signer_router::SignerRouter;

use crate::node::Node;
use crate::signer_handle::SignerHandle;

/// The node implements every port but that of the signer.
pub struct LivePorts {
    /// The chain and its indexers.
    pub node: Node,
    /// The vault signers.
    pub signer: SignerRouter<SignerHandle>,
}

impl Ports for LivePorts {
    type Chain = Node;
    type Assets = Node;
    type Brc20 = Node;
    type Coins = Node;
    type Signer = SignerHandle;

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

    fn signer(&self) -> &SignerRouter<SignerHandle> {
        &self.signer
    }
}
