//! Serialization of the Bitcoin network by its name.

use bitcoin::Network;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serializer};
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

/// All networks.
const ALL: [Network; 5] = [Network::Bitcoin, Network::Testnet, Network::Testnet4, Network::Signet, Network::Regtest];

/// Returns the schema of the name.
#[must_use]
pub fn schema() -> Object {
    ObjectBuilder::new()
        .description(Some("A Bitcoin network"))
        .schema_type(Type::String)
        .enum_values(Some(ALL.map(|network| network.to_string())))
        .build()
}

/// Serializes the name: `bitcoin`, `testnet`, `testnet4`, `signet` or `regtest`.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(network: &Network, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(network)
}

/// Deserializes the name.
///
/// # Errors
/// Fails if no network has that name.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Network, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(|_| D::Error::custom(format!("no Bitcoin network is called {text:?}")))
}
