import { expect, it } from "vitest";
import { goodFor } from "./good-until";

it("days end at a full minute, never earlier than chosen", () => {
  const now = Date.UTC(2026, 0, 31, 12, 0, 30);
  expect(goodFor(1, now)).toEqual({ days: 1, atMs: Date.UTC(2026, 1, 1, 12, 1) });
  expect(goodFor(7, Date.UTC(2026, 0, 1)).atMs).toBe(Date.UTC(2026, 0, 8));
});
