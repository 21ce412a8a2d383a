/// <reference types="node" />
import { readFileSync } from "node:fs";
import { hex } from "@scure/base";
import { describe, expect, it } from "vitest";
import { type Action, actionMessage, type Envelope } from "./action-message";
import { signBip322Simple } from "./bip322";
import { keysFromSeed } from "./seed-keys";

/** The golden file that the server's own tests read, so both sides agree on every byte. */
const golden = JSON.parse(
  readFileSync(new URL("../../../../engine/escrow/tests/messages.golden.json", import.meta.url), "utf8"),
) as {
  envelope: Envelope;
  messages: Array<{ name: string; action: Record<string, unknown>; text: string }>;
  wallet: {
    seed: string;
    signedMessage: string;
    accounts: Array<{ kind: string; address: string; publicKey: string; bip322: string }>;
  };
};

/** The file carries sats and rune amounts as decimal text, because JSON numbers lose digits. */
function parsed(action: Record<string, unknown>): Action {
  if (action.type === "withdraw") {
    const most = action.feeMaxSats as string | undefined;
    const ceiling = most === undefined ? {} : { feeMaxSats: BigInt(most) };
    return { ...action, withdrawSats: BigInt(action.withdrawSats as string), ...ceiling } as Action;
  }
  if (action.type === "moveVault") {
    return { ...action, feeMaxSats: BigInt(action.feeMaxSats as string) } as Action;
  }
  if (action.type === "createApiKey") {
    const sats = (name: string) => BigInt(action[name] as string);
    return {
      ...action,
      principalMaxSats: sats("principalMaxSats"),
      outstandingMaxSats: sats("outstandingMaxSats"),
      dailyMaxSats: sats("dailyMaxSats"),
    } as Action;
  }
  if (action.type === "delegateQuotes") {
    const sats = (name: string) => BigInt(action[name] as string);
    return {
      ...action,
      principalMaxSats: sats("principalMaxSats"),
      dailyMaxSats: sats("dailyMaxSats"),
    } as Action;
  }
  if (action.type === "requestLoan") {
    const { fungibleAmount, inscriptionId, inscriptionIds, ...rest } = action;
    const amount = fungibleAmount === undefined ? {} : { fungibleAmount: BigInt(fungibleAmount as string) };
    // The file has one id for one inscription, and a list for several.
    const ids = inscriptionIds ?? (inscriptionId === undefined ? undefined : [inscriptionId]);
    const pledge = ids === undefined ? amount : { inscriptionIds: ids };
    return { ...rest, ...pledge, principalSats: BigInt(action.principalSats as string) } as Action;
  }
  const offer = action.newOffer as Record<string, unknown> | undefined;
  if (!offer) return action as Action;
  const fungible = offer.fungibleAmount as string | null | undefined;
  const least = offer.principalMinSats as string | undefined;
  return {
    ...action,
    newOffer: {
      ...offer,
      principalSats: BigInt(offer.principalSats as string),
      fungibleAmount: fungible ? BigInt(fungible) : null,
      ...(least === undefined ? {} : { principalMinSats: BigInt(least) }),
    },
  } as Action;
}

describe("the texts that a wallet signs", () => {
  for (const message of golden.messages) {
    it(`${message.name} as the server writes it`, () => {
      expect(actionMessage(parsed(message.action), golden.envelope)).toBe(message.text);
    });
  }

  it.each([
    ["an empty value", ""],
    ["a line feed", "a\nVault: b"],
    ["a space", "a b"],
    ["a right-to-left mark", "a\u200fb"],
    ["a value that is too long", "a".repeat(129)],
  ])("are never made from %s", (_, nonce) => {
    const action: Action = { type: "pauseOffer", offerId: "of_1" };
    expect(() => actionMessage(action, { ...golden.envelope, nonce })).toThrow(RangeError);
  });

  it("name every offer to be cancelled once", () => {
    const cancel = (ids: string[]) =>
      actionMessage(
        { type: "cancelOffers", ordinalOfferIds: ids, runeOfferIds: [], vault: null },
        golden.envelope,
      );
    expect(() => cancel([])).toThrow(RangeError);
    expect(() => cancel(["of_1", "of_1"])).toThrow(RangeError);
    expect(() => cancel(Array.from({ length: 101 }, (_, index) => `of_${index}`))).toThrow(RangeError);
  });
});

describe("the text of a loan against several inscriptions", () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `${"5a".repeat(32)}i${index}`);
  const request = (inscriptionIds: readonly string[]) =>
    actionMessage(
      {
        type: "requestLoan",
        collectionSlug: "bitcoin-puppets",
        inscriptionIds,
        principalSats: 1_250_000n,
        interestMax: 350,
        termMinDays: 7,
        termMaxDays: 30,
        goodUntilS: 1_800_604_800,
      },
      golden.envelope,
    ).split("\n");

  it("has a line for each inscription of a request, in their order", () => {
    const [first, second, third] = ids(3);
    expect(request([third ?? "", first ?? "", second ?? ""]).slice(0, 6)).toEqual([
      "Lienbook: borrow request",
      "Collection: bitcoin-puppets",
      `Inscription: ${third}`,
      `Inscription: ${first}`,
      `Inscription: ${second}`,
      "Principal sats: 1250000",
    ]);
  });

  it("names 1 to 20 of them, each once", () => {
    expect(request(ids(20))).toHaveLength(request(ids(1)).length + 19);
    for (const wrong of [[], ids(21), ["a", "a"]]) expect(() => request(wrong)).toThrow(RangeError);
  });

  it("has their number in an instant offer, before the highest LTV, and none for one", () => {
    const lines = (inscriptions: { inscriptions?: number }) =>
      actionMessage(
        {
          type: "createOffer",
          newOffer: {
            process: "instant",
            collectionSlug: "bitcoin-puppets-30d",
            principalSats: 1_250_000n,
            fungibleAmount: null,
            ...inscriptions,
            ltvMax: 7_500,
            acceptNextTerm: false,
            vault: "5a",
          },
        },
        golden.envelope,
      ).split("\n");
    expect(lines({ inscriptions: 5 }).slice(3, 6)).toEqual([
      "Principal sats: 1250000",
      "Inscriptions: 5",
      "Max LTV x100: 7500",
    ]);
    expect(lines({})[4]).toBe("Max LTV x100: 7500");
  });
});

describe("the wallet of a seed", () => {
  const keys = keysFromSeed(hex.decode(golden.wallet.seed), "regtest");
  const message = golden.messages.find(({ name }) => name === golden.wallet.signedMessage)?.text ?? "";

  for (const [kind, key] of [["P2TR", keys.ordinals] as const, ["P2WPKH", keys.payment] as const]) {
    it(`has the ${kind} address, key and signature that the server derives`, () => {
      const account = golden.wallet.accounts.find((candidate) => candidate.kind === kind);
      expect(key.address).toBe(account?.address);
      expect(key.pubKey).toBe(account?.publicKey);
      expect(signBip322Simple(key, message, new Uint8Array(32))).toBe(account?.bip322);
    });
  }
});
