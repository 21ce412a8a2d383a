import * as v from "valibot";
import { type BorrowRequest, borrowRequest, requestList } from "@/shared/api/borrow-request";
import { reportUnreadable } from "@/shared/api/wire";
import type { ChannelKind } from "./channel";

/** The borrow requests of all collections, by id. */
export type Requests = Map<string, BorrowRequest>;

const operation = v.variant("op", [
  v.object({ op: v.literal("request"), request: borrowRequest }),
  v.object({ op: v.literal("request_gone"), requestId: v.string() }),
]);

export const requestsChannel: ChannelKind<Requests> = {
  readSnapshot: (data) => {
    const parsed = v.safeParse(requestList, data);
    return parsed.success ? requestsOf(parsed.output.requests) : null;
  },
  copy: (requests) => new Map(requests),
  applyOp: (draft, op) => {
    const parsed = v.safeParse(operation, op);
    if (!parsed.success) {
      reportUnreadable(parsed.issues);
      return false;
    }
    if (parsed.output.op === "request") draft.set(parsed.output.request.requestId, parsed.output.request);
    else draft.delete(parsed.output.requestId);
    return true;
  },
};

export function requestsOf(list: readonly BorrowRequest[]): Requests {
  return new Map(list.map((request) => [request.requestId, request]));
}
