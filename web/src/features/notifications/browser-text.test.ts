import { expect, test } from "vitest";
import type { BrowserState } from "./browser-push";
import { browserView, firstKinds, ownSubscription } from "./browser-text";

const SUBSCRIBED: BrowserState = { name: "subscribed", endpoint: "https://push.example.org/1", key: "K" };
const own = { pushId: "ps_1", endpoint: "https://push.example.org/1", agent: "", kinds: [], addedAt: 1 };

test("a browser is known by its address at the push service", () => {
  const other = { ...own, pushId: "ps_2", endpoint: "https://push.example.org/2" };
  expect(ownSubscription(SUBSCRIBED, [other, own])).toBe(own);
  expect(ownSubscription(SUBSCRIBED, [other])).toBeNull();
  expect(ownSubscription({ name: "off" }, [own])).toBeNull();
});

test.each([
  [{ name: "unsupported" }, "K", null, "Not available", null],
  [{ name: "denied" }, "K", null, "Blocked", null],
  [{ name: "off" }, "K", null, "Off", "on"],
  // It notifies another account only.
  [SUBSCRIBED, "K", null, "Off", "on"],
  [SUBSCRIBED, "K", own, "On", "off"],
  [{ ...SUBSCRIBED, key: null }, "K", own, "On", "off"],
  [SUBSCRIBED, "another", own, "Not renewed", "renew"],
  [SUBSCRIBED, null, own, "Not available", null],
] as const)("%j with the key %s and %j is %s", (browser, publicKey, subscription, label, action) => {
  const view = browserView(browser, publicKey, subscription && { ...subscription, kinds: [] });
  expect([view.label, view.action]).toEqual([label, action]);
});

test("a browser begins with the kinds of the other channels, or with the critical ones", () => {
  const choices = [
    { kind: "overdue", isCritical: true, isChosen: true },
    { kind: "claimable", isCritical: true, isChosen: false },
    { kind: "repaid", isCritical: false, isChosen: true },
  ] as const;
  expect(firstKinds({ criticalAlerts: true, choices: [...choices] })).toEqual(["overdue", "repaid"]);
  expect(firstKinds({ criticalAlerts: false, choices: [...choices] })).toEqual(["repaid"]);
  const none = choices.map((choice) => ({ ...choice, isChosen: false }));
  expect(firstKinds({ criticalAlerts: true, choices: none })).toEqual(["overdue", "claimable"]);
});
