//! The secp256k1 context of everything that needs no secret key.

use std::sync::LazyLock;

use bitcoin::secp256k1::{Secp256k1, VerifyOnly};

/// Verifies signatures, and derives and checks Taproot keys. Shared, because a new context is randomized first, which protects
/// secret keys only and takes longer than to verify a signature.
pub static VERIFICATION: LazyLock<Secp256k1<VerifyOnly>> = LazyLock::new(Secp256k1::verification_only);
