import type { TestedOffer } from "@/shared/api/backtest";
import type { ProcessType } from "@/shared/api/collection";
import { type LendDraft, ltvOf, principalOf } from "./lend-draft";
import { shareBps } from "./peg-draft";

/** The draft as an offer to test; null while it has no amount. An offer in parts is tested by its LTV. */
export function testedOffer(draft: LendDraft, process: ProcessType, isInParts: boolean): TestedOffer | null {
  const principalSats = principalOf(draft);
  if (principalSats === 0n) return null;
  const { target, peg } = draft;
  const share = peg === null ? null : shareBps(peg);
  const ltvBps = share ?? (isInParts ? ltvOf(target, principalSats) : null);
  if (isInParts && ltvBps === null) return null;
  return {
    subCollectionId: target.subCollectionId,
    process,
    terms: ltvBps === null ? { principalSats } : { ltvBps: Math.round(ltvBps) },
    budgetSats: principalSats * BigInt(draft.count),
  };
}
