import { NETWORK, TEST_NETWORK } from "@scure/btc-signer";
import type { Wire } from "@/shared/api/operation";

/** The networks by the names that the server and every signed message use. */
export type BitcoinNetwork = Wire["PublicConfig"]["network"];

type NetworkParameters = typeof NETWORK;

const REGTEST: NetworkParameters = { ...TEST_NETWORK, bech32: "bcrt" };

/** The address parameters of the network. */
export function networkParameters(network: BitcoinNetwork): NetworkParameters {
  if (network === "bitcoin") return NETWORK;
  return network === "regtest" ? REGTEST : TEST_NETWORK;
}

/** The coin type of BIP-44: 0 on the main network, 1 on every other. */
export function coinType(network: BitcoinNetwork): 0 | 1 {
  return network === "bitcoin" ? 0 : 1;
}
