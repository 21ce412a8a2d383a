import { expect, it } from "vitest";
import { keyFacts, scopesText } from "./api-key-text";

it("names the restrictions that a key has", () => {
  expect(keyFacts({ collections: null, addresses: null })).toEqual([]);
  expect(
    keyFacts({ collections: ["paper-frogs", "frog-pond"], addresses: ["203.0.113.0/24", "2001:db8::/48"] }),
  ).toEqual(["Only in paper-frogs, frog-pond", "Only from 203.0.113.0/24, 2001:db8::/48"]);
});

it("says what a key may do in the words of the form", () => {
  expect(scopesText(["read", "quote"])).toBe("See your offers, loans and notices; create and edit offers");
});
