import { bookOf } from "@client/book.ts";
import { useQuery } from "@tanstack/react-query";
import {
  fetchHalts,
  fetchMarket,
  fetchMyNegotiations,
  fetchMyNotices,
  fetchMyOffers,
  fetchOffersForMe,
  fetchOrderBook,
  fetchRequests,
} from "@/shared/api/market-requests";
import { polled } from "./channel";
import { feed } from "./feed";
import { bookChannelName, type ChannelName, useFeedStore, withChannel } from "./feed-store";
import { haltsOf } from "./halts-channel";
import { marketOf } from "./market-channel";
import { EMPTY_ME, groupOffersById, negotiationsById, offersById } from "./me-channel";
import { requestsOf } from "./requests-channel";

const INTERVAL_MS = 30_000;

export const FALLBACK_QUERIES = ["fallback"];

/** Polls for the visible data every thirty seconds, but only while the socket is down. */
export function usePollingFallback(userId: string | null): void {
  const down = useFeedStore((state) => state.connection === "down");
  const options = { enabled: down, refetchInterval: INTERVAL_MS, staleTime: 0, gcTime: 0 } as const;

  useQuery({
    ...options,
    queryKey: [...FALLBACK_QUERIES, "market"],
    queryFn: async ({ signal }) => {
      const market = marketOf(await fetchMarket(signal).catch((error) => refuse(["market"], error)));
      useFeedStore.setState((state) => ({ market: polled(state.market, market), lastMessageAt: Date.now() }));
      return market.size;
    },
  });

  const books = useFeedStore((state) => (down ? Object.keys(state.books).join(" ") : ""));
  useQuery({
    ...options,
    enabled: down && books !== "",
    queryKey: [...FALLBACK_QUERIES, "books", books],
    queryFn: async ({ signal }) => {
      const groupIds = feed.readBooks();
      const answers = await Promise.all(
        groupIds.map((id) =>
          fetchOrderBook(id, signal).then(bookOf, (error) => refuse([bookChannelName(id)], error)),
        ),
      );
      useFeedStore.setState((state) => {
        const known = { ...state.books };
        groupIds.forEach((id, index) => {
          const before = known[id];
          const book = answers[index];
          if (before && book) known[id] = polled(before, book);
        });
        return { books: known, lastMessageAt: Date.now() };
      });
      return groupIds.length;
    },
  });

  const readsRequests = useFeedStore((state) => state.requests.hasReaders);
  useQuery({
    ...options,
    enabled: down && readsRequests,
    queryKey: [...FALLBACK_QUERIES, "requests"],
    queryFn: async ({ signal }) => {
      const list = await fetchRequests(signal).catch((error) => refuse(["requests"], error));
      useFeedStore.setState((state) => ({
        requests: polled(state.requests, requestsOf(list)),
        lastMessageAt: Date.now(),
      }));
      return list.length;
    },
  });

  useQuery({
    ...options,
    queryKey: [...FALLBACK_QUERIES, "halts"],
    queryFn: async ({ signal }) => {
      const list = await fetchHalts(signal).catch((error) => refuse(["halts"], error));
      useFeedStore.setState((state) => ({ halts: polled(state.halts, haltsOf(list)) }));
      return list.length;
    },
  });

  useQuery({
    ...options,
    enabled: down && userId !== null,
    queryKey: [...FALLBACK_QUERIES, "me", userId],
    queryFn: async ({ signal }) => {
      const [list, forMe, negotiating, notices] = await Promise.all([
        fetchMyOffers(signal),
        fetchOffersForMe(signal),
        fetchMyNegotiations(signal),
        fetchMyNotices(signal),
      ]);
      const [offers, offersForMe] = [offersById(list), groupOffersById(forMe)];
      const negotiations = negotiationsById(negotiating);
      useFeedStore.setState(({ me }) => ({
        me: polled(me, { ...(me.data ?? EMPTY_ME), offers, offersForMe, negotiations, notices }),
        lastMessageAt: Date.now(),
      }));
      return offers.size;
    },
  });
}

/** Sets the error of channels without data; channels with data keep showing it. */
function refuse(channels: ChannelName[], error: unknown): never {
  const refusal = error instanceof Error ? error.message : "The server could not be reached";
  for (const channel of channels) {
    useFeedStore.setState((state) => withChannel(state, channel, (known) => ({ ...known, refusal })));
  }
  throw error;
}
