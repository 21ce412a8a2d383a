import type { BorrowRequest } from "@/shared/api/borrow-request";
import { type Category, categoryOf } from "@/shared/api/collection";
import type { Market } from "@/shared/feed/market-channel";
import { byLadder } from "@/shared/requests/request-ladder";
import type { RequestLine } from "./request-list";

/** Which requests are shown. */
export interface RequestsFilter {
  category: Category | "all";
  /** The name of a collection, or a part of it. */
  q: string;
}

/** The requests of others that can be filled now, in the order of the ladder, and the user's own. */
export function requestLines(
  requests: Iterable<BorrowRequest>,
  market: Market,
  userId: string | null,
  { category, q }: RequestsFilter,
  nowMs: number,
): { open: RequestLine[]; own: RequestLine[] } {
  const known: RequestLine[] = [];
  for (const asked of requests) {
    const row = market.get(asked.groupId);
    if (row && asked.goodUntil > nowMs) known.push({ asked, row });
  }
  const order = byLadder(({ groupId }) => market.get(groupId));
  known.sort((one, other) => order(one.asked, other.asked));
  const wanted = q.trim().toLowerCase();
  const isShown = ({ row }: RequestLine) =>
    (category === "all" || categoryOf(row.collateralType) === category) &&
    row.collectionName.toLowerCase().includes(wanted);
  const isOwn = ({ asked }: RequestLine) => asked.borrowerId === userId;
  return {
    open: known.filter((line) => line.asked.state === "open" && !isOwn(line) && isShown(line)),
    own: known.filter(isOwn),
  };
}
