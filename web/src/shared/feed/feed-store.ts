import type { DataFrame } from "@client/frame.ts";
import { create } from "zustand";
import { type Book, bookChannel } from "./book-channel";
import { type ChannelState, disconnected, emptyChannel, reduceFrames } from "./channel";
import { type Halts, haltsChannel } from "./halts-channel";
import { type Market, marketChannel } from "./market-channel";
import { type Me, meChannel } from "./me-channel";
import { type Requests, requestsChannel } from "./requests-channel";

/** The state of the socket: not yet tried, open, or down and being retried. */
export type Connection = "connecting" | "open" | "down";

export interface FeedState {
  connection: Connection;
  /** Time of the server's last message, in this browser's unix milliseconds. */
  lastMessageAt: number | null;
  market: ChannelState<Market>;
  /** Books by group id; only those with readers. */
  books: Readonly<Record<string, ChannelState<Book>>>;
  me: ChannelState<Me>;
  requests: ChannelState<Requests>;
  halts: ChannelState<Halts>;
}

export type BookChannelName = `book:${string}`;
export type ChannelName = "market" | "me" | "requests" | "halts" | BookChannelName;

export function bookChannelName(groupId: string): BookChannelName {
  return `book:${groupId}`;
}

export function initialFeedState(): FeedState {
  return {
    connection: "connecting",
    lastMessageAt: null,
    market: emptyChannel(),
    books: {},
    me: emptyChannel(),
    requests: emptyChannel(),
    halts: emptyChannel(),
  };
}

export const useFeedStore = create<FeedState>(initialFeedState);

/** The state after `frames`, and the channels whose sequence broke on the way. */
export function reduceFeed(
  before: FeedState,
  frames: readonly DataFrame[],
): { state: FeedState; broken: ChannelName[] } {
  const state = { ...before };
  const broken: ChannelName[] = [];
  for (const [channel, channelFrames] of framesByChannel(frames)) {
    const groupId = groupOf(channel);
    let resubscribe = false;
    if (channel === "market") {
      ({ state: state.market, resubscribe } = reduceFrames(marketChannel, state.market, channelFrames));
    } else if (channel === "me") {
      ({ state: state.me, resubscribe } = reduceFrames(meChannel, state.me, channelFrames));
    } else if (channel === "requests") {
      ({ state: state.requests, resubscribe } = reduceFrames(requestsChannel, state.requests, channelFrames));
    } else if (channel === "halts") {
      ({ state: state.halts, resubscribe } = reduceFrames(haltsChannel, state.halts, channelFrames));
    } else if (groupId !== null) {
      const book = state.books[groupId];
      // A frame of a book without readers was in flight when the last reader left.
      if (!book) continue;
      const reduction = reduceFrames(bookChannel, book, channelFrames);
      resubscribe = reduction.resubscribe;
      state.books = { ...state.books, [groupId]: reduction.state };
    }
    if (resubscribe) broken.push(channel as ChannelName);
  }
  return { state, broken };
}

/** The state without a connection: nothing is live, and all known data stays. */
export function disconnectedFeed(before: FeedState): FeedState {
  return {
    ...before,
    market: disconnected(before.market),
    me: disconnected(before.me),
    requests: disconnected(before.requests),
    halts: disconnected(before.halts),
    books: Object.fromEntries(Object.entries(before.books).map(([id, book]) => [id, disconnected(book)])),
  };
}

/** The place after which a book can continue, if its data was live until the connection was lost. */
export function placeOf(state: FeedState, channel: ChannelName): { epoch: string; seq: number } | undefined {
  const groupId = groupOf(channel);
  const book = groupId === null ? undefined : state.books[groupId];
  return book?.resumable && book.epoch !== null ? { epoch: book.epoch, seq: book.seq } : undefined;
}

/** Whether the data of a channel follows the server without a gap. */
export function isLive(state: FeedState, channel: ChannelName): boolean {
  if (channel === "market" || channel === "me" || channel === "requests" || channel === "halts") {
    return state[channel].live;
  }
  return state.books[groupOf(channel) ?? ""]?.live ?? false;
}

/** The state with one channel replaced. */
export function withChannel(
  before: FeedState,
  channel: ChannelName,
  change: <Data>(state: ChannelState<Data>) => ChannelState<Data>,
): FeedState {
  if (channel === "market") return { ...before, market: change(before.market) };
  if (channel === "me") return { ...before, me: change(before.me) };
  if (channel === "requests") return { ...before, requests: change(before.requests) };
  if (channel === "halts") return { ...before, halts: change(before.halts) };
  const groupId = groupOf(channel);
  if (groupId === null) return before;
  return {
    ...before,
    books: { ...before.books, [groupId]: change(before.books[groupId] ?? emptyChannel<Book>()) },
  };
}

export function withoutChannel(before: FeedState, channel: ChannelName): FeedState {
  const groupId = groupOf(channel);
  if (groupId === null) return withChannel(before, channel, () => emptyChannel());
  const { [groupId]: _left, ...books } = before.books;
  return { ...before, books };
}

export function groupOf(channel: string): string | null {
  return channel.startsWith("book:") ? channel.slice("book:".length) : null;
}

function framesByChannel(frames: readonly DataFrame[]): Map<string, DataFrame[]> {
  const grouped = new Map<string, DataFrame[]>();
  for (const frame of frames) {
    const channelFrames = grouped.get(frame.channel);
    if (channelFrames) channelFrames.push(frame);
    else grouped.set(frame.channel, [frame]);
  }
  return grouped;
}
