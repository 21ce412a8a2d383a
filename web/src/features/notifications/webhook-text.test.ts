import { expect, it } from "vitest";
import type { Delivery } from "./webhook-requests";
import { deliveryBadge, lastResult, urlProblem, webhookState } from "./webhook-text";

const DELIVERY: Delivery = {
  deliveryId: "ms_1",
  eventId: "ln_1-overdue",
  kind: "overdue",
  queuedAt: 1,
  attempts: 1,
  state: "delivered",
  nextAttemptAt: null,
  lastAttemptAt: 2,
  status: 200,
  failure: null,
  durationMs: 41,
  answer: null,
};

it.each([
  ["", "Enter the URL that your server answers at"],
  ["example.org/hook", "This is not a URL such as https://example.org/hook"],
  ["http://example.org/", "The URL must begin with https://"],
  ["javascript:alert(1)", "The URL must begin with https://"],
  ["https://user@example.org/", "The URL must have no user name, password or fragment"],
  ["https://example.org/#a", "The URL must have no user name, password or fragment"],
  [" https://example.org/hook?a=b ", null],
])("a URL is checked before it is sent: %s", (url, problem) => {
  expect(urlProblem(url)).toBe(problem);
});

it("a webhook that was not paused by its user says what to do", () => {
  expect(webhookState({ pauseReason: null }).label).toBe("On");
  expect(webhookState({ pauseReason: "by_user" }).why).toBeNull();
  expect(webhookState({ pauseReason: "failing" }).why).toContain("three days");
  expect(webhookState({ pauseReason: "gone" }).why).toContain("410");
});

it("a delivery says how its last attempt ended", () => {
  expect(lastResult(DELIVERY)).toBe("Status 200 after 41 ms");
  expect(lastResult({ ...DELIVERY, status: null, failure: "timed_out" })).toBe("No answer in time");
  expect(lastResult({ ...DELIVERY, status: null, attempts: 0 })).toBeNull();
  expect(deliveryBadge({ state: "dropped" })).toEqual({ label: "Not sent", tone: "neutral" });
});
