import { describe, expect, it } from "vitest";
import { oneSourceText } from "./price-source";

const source = { hold: null, isOneSource: true, believesOneSource: false };

describe("a price of a single marketplace", () => {
  it("is labelled as such, with the consequence", () => {
    expect(oneSourceText(source)).toBe(
      "Only one marketplace reports a price now. The price shown does not change until a second one agrees.",
    );
    expect(oneSourceText({ ...source, believesOneSource: true })).toBe(
      "Only one marketplace reports a price now. Small moves are accepted. A large one is accepted only after it has been reported many times.",
    );
  });

  it("is not mentioned with several sources, or before the source is known", () => {
    expect(oneSourceText({ ...source, isOneSource: false, believesOneSource: true })).toBeNull();
    expect(oneSourceText(undefined)).toBeNull();
  });
});
