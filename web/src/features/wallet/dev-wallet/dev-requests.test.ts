import { describe, expect, it, vi } from "vitest";
import { signBip322Simple } from "@/shared/bitcoin/bip322";
import { ACCOUNT_NAMES, devAccounts } from "./dev-accounts";
import { type DevPrompts, devRequests } from "./dev-requests";

function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  } as Storage;
}

const accounts = devAccounts("regtest", memory());
const [lender] = accounts;
if (!lender) throw new Error("there is no first account");

function wallet(prompts: Partial<DevPrompts>) {
  return devRequests(accounts, "regtest", {
    chooseAccount: async () => null,
    approveMessage: async () => false,
    approveTransaction: async () => false,
    ...prompts,
  });
}

describe("the accounts of the dev wallet", () => {
  it("are the same in the same browser and others in another", () => {
    const storage = memory();
    const addresses = (from: Storage) => devAccounts("regtest", from).map(({ keys }) => keys.payment.address);
    expect(addresses(storage)).toEqual(addresses(storage));
    expect(addresses(storage)).not.toEqual(addresses(memory()));
    expect(new Set(addresses(storage)).size).toBe(ACCOUNT_NAMES.length);
  });

  it("are regenerated when the stored seed is invalid", () => {
    const storage = memory();
    storage.setItem("lienbook.dev-wallet.seed", "zz");
    expect(devAccounts("regtest", storage)).toHaveLength(ACCOUNT_NAMES.length);
    expect(storage.getItem("lienbook.dev-wallet.seed")).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("the dev wallet", () => {
  it("shows the chosen account", async () => {
    const request = wallet({ chooseAccount: async (all) => all[3] ?? null });
    const borrower = accounts[3]?.keys;
    expect(await request("wallet_connect")).toMatchObject({
      jsonrpc: "2.0",
      id: "1",
      result: {
        name: "Borrower 1",
        addresses: [
          { purpose: "payment", address: borrower?.payment.address, publicKey: borrower?.payment.pubKey },
          { purpose: "ordinals", address: borrower?.ordinals.address, publicKey: borrower?.ordinals.pubKey },
        ],
      },
    });
  });

  it("has an account with one taproot address for payments and ordinals", async () => {
    const request = wallet({ chooseAccount: async (all) => all.at(-1) ?? null });
    const keys = accounts.at(-1)?.keys;
    const same = {
      address: keys?.ordinals.address,
      publicKey: keys?.ordinals.pubKey,
      addressType: "p2tr",
    };
    expect(await request("wallet_connect")).toMatchObject({
      result: {
        addresses: [
          { ...same, purpose: "payment" },
          { ...same, purpose: "ordinals" },
        ],
      },
    });
  });

  it("signs an approved message with the key of the address", async () => {
    const approveMessage = vi.fn(async () => true);
    const { address } = lender.keys.payment;
    const answer = await wallet({ approveMessage })("signMessage", {
      address,
      message: "text",
      protocol: "BIP322",
    });
    expect(approveMessage).toHaveBeenCalledWith("Lender 1", address, "text");
    expect(answer).toMatchObject({ result: { signature: signBip322Simple(lender.keys.payment, "text") } });
  });

  it.each([
    ["a user who closes the choice", "wallet_connect", undefined, -32_000],
    [
      "a user who does not sign",
      "signMessage",
      { address: lender.keys.payment.address, message: "", protocol: "BIP322" },
      -32_000,
    ],
    [
      "an address of another user",
      "signMessage",
      { address: "bcrt1q", message: "", protocol: "BIP322" },
      -32_002,
    ],
    ["another protocol", "signMessage", { address: "bcrt1q", message: "", protocol: "ECDSA" }, -32_602],
    ["no parameters", "signMessage", undefined, -32_602],
    ["a method it does not know", "sendTransfer", {}, -32_601],
  ])("answers %s with an error", async (_, method, params, code) => {
    expect(await wallet({})(method, params)).toMatchObject({ error: { code } });
  });
});
