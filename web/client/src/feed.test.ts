import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Book, bookChecksum, rankings, readBook } from "./book.ts";
import { Feed, type Socket } from "./feed.ts";

class FakeSocket implements Socket {
  readonly sent: unknown[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: (() => void) | null = null;
  onerror: (() => void) | null = null;

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  receive(frame: unknown): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
}

const row = { id: "g_1", runeDecimals: null };
const offer = (number: number, principal: number, process = "manual") => ({
  offerId: `of_${number.toString(16)}`,
  subCollectionId: "0",
  process,
  principal_amount_sats: principal,
  available_sats: principal,
  fungible_amount: null,
  state: "live",
});
const snapshot = (seq: number, offers: unknown[] = []) => ({
  type: "snapshot",
  channel: "book:g_1",
  epoch: "e",
  seq,
  data: { row, offers, loans: [] },
});
const delta = (prev: number, seq: number, ops: unknown[] = [], crc?: number) => ({
  type: "delta",
  channel: "book:g_1",
  epoch: "e",
  prev,
  seq,
  ops,
  crc,
});
const subscription = { op: "subscribe", channel: "book:g_1" };

describe("the feed", () => {
  let sockets: FakeSocket[];
  let events: string[];
  let feed: Feed;
  const last = () => sockets.at(-1) ?? expect.fail("no socket");

  beforeEach(() => {
    vi.useFakeTimers();
    [sockets, events] = [[], []];
    feed = new Feed({
      url: "http://127.0.0.1:1",
      books: ["g_1"],
      onChange: (_, book) => events.push(`${[...book.offers.keys()]}`),
      onStale: (_, reason) => events.push(reason),
      open: (url) => {
        expect(url).toBe("ws://127.0.0.1:1/api/v1/feed");
        sockets.push(new FakeSocket());
        return last();
      },
      random: () => 0,
    });
    last().onopen?.();
  });

  afterEach(() => {
    feed.close();
    vi.useRealTimers();
  });

  it("applies deltas in sequence to the snapshot", () => {
    expect(last().sent).toEqual([subscription]);
    expect(feed.book("g_1")).toBeNull();
    last().receive(snapshot(5, [offer(1, 400)]));
    last().receive(delta(5, 7, [{ op: "offer", offer: offer(2, 500) }]));
    last().receive(delta(5, 7, [{ op: "offer_gone", offerId: "of_2" }]));
    last().receive(
      delta(7, 8, [
        { op: "offer_gone", offerId: "of_1" },
        { op: "row", row: { ...row, floor: 9 } },
      ]),
    );
    expect(events).toEqual(["of_1", "of_1,of_2", "of_2"]);
    expect(feed.book("g_1")?.row.floor).toBe(9);
  });

  it.each([
    ["a gap", delta(6, 7)],
    ["another epoch", { ...delta(5, 6), epoch: "f" }],
    ["a wrong checksum", delta(5, 6, [], 1)],
    ["an unknown operation", delta(5, 6, [{ op: "news" }])],
    ["an unreadable offer", delta(5, 6, [{ op: "offer", offer: { ...offer(1, 1), offerId: "x" } }])],
    ["a refusal", { type: "error", code: "busy", channel: "book:g_1" }],
  ])("subscribes again after %s", (_, frame) => {
    last().receive(snapshot(5));
    last().receive(frame);
    expect(events).toHaveLength(2);
    expect(feed.book("g_1")).toBeNull();
    last().receive(delta(5, 6));
    expect(events).toHaveLength(2);
    vi.advanceTimersByTime(125);
    expect(last().sent).toEqual([subscription, subscription]);
    last().receive(snapshot(9, [offer(1, 1)]));
    expect(feed.book("g_1")?.offers.size).toBe(1);
  });

  it("continues where it was after a lost connection", () => {
    last().receive(snapshot(5, [offer(1, 400)]));
    last().onclose?.();
    expect([feed.book("g_1"), events.at(-1)]).toEqual([null, "the connection was lost"]);
    vi.advanceTimersByTime(125);
    expect(sockets).toHaveLength(2);
    last().onopen?.();
    expect(last().sent).toEqual([{ ...subscription, after: { epoch: "e", seq: 5 } }]);
    const book = readBook({ row, offers: [offer(1, 400), offer(2, 1)], loans: [] });
    last().receive(delta(5, 9, [{ op: "offer", offer: offer(2, 1) }], bookChecksum(book)));
    expect(feed.book("g_1")?.offers.size).toBe(2);
  });

  it("asks again for a snapshot that does not come, and reconnects when the server is silent", () => {
    vi.advanceTimersByTime(10_000);
    expect(last().sent).toEqual([subscription, subscription]);
    last().receive(snapshot(5));
    vi.advanceTimersByTime(20_000);
    expect(last().sent.at(-1)).toEqual({ op: "ping" });
    vi.advanceTimersByTime(45_000);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(events.at(-1)).toBe("the server is silent");
    expect(sockets.length).toBeGreaterThan(1);
  });

  it("ends for good when it is closed", () => {
    feed.close();
    vi.advanceTimersByTime(120_000);
    expect([sockets.length, last().isClosed]).toEqual([1, true]);
  });
});

describe("a book", () => {
  it("ranks by sats per unit and then by age, manual before instant", () => {
    const offers = [
      offer(17, 400),
      offer(16, 400),
      offer(2, 500),
      offer(1, 900, "instant"),
      { ...offer(3, 999), state: "reserved" },
    ];
    const book: Book = readBook({ row, offers, loans: [] });
    const ids = rankings(book).map((ranking) => ranking.offers.map(({ offerId }) => offerId));
    expect(ids).toEqual([["of_2", "of_10", "of_11"], ["of_1"]]);
  });

  it("is not read from anything else", () => {
    for (const data of [null, 1, {}, { row, offers: 1, loans: [] }, { row: {}, offers: [], loans: [] }]) {
      expect(() => readBook(data)).toThrow();
    }
  });
});
