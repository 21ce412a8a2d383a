import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { useSession } from "@/shared/session/session-store";
import type { Book } from "./book-channel";
import { type ChannelState, emptyChannel } from "./channel";
import { feed } from "./feed";
import { bookChannelName, type ChannelName, type FeedState, useFeedStore } from "./feed-store";
import type { Halts } from "./halts-channel";
import type { Market } from "./market-channel";
import type { Me } from "./me-channel";
import { useOpenedOffers } from "./opened-offers";
import { withOwnOffers } from "./own-book";
import type { OfferOrigins } from "./pledged-offer";
import type { Requests } from "./requests-channel";
import { useTakeableOffers } from "./takeable-offers";
import type { Taker } from "./taker";
import { FALLBACK_QUERIES } from "./use-polling-fallback";

const NO_BOOK: ChannelState<Book> = emptyChannel();
const NO_HALTS: Halts = new Map();

/** The market, live while the component is mounted. */
export function useMarket(): ChannelState<Market> {
  useEffect(() => feed.read("market"), []);
  return useFeedStore((state) => state.market);
}

/** One group's order book with the offers that only this user sees, live while the component is mounted. */
export function useBook(groupId: string): ChannelState<Book> {
  useEffect(() => feed.read(bookChannelName(groupId)), [groupId]);
  const book = useFeedStore((state) => state.books[groupId] ?? NO_BOOK);
  const forMe = useFeedStore((state) => state.me.data?.offersForMe);
  const opened = useOpenedOffers((state) => state.offers);
  const origins = useOfferOrigins(groupId, forMe);
  return useMemo(() => {
    if (book.data === null) return book;
    const own = [...(forMe?.values() ?? []), ...opened.values()];
    return { ...book, data: withOwnOffers(book.data, own, origins) };
  }, [book, forMe, opened, origins]);
}

/** Where the offers for the user in a group came from; the requests are read only where one was filled. */
function useOfferOrigins(groupId: string, forMe: Me["offersForMe"] | undefined): OfferOrigins {
  const isFilling = [...(forMe?.values() ?? [])].some(
    (each) => each.groupId === groupId && each.requestId !== null,
  );
  useEffect(() => (isFilling ? feed.read("requests") : undefined), [isFilling]);
  const requests = useFeedStore((state) => (isFilling ? state.requests.data : null));
  const negotiations = useFeedStore((state) => state.me.data?.negotiations);
  return useMemo(
    () => ({ requests, negotiations: [...(negotiations?.values() ?? [])] }),
    [requests, negotiations],
  );
}

/** The borrow requests of all collections, live while the component is mounted. */
export function useRequests(): ChannelState<Requests> {
  useEffect(() => feed.read("requests"), []);
  return useFeedStore((state) => state.requests);
}

/** The halts in effect, as far as they are known; live while the component is mounted. */
export function useHalts(): Halts {
  useEffect(() => feed.read("halts"), []);
  return useFeedStore((state) => state.halts.data ?? NO_HALTS);
}

/** Own offers, vault and notices; empty while signed out. */
export function useMe(): ChannelState<Me> {
  return useFeedStore((state) => state.me);
}

/** The signed-in user as a borrower; null while signed out, or before the user's offers are known. */
export function useTaker(): Taker | null {
  const userId = useSession((state) => state.session?.userId ?? null);
  const offers = useFeedStore((state) => state.me.data?.offers);
  const offersForMe = useFeedStore((state) => state.me.data?.offersForMe);
  const takeable = useTakeableOffers();
  return useMemo(
    () => (userId !== null && offers && offersForMe ? { userId, offers, offersForMe, takeable } : null),
    [userId, offers, offersForMe, takeable],
  );
}

/** Returns a function that requests a channel again at once, by socket or by polling. */
export function useRetry(channel: ChannelName): () => void {
  const queries = useQueryClient();
  return useCallback(() => {
    feed.retry(channel);
    void queries.invalidateQueries({ queryKey: FALLBACK_QUERIES });
  }, [channel, queries]);
}

export type FeedStatus = "live" | "catching up" | "offline";

/** The status that the dot in the header shows. */
export function feedStatus(state: FeedState): FeedStatus {
  if (state.connection === "down") return "offline";
  if (state.connection === "connecting") return "catching up";
  const channels = [state.market, state.me, state.requests, ...Object.values(state.books)];
  return channels.some((channel) => channel.hasReaders && !channel.live) ? "catching up" : "live";
}

export function useFeedStatus(): FeedStatus {
  return useFeedStore(feedStatus);
}
