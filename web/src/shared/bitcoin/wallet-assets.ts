/** An inscription that the wallet says it holds at its ordinals address. */
export interface WalletInscription {
  inscriptionId: string;
  /** As the wallet numbers it; null when it does not say. */
  number: string | null;
  /** What the wallet takes it to belong to; no proof of anything. */
  collectionName: string | null;
}

export interface WalletRune {
  /** With the spacers, `UNCOMMON•GOODS`. */
  name: string;
  /** In the rune's smallest unit. */
  raw: bigint;
}

/** What the wallet holds, as it sees it itself. The server looks again before anything is pledged. */
export interface WalletAssets {
  /** Null when the wallet does not list inscriptions. */
  inscriptions: WalletInscription[] | null;
  /** Null when the wallet does not tell balances of runes. */
  runes: WalletRune[] | null;
}

export type AssetReader = () => Promise<WalletAssets>;

let current: AssetReader | null = null;

/** The wallet feature sets this while a wallet is connected, and null when none is. */
export function setAssetReader(reader: AssetReader | null): void {
  current = reader;
}

/** Asks the connected wallet what it holds. The text of an error can be shown as it is. */
export async function readWalletAssets(): Promise<WalletAssets> {
  if (!current) throw new Error("Please reconnect your wallet");
  return current();
}
