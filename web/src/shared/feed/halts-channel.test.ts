import type { DataFrame } from "@client/frame.ts";
import { expect, test } from "vitest";
import { emptyChannel, reduceFrames } from "./channel";
import { haltsChannel } from "./halts-channel";

const HALT = { scope: "new_loans", since: 1_800_000_000_000, reason: "indexers disagree" };
const begin = { channel: "halts", epoch: "e" };

test("a halt appears, changes its reason and ends", () => {
  const snapshot: DataFrame = { ...begin, type: "snapshot", seq: 0, data: { halts: [] } };
  const step = (seq: number, op: object): DataFrame => ({
    ...begin,
    type: "delta",
    prev: seq - 1,
    seq,
    ops: [op],
  });
  let { state } = reduceFrames(haltsChannel, emptyChannel(), [snapshot, step(1, { op: "halt", halt: HALT })]);
  expect(state.data?.get("new_loans")).toEqual(HALT);
  const renamed = { ...HALT, reason: "a deep reorg" };
  ({ state } = reduceFrames(haltsChannel, state, [step(2, { op: "halt", halt: renamed })]));
  expect(state.data?.get("new_loans")?.reason).toBe("a deep reorg");
  ({ state } = reduceFrames(haltsChannel, state, [step(3, { op: "halt_gone", scope: "new_loans" })]));
  expect([state.live, state.data?.size]).toEqual([true, 0]);
});

test("an operation that cannot be read asks for a snapshot", () => {
  const snapshot: DataFrame = { ...begin, type: "snapshot", seq: 0, data: { halts: [HALT] } };
  const odd: DataFrame = { ...begin, type: "delta", prev: 0, seq: 1, ops: [{ op: "halt", halt: {} }] };
  const { state, resubscribe } = reduceFrames(haltsChannel, emptyChannel(), [snapshot, odd]);
  expect([state.live, resubscribe]).toEqual([false, true]);
});
