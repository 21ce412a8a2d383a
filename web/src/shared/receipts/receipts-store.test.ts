import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { passReceipt, RECEIPT_HEADER } from "@/shared/api/receipt-sink";
import { type Session, useSession } from "@/shared/session/session-store";
import { keepReceipt, RECEIPTS_MAX, receiptsOf, removeReceipts } from "./receipts-store";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
  useSession.setState({ session: null });
});

afterEach(() => vi.unstubAllGlobals());

const answer = (receipt: string) => new Headers({ [RECEIPT_HEADER]: receipt });

it("keeps the receipts of the signed-in user, each once", () => {
  passReceipt(answer("bm8.c2Vzc2lvbg"));
  useSession.setState({ session: { userId: "us_1" } as Session });
  passReceipt(answer("YQ.Yg"));
  passReceipt(answer("YQ.Yg"));
  passReceipt(new Headers());
  useSession.setState({ session: { userId: "us_2" } as Session });
  passReceipt(answer("Yw.ZA"));
  expect([receiptsOf("us_1"), receiptsOf("us_2")]).toEqual([["YQ.Yg"], ["Yw.ZA"]]);
});

it("keeps nothing that is not a receipt", () => {
  for (const text of ["", "one part", "a.b.c", `${"a".repeat(9_000)}.b`, "a.b\nc.d"])
    keepReceipt("us_1", text);
  expect(receiptsOf("us_1")).toEqual([]);
  stored.set("lienbook.receipts.us_1", "YQ.Yg\n<script>\n");
  expect(receiptsOf("us_1")).toEqual(["YQ.Yg"]);
});

it("drops the oldest one when there are too many, and all when asked to", () => {
  for (let number = 0; number <= RECEIPTS_MAX; number += 1) keepReceipt("us_1", `n${number}.s`);
  const kept = receiptsOf("us_1");
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([RECEIPTS_MAX, "n1.s", `n${RECEIPTS_MAX}.s`]);
  removeReceipts("us_1");
  expect(receiptsOf("us_1")).toEqual([]);
});
