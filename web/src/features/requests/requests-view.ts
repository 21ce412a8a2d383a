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

/** The requests of others that can be filled now and are shown, in the order of the ladder. */
export function openLines(
  requests: Iterable<BorrowRequest>,
  market: Market,
  userId: string | null,
  { category, q }: RequestsFilter,
  nowMs: number,
): RequestLine[] {
  const wanted = q.trim().toLowerCase();
  return currentLines(requests, market, nowMs).filter(
    ({ asked, row }) =>
      asked.state === "open" &&
      asked.borrowerId !== userId &&
      (category === "all" || categoryOf(row.collateralType) === category) &&
      row.collectionName.toLowerCase().includes(wanted),
  );
}

/** The user's own requests, in the order of the ladder. */
export function ownLines(
  requests: Iterable<BorrowRequest>,
  market: Market,
  userId: string | null,
  nowMs: number,
): RequestLine[] {
  return currentLines(requests, market, nowMs).filter(({ asked }) => asked.borrowerId === userId);
}

/** The requests of known collections that have not expired. */
function currentLines(requests: Iterable<BorrowRequest>, market: Market, nowMs: number): RequestLine[] {
  const known: RequestLine[] = [];
  for (const asked of requests) {
    const row = market.get(asked.groupId);
    if (row && asked.goodUntil > nowMs) known.push({ asked, row });
  }
  const order = byLadder(({ groupId }) => market.get(groupId));
  return known.sort((one, other) => order(one.asked, other.asked));
}
