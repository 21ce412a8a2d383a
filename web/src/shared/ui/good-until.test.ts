import { expect, it } from "vitest";
import { goodUntilMs } from "./good-until";

it("days end at a full minute, never earlier than chosen", () => {
  const now = Date.UTC(2026, 0, 31, 12, 0, 30);
  expect(goodUntilMs(1, now)).toBe(Date.UTC(2026, 1, 1, 12, 1));
  expect(goodUntilMs(7, Date.UTC(2026, 0, 1))).toBe(Date.UTC(2026, 0, 8));
  expect(goodUntilMs(null, now)).toBeNull();
});
