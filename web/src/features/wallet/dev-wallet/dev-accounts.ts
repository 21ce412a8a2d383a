import { hex } from "@scure/base";
import type { BitcoinNetwork } from "@/shared/bitcoin/network";
import { keysFromSeed, type SeedKeys } from "@/shared/bitcoin/seed-keys";

/** A user of the demo market that the visitor can sign in as. */
export interface DevAccount {
  name: string;
  keys: SeedKeys;
}

export const ACCOUNT_NAMES = [
  "Lender 1",
  "Lender 2",
  "Lender 3",
  "Borrower 1",
  "Borrower 2",
  "Borrower 3",
  "One address",
] as const;
/** The account with one taproot address for payments and ordinals, as some wallets have. */
const ONE_ADDRESS = "One address";
const SEED_KEY = "lienbook.dev-wallet.seed";
const SEED_BYTES = 32;

/** The seed of this browser, generated on first use. It guards worthless coins on a private chain. */
function browserSeed(storage: Storage): Uint8Array {
  const kept = storage.getItem(SEED_KEY);
  if (kept && /^[0-9a-f]{64}$/.test(kept)) return hex.decode(kept);
  const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
  storage.setItem(SEED_KEY, hex.encode(seed));
  return seed;
}

/** The accounts of this browser: the same after every reload, different in every other browser. */
export function devAccounts(network: BitcoinNetwork, storage: Storage = localStorage): DevAccount[] {
  const seed = browserSeed(storage);
  return ACCOUNT_NAMES.map((name, index) => {
    const keys = keysFromSeed(seed, network, index);
    return { name, keys: name === ONE_ADDRESS ? { ...keys, payment: keys.ordinals } : keys };
  });
}
