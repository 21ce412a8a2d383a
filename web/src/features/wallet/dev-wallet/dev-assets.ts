import * as v from "valibot";
import { request } from "@/shared/api/request";
import { lenientArray, text } from "@/shared/api/wire";
import { useSession } from "@/shared/session/session-store";
import { type DevGift, gifts } from "./dev-gifts";

const pledge = v.object({
  role: v.string(),
  stage: v.string(),
  inscriptionId: v.nullable(text),
  runeName: v.nullable(text),
  fungibleAmount: v.nullable(text),
});
/** What of a loan says where its collateral is. */
export type Pledge = v.InferOutput<typeof pledge>;

/** Until the borrower has signed, and once a loan is repaid or came to nothing, the collateral is in the wallet. */
const AT_HOME = ["prepared", "repaid", "cancelled", "lapsed", "failed"];

const isAway = ({ role, stage }: Pledge) => role === "borrower" && !AT_HOME.includes(stage);

/** What the wallet's person has pledged, by the demo's server. */
export async function fetchPledges(): Promise<Pledge[]> {
  const answer = v.object({ data: lenientArray(pledge) });
  const { data } = await request("GET", "/api/v1/me/loans", answer, { query: { limit: 100 } });
  return data;
}

/** The inscriptions at an address, as `ord_getInscriptions` answers. */
export function inscriptionsAt(address: string, given: readonly DevGift[], pledges: readonly Pledge[]) {
  const away = new Set(pledges.filter(isAway).map(({ inscriptionId }) => inscriptionId));
  return given.flatMap((gift) =>
    gift.kind === "inscription" && gift.address === address && !away.has(gift.inscriptionId)
      ? [{ inscriptionId: gift.inscriptionId, collectionName: gift.collectionName, address }]
      : [],
  );
}

/** The balances of an address, as `runes_getBalance` answers: raw amounts as decimal strings. */
export function runesAt(address: string, given: readonly DevGift[], pledges: readonly Pledge[]) {
  const balances = new Map<string, bigint>();
  const add = (name: string, raw: bigint) => balances.set(name, (balances.get(name) ?? 0n) + raw);
  for (const gift of given) {
    if (gift.kind === "rune" && gift.address === address) add(gift.runeName, BigInt(gift.raw));
  }
  for (const loan of pledges) {
    if (isAway(loan) && loan.runeName && loan.fungibleAmount)
      add(loan.runeName, -BigInt(loan.fungibleAmount));
  }
  return [...balances]
    .filter(([, raw]) => raw > 0n)
    .map(([runeName, raw]) => ({ runeName, amount: raw.toString() }));
}

/** Answers for whoever is signed in at the demo. */
export async function assetsOf(kind: "inscriptions" | "runes"): Promise<unknown> {
  const address = useSession.getState().session?.addresses.ordinals.address ?? "";
  const [given, pledges] = [gifts(), await fetchPledges()];
  if (kind === "runes") return { balances: runesAt(address, given, pledges) };
  const inscriptions = inscriptionsAt(address, given, pledges);
  return { total: inscriptions.length, offset: 0, limit: inscriptions.length, inscriptions };
}
