import { describe, expect, it } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { Collection } from "@/shared/api/collection";
import { openLines, ownLines } from "./requests-view";

const row = (id: string, collectionName: string, collateralType: "inscription" | "rune") =>
  ({ id, collectionName, collateralType, unitPrice: 100_000_000n, runeDecimals: 0 }) as unknown as Collection;

const market = new Map(
  [row("g_1", "Paper Frogs", "inscription"), row("g_2", "Frog Pond", "rune")].map((each) => [each.id, each]),
);

const asked = (changed: Partial<BorrowRequest>): BorrowRequest => ({
  requestId: "rq_1",
  groupId: "g_1",
  borrowerId: "us_1",
  inscriptionIds: ["i"],
  fungibleAmount: null,
  principalSats: 1n,
  interestMaxPercent: 1,
  termMinDays: 7,
  termMaxDays: 7,
  goodUntil: 100,
  createdAt: 1,
  state: "open",
  ...changed,
});

const ids = (lines: ReturnType<typeof openLines>) => lines.map((line) => line.asked.requestId);
const ALL = { category: "all", q: "" } as const;

describe("the requests page", () => {
  const requests = [
    asked({ requestId: "high", principalSats: 3n }),
    asked({ requestId: "low" }),
    asked({ requestId: "filled", state: "filled" }),
    asked({ requestId: "runes", groupId: "g_2", principalSats: 2n }),
    asked({ requestId: "over", goodUntil: 50 }),
    asked({ requestId: "unlisted", groupId: "g_9" }),
    asked({ requestId: "mine", borrowerId: "us_2", state: "filled" }),
  ];

  it("shows what lenders can fill now in the order of the ladder, and the user's own", () => {
    expect(ids(openLines(requests, market, "us_2", ALL, 50))).toEqual(["low", "runes", "high"]);
    expect(ids(ownLines(requests, market, "us_2", 50))).toEqual(["mine"]);
    expect(ids(ownLines(requests, market, null, 50))).toEqual([]);
  });

  it("filters others' requests by category and by name", () => {
    const shown = (filter: Parameters<typeof openLines>[3]) =>
      ids(openLines(requests, market, null, filter, 50));
    expect(shown({ category: "runes", q: "" })).toEqual(["runes"]);
    expect(shown({ category: "all", q: " paper" })).toEqual(["low", "high"]);
    expect(shown({ category: "brc-20", q: "" })).toEqual([]);
  });
});
