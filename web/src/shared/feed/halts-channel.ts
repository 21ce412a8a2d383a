import * as v from "valibot";
import { type Halt, halt, haltList } from "@/shared/api/halt";
import { reportUnreadable } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** The halts in effect, by scope. */
export type Halts = Map<string, Halt>;

const operation = v.variant("op", [
  v.object({ op: v.literal("halt"), halt }),
  v.object({ op: v.literal("halt_gone"), scope: v.string() }),
]);

export const haltsChannel: ChannelKind<Halts> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(haltList, data);
    return parsed.success ? haltsOf(parsed.output.halts) : null;
  },
  copy: (halts) => new Map(halts),
  applyOp: (draft, op) => {
    const parsed = v.safeParse(operation, op);
    if (!parsed.success) {
      reportUnreadable(parsed.issues);
      return false;
    }
    if (parsed.output.op === "halt") draft.set(parsed.output.halt.scope, parsed.output.halt);
    else draft.delete(parsed.output.scope);
    return true;
  },
};

export function haltsOf(list: readonly Halt[]): Halts {
  return new Map(list.map((each) => [each.scope, each]));
}
