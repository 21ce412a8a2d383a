import { expect, test } from "vitest";
import { mailLinkOf } from "./mail-link";

test.each([
  ["#verify=aZ09_-", { task: "verify", token: "aZ09_-" }],
  ["#unsubscribe=AAAA", { task: "unsubscribe", token: "AAAA" }],
  ["", null],
  ["#", null],
  ["#verify=", null],
  ["#verify=a b", null],
  ["#verify=a&unsubscribe=b", null],
  ["#delete=AAAA", null],
  [`#verify=${"A".repeat(201)}`, null],
])("%s", (hash, link) => {
  expect(mailLinkOf(hash)).toEqual(link);
});
