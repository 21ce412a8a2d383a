import type { DataFrame } from "@client/frame.ts";
import * as v from "valibot";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { negotiation, negotiationList } from "@/shared/api/negotiation";
import { type ChannelState, emptyChannel, reduceFrames } from "./channel";
import { wireNegotiation, wireProposal } from "./feed-fixtures";
import { type Me, meChannel } from "./me-channel";

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

function snapshot(negotiations: unknown[]): DataFrame {
  const data = { offers: [], offersForMe: [], negotiations, vault: null, loans: [], notices: [] };
  return { type: "snapshot", channel: "me", epoch: "a", seq: 1, data };
}

function delta(prev: number, ops: unknown[]): DataFrame {
  return { type: "delta", channel: "me", epoch: "a", prev, seq: prev + 1, ops };
}

function reduce(frames: DataFrame[], before: ChannelState<Me> = emptyChannel()) {
  return reduceFrames(meChannel, before, frames);
}

const put = (overrides = {}) => ({ op: "negotiation", negotiation: wireNegotiation(overrides) });
const ids = (state: ChannelState<Me>) => [...(state.data?.negotiations.keys() ?? [])];

describe("the negotiations of the private channel", () => {
  it("arrive with the snapshot, are replaced and removed", () => {
    const first = reduce([snapshot([wireNegotiation()])]).state;
    expect(ids(first)).toEqual(["ng_1"]);
    const answered = { proposals: [wireProposal(), wireProposal({ by: "lender" })], isYourTurn: true };
    const second = reduce([delta(1, [put(answered), put({ negotiationId: "ng_2" })])], first).state;
    expect(ids(second)).toEqual(["ng_1", "ng_2"]);
    expect(second.data?.negotiations.get("ng_1")?.proposals).toHaveLength(2);
    const third = reduce([delta(2, [{ op: "negotiation_gone", negotiationId: "ng_1" }])], second).state;
    expect(ids(third)).toEqual(["ng_2"]);
  });

  it("are a new map after each change, so that screens see it, and the old one stays as it was", () => {
    const { state } = reduce([snapshot([wireNegotiation()])]);
    const before = state.data?.negotiations;
    const after = reduce([delta(1, [put({ state: "declined" })])], state).state.data?.negotiations;
    expect(after).not.toBe(before);
    expect(before?.get("ng_1")?.state).toBe("open");
  });

  it("that cannot be read end the live state", () => {
    const { state } = reduce([snapshot([])]);
    const { state: broken, resubscribe } = reduce([delta(1, [put({ state: "paused" })])], state);
    expect([broken.live, resubscribe]).toEqual([false, true]);
  });
});

describe("a negotiation", () => {
  it("is read with exact amounts, and its interest in basis points", () => {
    const read = v.parse(
      negotiation,
      wireNegotiation({
        inscriptionId: null,
        inscriptionIds: [],
        fungibleAmount: "12345678901234567890123",
        proposals: [
          wireProposal({ principalAmountSats: 2_100_000_000_000_000, interestRatePercentage: 0.29 }),
        ],
      }),
    );
    expect(read.fungibleAmount).toBe(12_345_678_901_234_567_890_123n);
    expect(read.proposals).toEqual([
      {
        by: "borrower",
        principalSats: 2_100_000_000_000_000n,
        interestBps: 29,
        termDays: 21,
        goodUntil: 1_700_000_600_000,
      },
    ]);
  });

  it("that cannot be read is left out of the list", () => {
    const half = { ...wireNegotiation(), proposals: [{ ...wireProposal(), by: "someone" }] };
    const read = v.parse(negotiationList, { negotiations: [half, wireNegotiation()] });
    expect(read.negotiations).toHaveLength(1);
  });
});
