import { create } from "zustand";
import type { MyOffer } from "@/shared/api/my-offer";
import { useFeedStore } from "@/shared/feed/feed-store";
import type { HistoryPoint } from "@/shared/ui/history-shape";

/** The ranks of each offer, from the first observed one. A point is a change. */
export type RankHistory = ReadonlyMap<string, readonly HistoryPoint[]>;

/** Limit per offer; the oldest points are dropped first. */
const POINTS_MAX = 300;

/**
 * The history with the current ranks. It is the same object when nothing changed; offers that are gone are
 * dropped.
 */
export function withRanks(before: RankHistory, offers: Iterable<MyOffer>, nowMs: number): RankHistory {
  const after = new Map<string, readonly HistoryPoint[]>();
  let moved = false;
  for (const { offerId, offerRanking } of offers) {
    const known = before.get(offerId) ?? [];
    const last = known.at(-1);
    if (last && last.value === offerRanking) {
      after.set(offerId, known);
      continue;
    }
    moved = true;
    after.set(offerId, [...known, { atMs: nowMs, value: offerRanking }].slice(-POINTS_MAX));
  }
  return moved || after.size !== before.size ? after : before;
}

const useRanks = create<{ ranks: RankHistory }>(() => ({ ranks: new Map() }));

let isWatching = false;

/** Records ranks from the first call on, as long as the app is open. The server stores none. */
export function watchRanks(): void {
  if (isWatching) return;
  isWatching = true;
  let seen: unknown = null;
  const record = ({ me }: ReturnType<typeof useFeedStore.getState>) => {
    // Ranks that are not live may be outdated.
    if (!me.live || me.data?.offers === seen) return;
    seen = me.data?.offers;
    const offers = me.data?.offers.values() ?? [];
    useRanks.setState(({ ranks }) => ({ ranks: withRanks(ranks, offers, Date.now()) }));
  };
  record(useFeedStore.getState());
  useFeedStore.subscribe(record);
}

const NONE: readonly HistoryPoint[] = [];

/** The observed ranks of an offer. */
export function useRankHistory(offerId: string): readonly HistoryPoint[] {
  return useRanks(({ ranks }) => ranks.get(offerId) ?? NONE);
}
