import { describe, expect, it } from "vitest";
import { oneSourceWords } from "./one-source";

const source = { hold: null, isOneSource: true, believesOneSource: false };

describe("a price of one marketplace alone", () => {
  it("is named as such, with what follows from it", () => {
    expect(oneSourceWords(source)).toBe(
      "Only one marketplace gives a price now. The price shown stays the same until a second one agrees.",
    );
    expect(oneSourceWords({ ...source, believesOneSource: true })).toBe(
      "Only one marketplace gives a price now. Small moves are taken over. A large one is taken over only after it has been seen many times.",
    );
  });

  it("is not mentioned where more give one, or before it is known", () => {
    expect(oneSourceWords({ ...source, isOneSource: false, believesOneSource: true })).toBeNull();
    expect(oneSourceWords(undefined)).toBeNull();
  });
});
