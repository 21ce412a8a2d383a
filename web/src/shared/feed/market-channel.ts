import * as v from "valibot";
import { type Collection, collection } from "@/shared/api/collection";
import { lenientArray, reportUnreadable } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** Every group of the market by its id. */
export type Market = Map<string, Collection>;

const snapshot = v.object({ rows: lenientArray(collection) });
const operation = v.object({ op: v.literal("row"), row: collection });

export const marketChannel: ChannelKind<Market> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(snapshot, data);
    return parsed.success ? marketOf(parsed.output.rows) : null;
  },
  copy: (market) => new Map(market),
  applyOp: (draft, op) => {
    const parsed = v.safeParse(operation, op);
    if (!parsed.success) {
      reportUnreadable(parsed.issues);
      return false;
    }
    draft.set(parsed.output.row.id, parsed.output.row);
    return true;
  },
};

export function marketOf(rows: readonly Collection[]): Market {
  return new Map(rows.map((row) => [row.id, row]));
}
