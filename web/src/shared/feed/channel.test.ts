import type { DataFrame } from "@client/frame.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Book, bookChannel, bookChecksum } from "./book-channel";
import { type ChannelState, emptyChannel, polled, reduceFrames, stale } from "./channel";
import { wireOffer, wireRow } from "./feed-fixtures";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const CHANNEL = "book:g_1";

function snapshot(seq: number, offers: unknown[] = [], epoch = "a"): DataFrame {
  return { type: "snapshot", channel: CHANNEL, epoch, seq, data: { row: wireRow(), offers, loans: [] } };
}

function delta(prev: number, seq: number, ops: unknown[], epoch = "a", crc?: number): DataFrame {
  return { type: "delta", channel: CHANNEL, epoch, prev, seq, ops, crc };
}

function reduce(frames: DataFrame[], before: ChannelState<Book> = emptyChannel()) {
  return reduceFrames(bookChannel, before, frames);
}

const put = (number: number, overrides = {}) => ({ op: "offer", offer: wireOffer(number, overrides) });
const idOf = (number: number) => wireOffer(number).offerId;

describe("a channel", () => {
  it("waits for its snapshot and ignores deltas until then", () => {
    const { state, resubscribe } = reduce([delta(1, 2, [put(1)])]);
    expect(state.data).toBeNull();
    expect(resubscribe).toBe(false);
  });

  it("applies deltas that join without a gap", () => {
    const { state, resubscribe } = reduce([
      snapshot(5, [wireOffer(1)]),
      delta(5, 7, [put(2)]),
      delta(7, 8, [put(3)]),
    ]);
    expect(state.live).toBe(true);
    expect(state.seq).toBe(8);
    expect(state.data?.offers.size).toBe(3);
    expect(resubscribe).toBe(false);
  });

  it("ignores a frame that it has already applied", () => {
    const frames = [snapshot(5), delta(5, 6, [put(1)]), delta(5, 6, [put(1)])];
    const { state, resubscribe } = reduce(frames);
    expect(state.live).toBe(true);
    expect(state.seq).toBe(6);
    expect(resubscribe).toBe(false);
  });

  it("resubscribes after a gap and keeps its data meanwhile", () => {
    const { state, resubscribe } = reduce([snapshot(5, [wireOffer(1)]), delta(6, 7, [put(2)])]);
    expect(state.live).toBe(false);
    expect(state.data?.offers.size).toBe(1);
    expect(resubscribe).toBe(true);
  });

  it("resubscribes when the epoch changed, even if the sequence fits", () => {
    const { state, resubscribe } = reduce([snapshot(5), delta(5, 6, [put(1)], "b")]);
    expect(state.live).toBe(false);
    expect(resubscribe).toBe(true);
  });

  it("is live again with the next snapshot, also within the same paint", () => {
    const { state, resubscribe } = reduce([snapshot(5), delta(7, 8, [put(1)]), snapshot(8, [wireOffer(1)])]);
    expect(state.live).toBe(true);
    expect(state.data?.offers.size).toBe(1);
    expect(resubscribe).toBe(false);
  });

  it("resubscribes when an operation cannot be read", () => {
    for (const op of [
      null,
      7,
      {},
      { op: "offer" },
      { op: "unheard_of" },
      put(1, { principal_amount_sats: -1 }),
    ]) {
      const { state, resubscribe } = reduce([snapshot(5), delta(5, 6, [op])]);
      expect(state.live).toBe(false);
      expect(resubscribe).toBe(true);
    }
  });

  it("keeps its data when a snapshot cannot be read", () => {
    const first = reduce([snapshot(5, [wireOffer(1)])]).state;
    const broken: DataFrame = { type: "snapshot", channel: CHANNEL, epoch: "a", seq: 6, data: { row: 1 } };
    const { state, resubscribe } = reduce([broken], first);
    expect(state.data?.offers.size).toBe(1);
    expect(state.live).toBe(false);
    expect(resubscribe).toBe(true);
  });

  it("checks the checksum when there is one", () => {
    const first = reduce([snapshot(5)]).state;
    const isValid = reduce([delta(5, 6, [put(1)])], first).state.data;
    if (!isValid) throw new Error("no data");
    const crc = bookChecksum(isValid);
    expect(reduce([delta(5, 6, [put(1)], "a", crc)], first).resubscribe).toBe(false);
    expect(reduce([delta(5, 6, [put(1)], "a", crc ^ 1)], first).resubscribe).toBe(true);
  });

  it("never mutates the state it was given", () => {
    const first = reduce([snapshot(5, [wireOffer(1)])]).state;
    reduce([delta(5, 6, [put(2), { op: "offer_gone", offerId: idOf(1) }])], first);
    expect([...(first.data?.offers.keys() ?? [])]).toEqual([idOf(1)]);
    expect(first.seq).toBe(5);
  });

  it("prefers socket data to polled data", () => {
    const live = reduce([snapshot(5, [wireOffer(1)])]).state;
    const other = reduce([snapshot(9, [])]).state.data;
    if (!other) throw new Error("no data");
    expect(polled(live, other).data).toBe(live.data);
    expect(polled(stale(live), other).data).toBe(other);
  });
});

describe("any loss and duplication of frames", () => {
  const step = fc.record({
    kind: fc.constantFrom("put", "gone", "reserve"),
    number: fc.integer({ min: 1, max: 12 }),
    principal: fc.integer({ min: 1, max: 5_000_000 }),
    fate: fc.constantFrom("arrives", "arrives", "arrives", "arrives", "is lost", "comes twice", "comes late"),
    checked: fc.boolean(),
  });

  it("ends with the server's own book, or with a resubscription", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 9 }), (steps, perPaint) => {
        // The server's side: the true state, and the frames that describe it.
        let serverState = reduce([snapshot(0)]).state;
        const received: DataFrame[] = [snapshot(0)];
        let late: DataFrame | null = null;
        steps.forEach((change, index) => {
          const op =
            change.kind === "gone"
              ? { op: "offer_gone", offerId: idOf(change.number) }
              : put(change.number, {
                  principal_amount_sats: change.principal,
                  state: change.kind === "reserve" ? "reserved" : "live",
                });
          const plain = delta(index, index + 1, [op]);
          serverState = reduce([plain], serverState).state;
          if (!serverState.data) throw new Error("the server has no book");
          const frame = change.checked ? { ...plain, crc: bookChecksum(serverState.data) } : plain;
          if (change.fate !== "is lost" && change.fate !== "comes late") received.push(frame as DataFrame);
          if (change.fate === "comes twice") received.push(frame as DataFrame);
          if (late) received.push(late);
          late = change.fate === "comes late" ? (frame as DataFrame) : null;
        });

        // The client's side: some frames per paint, and a fresh snapshot when it requested one at the end.
        let state: ChannelState<Book> = emptyChannel();
        let resubscribe = false;
        for (let at = 0; at < received.length; at += perPaint) {
          const reduction = reduce(received.slice(at, at + perPaint), state);
          state = reduction.state;
          resubscribe ||= reduction.resubscribe;
        }
        const complete = state.live && state.seq === steps.length;
        if (complete) {
          expect(resubscribe).toBe(false);
          expect(state.data).toEqual(serverState.data);
        } else {
          // The last frames may have been lost without a later frame to reveal it; the next one must.
          const next = reduce([delta(steps.length, steps.length + 1, [])], state);
          expect(resubscribe || next.resubscribe).toBe(true);
          expect(next.state.live).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
  });
});
