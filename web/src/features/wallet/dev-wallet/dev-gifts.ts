import * as v from "valibot";

const KEY = "lienbook.dev-wallet.gifts";
const GIFTS_MAX = 400;

const gift = v.variant("kind", [
  v.object({
    kind: v.literal("inscription"),
    address: v.string(),
    inscriptionId: v.string(),
    collectionName: v.string(),
  }),
  v.object({ kind: v.literal("rune"), address: v.string(), runeName: v.string(), raw: v.string() }),
]);
/** Something that the demo's faucet sent to an address of this wallet. Nothing else ever comes here. */
export type DevGift = v.InferOutput<typeof gift>;

export function gifts(storage: Storage = localStorage): DevGift[] {
  try {
    const kept = v.safeParse(v.array(gift), JSON.parse(storage.getItem(KEY) ?? "[]"));
    return kept.success ? kept.output : [];
  } catch {
    return [];
  }
}

export function rememberGift(given: DevGift, storage: Storage = localStorage): void {
  storage.setItem(KEY, JSON.stringify([...gifts(storage), given].slice(-GIFTS_MAX)));
}
