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
  if (action.type === "requestLoan") {
    const { fungibleAmount, ...rest } = action;
    const amount = fungibleAmount === undefined ? {} : { fungibleAmount: BigInt(fungibleAmount as string) };
    return { ...rest, ...amount, principalSats: BigInt(action.principalSats as string) } as Action;
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
