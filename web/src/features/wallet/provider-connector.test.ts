import { afterEach, describe, expect, it, vi } from "vitest";
import { ProviderConnector } from "./provider-connector";
import { announcedWallets, findProvider } from "./wallet-provider";

const ADDRESSES = [
  { address: "bcrt1qpay", publicKey: "02AA", purpose: "payment", walletType: "software" },
  { address: "bcrt1pkeep", publicKey: "bb", purpose: "ordinals", walletType: "software" },
];

/** A browser window with one wallet in it that answers every call with `answer`. */
function windowWith(answer: () => Promise<unknown>) {
  const request = vi.fn((_method: string, _params?: unknown) => answer());
  vi.stubGlobal("window", { Wallets: { Good: { request } } });
  return request;
}
const connector = () => new ProviderConnector("Wallets.Good");
const ok = (result: unknown) => async () => ({ jsonrpc: "2.0", id: "1", result });
const failed = (code: number) => async () => ({ jsonrpc: "2.0", id: "1", error: { code, message: "no" } });

afterEach(() => vi.unstubAllGlobals());

describe("connecting", () => {
  it("gives both addresses with their keys", async () => {
    const request = windowWith(ok({ addresses: ADDRESSES, name: "Lender 1" }));
    await expect(connector().connect("regtest")).resolves.toEqual({
      wallet: "Wallets.Good",
      accountName: "Lender 1",
      hardwareWallet: false,
      addresses: {
        payment: { address: "bcrt1qpay", pubKey: "02aa" },
        ordinals: { address: "bcrt1pkeep", pubKey: "bb" },
      },
    });
    expect(request.mock.calls[0]?.[0]).toBe("wallet_connect");
    expect(request.mock.calls[0]?.[1]).toMatchObject({
      addresses: ["payment", "ordinals"],
      network: "Regtest",
    });
  });

  it.each(["ledger", "keystone"])("detects that %s is hardware", async (walletType) => {
    windowWith(ok({ addresses: ADDRESSES.map((address) => ({ ...address, walletType })) }));
    await expect(connector().connect("regtest")).resolves.toMatchObject({ hardwareWallet: true });
  });

  it("refuses the addresses of another network", async () => {
    windowWith(ok({ addresses: ADDRESSES }));
    await expect(connector().connect("bitcoin")).rejects.toThrow(/another network/);
  });

  it("refuses a wallet without an ordinals address", async () => {
    windowWith(ok({ addresses: ADDRESSES.slice(0, 1) }));
    await expect(connector().connect("regtest")).rejects.toThrow("missing user addresses!");
  });

  it.each([
    ["a user who declines", failed(-32_000), "Wallet request was cancelled", "cancelled"],
    [
      "a rejection instead of an answer",
      async () => Promise.reject({ code: 4001 }),
      "Wallet request was cancelled",
      "cancelled",
    ],
    ["a lost permission", failed(-32_002), "Please reconnect your wallet", "absent"],
    ["an unknown method", failed(-32_001), "Wallet not connected", "failed"],
    ["no answer at all", async () => undefined, "Wallet not connected", "failed"],
    ["an answer without addresses", ok({}), "Wallet not connected", "failed"],
  ])("explains %s", async (_, answer, message, kind) => {
    windowWith(answer);
    await expect(connector().connect("regtest")).rejects.toMatchObject({ message, kind });
  });

  it("reports a missing wallet as not connected", async () => {
    vi.stubGlobal("window", {});
    await expect(connector().connect("regtest")).rejects.toThrow("Wallet not connected");
  });
});

describe("signing", () => {
  it("requests BIP-322 with the given address", async () => {
    const request = windowWith(ok({ signature: "AkcwRA==" }));
    await expect(connector().signMessage("bcrt1qpay", "Lienbook: sign in", "BIP322")).resolves.toBe(
      "AkcwRA==",
    );
    expect(request).toHaveBeenCalledWith("signMessage", {
      address: "bcrt1qpay",
      message: "Lienbook: sign in",
      protocol: "BIP322",
    });
  });

  it.each([
    ["a user who declines", failed(-32_000), "Signature request was cancelled"],
    ["a lost permission", failed(-32_002), "Please reconnect your wallet"],
    ["any other error", failed(-32_603), "Failed to sign message"],
    ["an answer without a signature", ok({ signed: true }), "Failed to sign message"],
  ])("explains %s", async (_, answer, message) => {
    windowWith(answer);
    await expect(connector().signMessage("bcrt1qpay", "text", "BIP322")).rejects.toThrow(message);
  });

  it("asks to reconnect when the wallet is gone", async () => {
    vi.stubGlobal("window", {});
    await expect(connector().signMessage("bcrt1qpay", "text", "BIP322")).rejects.toThrow(
      "Please reconnect your wallet",
    );
  });
});

describe("signing a transaction", () => {
  const side = (address: string, index: number, sighash: number) => ({
    address,
    index,
    sighash,
    disable_tweak_signer: false,
  });
  const toSign = {
    transactionBase64: "cHNidP8=",
    sides: [side("bcrt1qpay", 0, 1), side("bcrt1pkeep", 1, 0), side("bcrt1pkeep", 3, 131)],
  };

  it("requests the inputs of each address and no broadcast", async () => {
    const request = windowWith(ok({ psbt: "c2lnbmVk" }));
    await expect(connector().signPsbt(toSign)).resolves.toBe("c2lnbmVk");
    expect(request).toHaveBeenCalledWith("signPsbt", {
      psbt: "cHNidP8=",
      signInputs: { bcrt1qpay: [0], bcrt1pkeep: [1, 3] },
      broadcast: false,
    });
  });

  it.each([
    ["a user who declines", failed(-32_000), "Wallet cancelled request", "cancelled"],
    ["a lost permission", failed(-32_002), "Please reconnect your wallet", "absent"],
    ["any other error", failed(-32_603), "Failed to sign transaction", "failed"],
    ["an answer without a PSBT", ok({ txid: "00" }), "Failed to sign transaction", "failed"],
  ])("explains %s", async (_, answer, message, kind) => {
    windowWith(answer);
    await expect(connector().signPsbt(toSign)).rejects.toMatchObject({ message, kind });
  });
});

describe("the wallets of a browser", () => {
  const provider = { request: async () => null };
  const root = (fields: object) =>
    ({ Good: provider, Nested: { Wallet: provider }, ...fields }) as unknown as Window;

  it("are those that announced themselves and are present, once each", () => {
    const btc_providers = [
      { id: "Nested.Wallet", name: "Nested" },
      { id: "Good", name: "Good" },
      { id: "Good", name: "Good again" },
      { id: "Gone", name: "Gone" },
      { id: "Good" },
      null,
      "Good",
    ];
    expect(announcedWallets(root({ btc_providers })).map(({ name }) => name)).toEqual(["Nested", "Good"]);
    expect(announcedWallets(root({ btc_providers: "Good" }))).toEqual([]);
    expect(announcedWallets(root({}))).toEqual([]);
  });

  it("are never looked for in prototypes", () => {
    expect(findProvider("Good", root({}))).toBe(provider);
    for (const id of [
      "constructor",
      "Good.request.constructor",
      "__proto__",
      "Good.",
      "",
      "Nested..Wallet",
    ]) {
      expect(findProvider(id, root({})), id).toBeNull();
    }
  });
});
