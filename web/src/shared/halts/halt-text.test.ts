import { expect, test } from "vitest";
import { haltText } from "./halt-text";

test.each(["new_loans", "something_later"])("the text of %s says what works", (scope) => {
  const { title, works } = haltText({ scope, since: 0, reason: "fees" });
  expect(title).toContain("halted");
  expect(works).toMatch(/^Repayments, claims, .*work as always/);
});
