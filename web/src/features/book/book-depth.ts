import { bisector } from "d3-array";
import type { DepthEntry } from "./depth-entries";

/** The sums of both sides at an LTV. */
export interface DepthReading {
  /** What borrowers can get at this LTV or more. */
  offeredSats: bigint;
  /** What lenders can lend at this LTV or less. */
  requestedSats: bigint;
}

/** An LTV at which an offer or a request is open. */
export interface DepthLevel extends DepthReading {
  ltvBps: number;
  /** Whether the user has an offer or a request of exactly this LTV. */
  ownOffer: boolean;
  ownRequest: boolean;
}

/**
 * The steps of the book, lowest LTV first: offers add up from the highest LTV down, requests from the lowest
 * up.
 */
export function depthLevels(offers: readonly DepthEntry[], requests: readonly DepthEntry[]): DepthLevel[] {
  const byLtv = new Map<number, DepthLevel>();
  const levelOf = ({ ltvBps }: DepthEntry) => {
    const known = byLtv.get(ltvBps);
    if (known) return known;
    const level = { ltvBps, offeredSats: 0n, requestedSats: 0n, ownOffer: false, ownRequest: false };
    byLtv.set(ltvBps, level);
    return level;
  };
  for (const offer of offers) {
    const level = levelOf(offer);
    level.offeredSats += offer.sats;
    level.ownOffer ||= offer.own;
  }
  for (const request of requests) {
    const level = levelOf(request);
    level.requestedSats += request.sats;
    level.ownRequest ||= request.own;
  }
  const levels = [...byLtv.values()].sort((a, b) => a.ltvBps - b.ltvBps);
  let requestedSats = 0n;
  for (const level of levels) {
    requestedSats += level.requestedSats;
    level.requestedSats = requestedSats;
  }
  let offeredSats = 0n;
  for (const level of levels.toReversed()) {
    offeredSats += level.offeredSats;
    level.offeredSats = offeredSats;
  }
  return levels;
}

const byLtv = bisector<DepthLevel, number>(({ ltvBps }) => ltvBps);

/** The sums of both sides at any LTV, whether or not it is a step. */
export function depthAt(levels: readonly DepthLevel[], ltvBps: number): DepthReading {
  return {
    offeredSats: levels[byLtv.left(levels, ltvBps)]?.offeredSats ?? 0n,
    requestedSats: levels[byLtv.right(levels, ltvBps) - 1]?.requestedSats ?? 0n,
  };
}

/** The LTV that is read out at rest: that of the best offer, else of the highest request; null without any. */
export function restingLtvBps(levels: readonly DepthLevel[]): number | null {
  const best = levels.findLast(({ offeredSats }) => offeredSats > 0n);
  return (best ?? levels.at(-1))?.ltvBps ?? null;
}

/** At most `max` of the levels, evenly spaced, the lowest and the highest among them. */
export function pickedLevels(levels: readonly DepthLevel[], max: number): DepthLevel[] {
  if (levels.length <= max) return [...levels];
  const spacing = (levels.length - 1) / (max - 1);
  return Array.from({ length: max }, (_, index) => levels[Math.round(index * spacing)]).filter(
    (level) => level !== undefined,
  );
}
