import { describe, expect, it } from "vitest";
import { actionMessage } from "@/shared/bitcoin/action-message";
import { type ApiKeyDraft, draftErrors, EMPTY_DRAFT, newApiKey } from "./api-key-draft";

const NOW_MS = 1_800_000_000_500;
const FULL: ApiKeyDraft = {
  name: "quoting-bot",
  scopes: ["quote", "read"],
  principalMax: "0.0125",
  outstandingMax: "0.5",
  dailyMax: "1",
  collections: "bitcoin-puppets, pizza-ninjas\nbitcoin-puppets",
  addresses: "203.0.113.0/24 198.51.100.7 2001:db8::1",
  validDays: "365",
};

describe("the draft of an API key", () => {
  it("names each field that cannot be signed", () => {
    expect(draftErrors(FULL)).toEqual({});
    expect(Object.keys(draftErrors({ ...EMPTY_DRAFT, scopes: [] })).toSorted()).toEqual([
      "dailyMax",
      "name",
      "outstandingMax",
      "principalMax",
      "scopes",
    ]);
    for (const name of ["", "two words", "ümlaut", "x".repeat(33)]) {
      expect(draftErrors({ ...FULL, name }).name).toBeDefined();
    }
    for (const addresses of ["home", "203.0.113", "203.0.113.0/", "1.2.3.4/24/8"]) {
      expect(draftErrors({ ...FULL, addresses }).addresses).toBeDefined();
    }
    const many = (count: number) => Array.from({ length: count }, (_, index) => `slug-${index}`).join(" ");
    expect(draftErrors({ ...FULL, collections: many(50) }).collections).toBeUndefined();
    expect(draftErrors({ ...FULL, collections: many(51) }).collections).toBeDefined();
    const ranges = (count: number) =>
      Array.from({ length: count }, (_, index) => `10.0.0.${index}`).join(" ");
    expect(draftErrors({ ...FULL, addresses: ranges(20) }).addresses).toBeUndefined();
    expect(draftErrors({ ...FULL, addresses: ranges(21) }).addresses).toBeDefined();
  });

  it("becomes the key to sign, with each value once and every address as a network", () => {
    expect(newApiKey(FULL, NOW_MS)).toEqual({
      name: "quoting-bot",
      scopes: ["read", "quote"],
      principalMaxSats: 1_250_000n,
      outstandingMaxSats: 50_000_000n,
      dailyMaxSats: 100_000_000n,
      collections: ["bitcoin-puppets", "pizza-ninjas"],
      addresses: ["203.0.113.0/24", "198.51.100.7/32", "2001:db8::1/128"],
      validUntilS: 1_800_000_000 + 365 * 86_400 - 60,
    });
  });

  it("restricts nothing where nothing was typed", () => {
    const key = newApiKey({ ...FULL, collections: " ", addresses: "" }, NOW_MS);
    const envelope = { domain: "a", network: "regtest", address: "b", nonce: "c", issuedS: 1, expiresS: 2 };
    const lines = actionMessage({ type: "createApiKey", ...key }, envelope).split("\n");
    expect(lines).toContain("Collections: all");
    expect(lines).toContain("Addresses: any");
  });
});
