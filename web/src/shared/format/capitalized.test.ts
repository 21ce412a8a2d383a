import { expect, it } from "vitest";
import { capitalized } from "./capitalized";

it("begins with a capital letter and stays the same after it", () => {
  expect(capitalized("the claim of Alpha")).toBe("The claim of Alpha");
  expect(capitalized("20 inscriptions")).toBe("20 inscriptions");
  expect(capitalized("")).toBe("");
});
