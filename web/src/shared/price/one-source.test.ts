import { describe, expect, it } from "vitest";
import { oneSourceWords } from "./one-source";

const source = { hold: null, isOneSource: true, believesOneSource: false };

describe("a price of one marketplace alone", () => {
  it("is named as such, with what follows from it", () => {
    expect(oneSourceWords(source)).toBe(
      "Only one marketplace reports a price now. The price shown does not change until a second one agrees.",
    );
    expect(oneSourceWords({ ...source, believesOneSource: true })).toBe(
      "Only one marketplace reports a price now. Small moves are accepted. A large one is accepted only after it has been reported many times.",
    );
  });

  it("is not mentioned where more give one, or before it is known", () => {
    expect(oneSourceWords({ ...source, isOneSource: false, believesOneSource: true })).toBeNull();
    expect(oneSourceWords(undefined)).toBeNull();
  });
});
