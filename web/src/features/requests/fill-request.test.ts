import { expect, it } from "vitest";
import type { BorrowRequest } from "@/shared/api/borrow-request";
import type { SubCollection } from "@/shared/api/collection";
import { filledOffer } from "./fill-request";

const term = { slug: "foxes-30", bundleSize: 1n } as SubCollection;
const fill = (asked: Partial<BorrowRequest>, changed: Partial<SubCollection> = {}) =>
  filledOffer({
    asked: { principalSats: 50_000n, fungibleAmount: null, inscriptionIds: [], ...asked } as BorrowRequest,
    term: { ...term, ...changed },
    ltvMax: 7_500,
    borrower: "bcrt1q",
    goodUntilS: 1_000,
    signerId: "5a",
  });

it("an offer that fills a request from the vault names its borrower and its time", () => {
  const offer = fill({ inscriptionIds: ["i0"] });
  expect(offer).toEqual({
    process: "instant",
    collectionSlug: "foxes-30",
    principalSats: 50_000n,
    fungibleAmount: null,
    ltvMax: 7_500,
    acceptNextTerm: false,
    borrower: "bcrt1q",
    goodUntilS: 1_000,
    vault: "5a",
  });
});

it("it names the number of several inscriptions, or an amount of tokens", () => {
  expect(fill({ inscriptionIds: ["i0", "i1", "i2"] })).toMatchObject({ inscriptions: 3 });
  const tokens = fill({ fungibleAmount: 42n }, { bundleSize: null });
  expect(tokens).toMatchObject({ fungibleAmount: 42n });
  expect(tokens).not.toHaveProperty("inscriptions");
});
