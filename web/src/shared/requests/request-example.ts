import type { BorrowRequest } from "@/shared/api/borrow-request";

/** A borrow request for tests. */
export function exampleRequest(changed: Partial<BorrowRequest> = {}): BorrowRequest {
  return {
    requestId: "rq_1",
    groupId: "g_1",
    borrowerId: "us_b",
    inscriptionIds: ["i"],
    fungibleAmount: null,
    principalSats: 500_000n,
    interestMaxPercent: 1.5,
    termMinDays: 7,
    termMaxDays: 30,
    goodUntil: 2,
    createdAt: 1,
    state: "open",
    ...changed,
  };
}
