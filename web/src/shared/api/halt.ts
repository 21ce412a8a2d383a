import * as v from "valibot";
import { lenientArray, text, timeMs } from "./wire";

export const halt = v.object({
  /** `new_loans`, or a part that this version does not know. */
  scope: text,
  since: timeMs,
  reason: text,
});
/** A part of the market that its operator has halted. */
export type Halt = v.InferOutput<typeof halt>;

export const haltList = v.object({ halts: lenientArray(halt) });
