import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FeedClient } from "./feed-client";
import { wireOffer, wireRow } from "./feed-fixtures";
import { type FeedState, initialFeedState } from "./feed-store";
import { refreshLists } from "./refresh-lists";

function stage() {
  let state: FeedState = initialFeedState();
  let commits = 0;
  const paints: Array<() => void> = [];
  const sent: Array<Record<string, unknown>> = [];
  let tickets = 0;
  const client = new FeedClient({
    getState: () => state,
    setState: (change) => {
      state = change(state);
      commits += 1;
    },
    onNextFrame: (callback) => paints.push(callback),
    fetchTicket: async () => `ticket-${++tickets}`,
    now: Date.now,
  });
  return {
    client,
    sent,
    state: () => state,
    commits: () => commits,
    open: () => client.opened((frame) => sent.push(frame as Record<string, unknown>)),
    say: (frame: object) => client.received(JSON.stringify(frame)),
    paint: () => {
      for (const callback of paints.splice(0)) callback();
    },
  };
}

const book = (seq: number) => ({
  type: "snapshot",
  channel: "book:g_1",
  epoch: "a",
  seq,
  data: { row: wireRow(), offers: [], loans: [] },
});
const delta = (prev: number, seq: number) => ({
  type: "delta",
  channel: "book:g_1",
  epoch: "a",
  prev,
  seq,
  ops: [{ op: "offer", offer: wireOffer(seq) }],
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the feed", () => {
  it("subscribes to channels with readers, once the socket is open and again after a reconnect", () => {
    const s = stage();
    s.client.read("market");
    expect(s.sent).toEqual([]);
    s.open();
    s.client.read("book:g_1");
    expect(s.sent.map((frame) => frame.channel)).toEqual(["market", "book:g_1"]);
    s.client.closed();
    expect(s.state().connection).toBe("down");
    s.open();
    expect(s.sent.slice(2).map((frame) => frame.channel)).toEqual(["market", "book:g_1"]);
  });

  it("commits once per paint, however many deltas arrived", () => {
    const s = stage();
    s.client.read("book:g_1");
    s.open();
    s.say(book(0));
    s.paint();
    const before = s.commits();
    for (let seq = 1; seq <= 200; seq += 1) s.say(delta(seq - 1, seq));
    expect(s.commits()).toBe(before);
    s.paint();
    expect(s.commits()).toBe(before + 1);
    expect(s.state().books.g_1?.data?.offers.size).toBe(200);
  });

  it("bounds the pending frames when nothing is painted", () => {
    const s = stage();
    s.client.read("book:g_1");
    s.open();
    s.say(book(0));
    for (let seq = 1; seq <= 2_000; seq += 1) s.say(delta(seq - 1, seq));
    expect(s.state().books.g_1?.seq).toBeGreaterThan(1_500);
  });

  it("continues a book after its last frame when the connection comes back", () => {
    const s = stage();
    s.client.read("book:g_1");
    s.open();
    s.say(book(5));
    s.say(delta(5, 6));
    s.paint();
    s.client.closed();
    expect(s.state().books.g_1?.live).toBe(false);
    s.open();
    expect(s.sent.at(-1)).toEqual({ op: "subscribe", channel: "book:g_1", after: { epoch: "a", seq: 6 } });
    s.say({ ...delta(6, 9), ops: [{ op: "offer", offer: wireOffer(9) }] });
    s.paint();
    expect(s.state().books.g_1).toMatchObject({ live: true, seq: 9 });
    expect(s.state().books.g_1?.data?.offers.size).toBe(2);
    vi.advanceTimersByTime(60_000);
    expect(s.sent.filter((frame) => frame.op === "subscribe")).toHaveLength(2);
  });

  it("begins a book anew when what follows does not fit, or its checksum is wrong", () => {
    for (const wrong of [delta(7, 8), { ...delta(6, 8), epoch: "b" }, { ...delta(6, 8), crc: 1 }]) {
      const s = stage();
      s.client.read("book:g_1");
      s.open();
      s.say(book(6));
      s.paint();
      s.client.closed();
      s.open();
      s.say(wrong);
      s.paint();
      expect(s.state().books.g_1?.live).toBe(false);
      vi.advanceTimersByTime(1_000);
      expect(s.sent.at(-1)).toEqual({ op: "subscribe", channel: "book:g_1" });
      s.say(book(9));
      s.paint();
      expect(s.state().books.g_1).toMatchObject({ live: true, seq: 9 });
    }
  });

  it("resubscribes after a gap, with back-off while it keeps failing", () => {
    const s = stage();
    s.client.read("book:g_1");
    s.open();
    const waits: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      s.say(book(10));
      s.say(delta(12, 13));
      s.paint();
      const count = s.sent.length;
      let waited = 0;
      while (s.sent.length === count && waited < 60_000) {
        vi.advanceTimersByTime(50);
        waited += 50;
      }
      waits.push(waited);
    }
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
  });

  it("resubscribes to every channel when all lists are refreshed", async () => {
    const s = stage();
    s.client.read("market");
    s.client.read("book:g_1");
    s.open();
    s.say(book(0));
    s.paint();
    const queries = new QueryClient();
    queries.setQueryData(["loans"], ["as it was"]);
    await refreshLists(s.client, queries);
    expect(s.sent.slice(2).map((frame) => frame.channel)).toEqual(["market", "book:g_1"]);
    expect(s.state().books.g_1?.data).not.toBeNull();
    expect(queries.getQueryState(["loans"])?.isInvalidated).toBe(true);
  });

  it("resubscribes when no snapshot arrives", () => {
    const s = stage();
    s.client.read("market");
    s.open();
    vi.advanceTimersByTime(10_000);
    expect(s.sent).toHaveLength(2);
  });

  it("fetches a new ticket for every subscription to the private channel", async () => {
    const s = stage();
    s.open();
    s.client.read("me");
    await vi.advanceTimersByTimeAsync(0);
    expect(s.sent).toEqual([{ op: "subscribe", channel: "me", ticket: "ticket-1" }]);
    s.say({ type: "error", code: "bad_ticket", detail: "used", channel: "me" });
    await vi.advanceTimersByTimeAsync(300);
    expect(s.sent.at(-1)).toEqual({ op: "subscribe", channel: "me", ticket: "ticket-2" });
  });

  it("clears the private channel at once when the user signs out", async () => {
    const s = stage();
    s.open();
    s.client.read("me");
    await vi.advanceTimersByTimeAsync(0);
    s.say({
      type: "snapshot",
      channel: "me",
      epoch: "a",
      seq: 1,
      data: { offers: [], offersForMe: [], negotiations: [], vault: null, loans: [], notices: [] },
    });
    s.paint();
    expect(s.state().me.live).toBe(true);
    s.client.dropMe();
    expect(s.state().me.data).toBeNull();
    expect(s.sent.at(-1)).toEqual({ op: "unsubscribe", channel: "me" });
  });

  it("unsubscribes only after a delay without readers", () => {
    const s = stage();
    s.open();
    const first = s.client.read("book:g_1");
    const second = s.client.read("book:g_1");
    first();
    first();
    vi.advanceTimersByTime(5_000);
    expect(s.state().books.g_1).toBeDefined();
    second();
    const third = s.client.read("book:g_1");
    vi.advanceTimersByTime(5_000);
    expect(s.state().books.g_1).toBeDefined();
    third();
    vi.advanceTimersByTime(5_000);
    expect(s.state().books.g_1).toBeUndefined();
    expect(
      s.sent.filter((frame) => frame.op === "subscribe" && frame.channel === "book:g_1").length,
    ).toBeLessThan(3);
  });

  it("keeps the last data on screen while the socket is down", () => {
    const s = stage();
    s.client.read("book:g_1");
    s.open();
    s.say(book(0));
    s.say(delta(0, 1));
    s.client.closed();
    expect(s.state().books.g_1?.live).toBe(false);
    expect(s.state().books.g_1?.data?.offers.size).toBe(1);
  });
});
