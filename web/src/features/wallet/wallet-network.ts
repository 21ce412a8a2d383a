import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { WalletError } from "./wallet-error";

const BECH32_PREFIX: Record<BitcoinNetwork, string> = {
  bitcoin: "bc1",
  testnet: "tb1",
  testnet4: "tb1",
  signet: "tb1",
  regtest: "bcrt1",
};

/** The network names of sats-connect style wallets. */
export const NETWORK_NAME: Record<BitcoinNetwork, string> = {
  bitcoin: "Mainnet",
  testnet: "Testnet",
  testnet4: "Testnet4",
  signet: "Signet",
  regtest: "Regtest",
};

/** Rejects an address of another network, whatever network the wallet reports. */
export function requireNetwork(address: string, network: BitcoinNetwork): void {
  if (address.toLowerCase().startsWith(BECH32_PREFIX[network])) return;
  const expected = NETWORK_NAME[network];
  throw new WalletError(
    "failed",
    `The wallet is on another network. Switch it to ${expected} and try again.`,
  );
}
