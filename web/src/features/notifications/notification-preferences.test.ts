import { describe, expect, test } from "vitest";
import { isSnoozed, needsCriticalNotifications } from "./notification-preferences";

const ALL = {
  criticalAlerts: true,
  email: "a@b.example",
  isEmailVerified: true,
  telegramChatId: 1,
  isBrowserNotified: false,
};

describe("the prompt shows unless critical alerts are on and can reach the user", () => {
  test.each([
    [ALL, false],
    [{ ...ALL, criticalAlerts: false }, true],
    [{ ...ALL, telegramChatId: null }, false],
    [{ ...ALL, isEmailVerified: false }, false],
    [{ ...ALL, isEmailVerified: false, telegramChatId: null }, true],
    [{ ...ALL, email: null, telegramChatId: null }, true],
    [{ ...ALL, criticalAlerts: false, email: null, isBrowserNotified: true }, false],
  ])("%j: %s", (preferences, isShown) => {
    expect(needsCriticalNotifications(preferences)).toBe(isShown);
  });
});

describe("a dismissed prompt", () => {
  test("rests for a week", () => {
    expect(isSnoozed("1000", 1_000)).toBe(true);
    expect(isSnoozed("1000", 1_000 + 7 * 86_400_000 - 1)).toBe(true);
    expect(isSnoozed("1000", 1_000 + 7 * 86_400_000)).toBe(false);
  });

  test("comes back when the stored value is invalid", () => {
    expect(isSnoozed(null, 5)).toBe(false);
    expect(isSnoozed("soon", 5)).toBe(false);
    expect(isSnoozed("9000", 5)).toBe(false);
  });
});
