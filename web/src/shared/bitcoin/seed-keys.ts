import { hex } from "@scure/base";
import { HDKey } from "@scure/bip32";
import { p2tr, p2wpkh } from "@scure/btc-signer";
import { type BitcoinNetwork, coinType, networkParameters } from "./network";

/** One address of a seed with everything needed to use it. */
export interface SeedAddress {
  address: string;
  /** As wallets report it: the compressed key, or for P2TR the 32-byte internal key, in hexadecimal. */
  pubKey: string;
  privateKey: Uint8Array;
  script: Uint8Array;
  tapInternalKey?: Uint8Array;
}

/** The two addresses of a user. */
export interface SeedKeys {
  payment: SeedAddress;
  ordinals: SeedAddress;
}

function derived(master: HDKey, path: string): { privateKey: Uint8Array; publicKey: Uint8Array } {
  const { privateKey, publicKey } = master.derive(path);
  if (!privateKey || !publicKey) throw new Error(`no key can be derived at ${path}`);
  return { privateKey, publicKey };
}

/**
 * Derives the keys of a seed by the standard paths: `m/84'/c'/n'/0/0` for payments (BIP-84),
 * `m/86'/c'/n'/0/0` for ordinals and runes (BIP-86); `n` is the account.
 */
export function keysFromSeed(seed: Uint8Array, network: BitcoinNetwork, account = 0): SeedKeys {
  const master = HDKey.fromMasterSeed(seed);
  const parameters = networkParameters(network);
  const coin = coinType(network);

  const paymentKey = derived(master, `m/84'/${coin}'/${account}'/0/0`);
  const payment = p2wpkh(paymentKey.publicKey, parameters);

  const ordinalsKey = derived(master, `m/86'/${coin}'/${account}'/0/0`);
  const internalKey = ordinalsKey.publicKey.slice(1);
  const ordinals = p2tr(internalKey, undefined, parameters);

  if (!payment.address || !ordinals.address) throw new Error(`the network ${network} has no such addresses`);
  return {
    payment: {
      address: payment.address,
      pubKey: hex.encode(paymentKey.publicKey),
      privateKey: paymentKey.privateKey,
      script: payment.script,
    },
    ordinals: {
      address: ordinals.address,
      pubKey: hex.encode(internalKey),
      privateKey: ordinalsKey.privateKey,
      script: ordinals.script,
      tapInternalKey: internalKey,
    },
  };
}
