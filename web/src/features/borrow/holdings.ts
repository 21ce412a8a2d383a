import { queryOptions } from "@tanstack/react-query";
import type { Collection } from "@/shared/api/collection";
import { readWalletAssets, type WalletAssets, type WalletInscription } from "@/shared/bitcoin/wallet-assets";

/** What arrives in the wallet is seen within this time. */
const RENEWED_MS = 20_000;

/** What the connected wallet says it holds. */
export function walletAssetsQuery(userId: string) {
  return queryOptions({
    queryKey: ["wallet-assets", userId],
    queryFn: readWalletAssets,
    staleTime: 0,
    refetchInterval: RENEWED_MS,
    // A wallet may put itself on the page a moment after the page asks for it.
    retry: 4,
    retryDelay: 500,
  });
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** The inscriptions that the wallet counts to a collection; the server is asked again before one is pledged. */
export function inscriptionsIn(row: Collection, assets: WalletAssets): WalletInscription[] {
  const names = [plain(row.collectionName), plain(row.groupSlug)];
  return (assets.inscriptions ?? []).filter(
    ({ collectionName }) => collectionName !== null && names.includes(plain(collectionName)),
  );
}

/** Raw units of a rune; null when the wallet does not tell balances. */
export function runeBalance(row: Collection, { runes }: WalletAssets): bigint | null {
  if (runes === null) return null;
  const name = plain(row.runeName ?? "");
  return runes.reduce((total, rune) => (plain(rune.name) === name ? total + rune.raw : total), 0n);
}

/** Whether a text is an inscription's id: its transaction, an `i` and a number. */
export function isInscriptionId(text: string): boolean {
  return /^[0-9a-f]{64}i(0|[1-9]\d{0,6})$/.test(text);
}
