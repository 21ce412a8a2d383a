import { base64, hex } from "@scure/base";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TransactionToSign } from "@/shared/bitcoin/transaction-signer";
import { connectorFor, walletChoices } from "./wallet-choices";

const PAYMENT = "bc1qpaymentaddress";
const ORDINALS = "bc1pordinalsaddress";
const X_ONLY = "ab".repeat(32);
const COMPRESSED = `02${"cd".repeat(32)}`;
const UNSIGNED = base64.encode(Uint8Array.of(1, 2, 3));
const SIGNED = base64.encode(Uint8Array.of(4, 5, 6));

const side = (address: string, index: number, sighash: number, disable_tweak_signer = false) => ({
  address,
  index,
  sighash,
  disable_tweak_signer,
});
/** An ordinals coin, a payment coin, and an escrow that the ordinals key signs for its own output alone. */
const toSign = (leafSighash: number): TransactionToSign => ({
  transactionBase64: UNSIGNED,
  sides: [
    side(ORDINALS, 0, 0),
    side(PAYMENT, 2, 1),
    side(ORDINALS, 1, 0),
    side(ORDINALS, 3, leafSighash, true),
  ],
});

interface Contract {
  id: string;
  /** The wallet's object on `window`, with the results that its documentation specifies. */
  wallet: () => { root: object; spies: Record<string, ReturnType<typeof vi.fn>> };
  addresses: { payment: string; ordinals: string };
  /** The sighash of the escrow's signature, if not SINGLE|ANYONECANPAY. */
  leafSighash?: number;
  signature: string;
  /** The expected calls when a message and a PSBT are to be signed. */
  message: (spies: Contract["wallet"] extends () => { spies: infer Spies } ? Spies : never) => unknown;
  expectedMessage: unknown;
  psbt: Contract["message"];
  expectedPsbt: unknown;
  /** The same wallet when the user cancels every request. */
  rejecting: () => object;
}

const sign = (path: string, wallet: object): object =>
  path
    .split(".")
    .reverse()
    .reduce<object>((inner, name) => ({ [name]: inner }), wallet);

/** The options by which UniSat and OKX choose the signing key: none where the address is not taproot. */
const useTweakedSigner = (isRaw: boolean, isTaproot: boolean) =>
  isTaproot ? { useTweakedSigner: !isRaw } : {};
const disableTweakSigner = (isRaw: boolean) => ({ disableTweakSigner: isRaw });

/** UniSat and OKX. */
const unisatLike = (
  id: string,
  key: (isRaw: boolean, isTaproot: boolean) => object,
  leafSighash = 131,
): Contract => ({
  leafSighash,
  id,
  wallet: () => {
    const spies = {
      requestAccounts: vi.fn(async () => [ORDINALS]),
      getPublicKey: vi.fn(async () => `03${X_ONLY}`),
      signMessage: vi.fn(async (..._: unknown[]) => "sig"),
      signPsbt: vi.fn(async (..._: unknown[]) => hex.encode(base64.decode(SIGNED))),
    };
    return { root: sign(id, spies), spies };
  },
  addresses: { payment: ORDINALS, ordinals: ORDINALS },
  signature: "sig",
  message: ({ signMessage }) => signMessage?.mock.calls[0],
  expectedMessage: ["text", "bip322-simple"],
  psbt: ({ signPsbt }) => signPsbt?.mock.calls[0],
  expectedPsbt: [
    "010203",
    {
      autoFinalized: false,
      toSignInputs: [
        { index: 0, address: ORDINALS, sighashTypes: [0], ...key(false, true) },
        { index: 2, address: PAYMENT, sighashTypes: [1], ...key(false, false) },
        { index: 1, address: ORDINALS, sighashTypes: [0], ...key(false, true) },
        { index: 3, address: ORDINALS, sighashTypes: [leafSighash], ...key(true, true) },
      ],
    },
  ],
  rejecting: () => {
    const no = async () => Promise.reject({ code: 4_001, message: "User rejected the request." });
    return sign(id, { requestAccounts: no, getPublicKey: no, signMessage: no, signPsbt: no });
  },
});

const byPurpose = [
  {
    address: PAYMENT,
    publicKey: COMPRESSED,
    purpose: "payment",
    addressType: "p2wpkh",
    walletType: "software",
  },
  { address: ORDINALS, publicKey: X_ONLY, purpose: "ordinals", addressType: "p2tr", walletType: "software" },
];

/** Xverse: JSON-RPC of sats-connect. */
const xverse: Contract = {
  id: "XverseProviders.BitcoinProvider",
  wallet: () => {
    const request = vi.fn(async (method: unknown, _params?: unknown) => {
      const results: Record<string, unknown> = {
        wallet_connect: { id: "1", addresses: byPurpose, walletType: "software" },
        signMessage: { signature: "sig", address: PAYMENT, messageHash: "", protocol: "BIP322" },
        signPsbt: { psbt: SIGNED },
      };
      return { jsonrpc: "2.0", id: "1", result: results[String(method)] };
    });
    return { root: sign("XverseProviders.BitcoinProvider", { request }), spies: { request } };
  },
  addresses: { payment: PAYMENT, ordinals: ORDINALS },
  signature: "sig",
  message: ({ request }) => request?.mock.calls.find(([method]) => method === "signMessage"),
  expectedMessage: ["signMessage", { address: PAYMENT, message: "text", protocol: "BIP322" }],
  psbt: ({ request }) => request?.mock.calls.find(([method]) => method === "signPsbt"),
  expectedPsbt: [
    "signPsbt",
    { psbt: UNSIGNED, signInputs: { [ORDINALS]: [0, 1, 3], [PAYMENT]: [2] }, broadcast: false },
  ],
  rejecting: () =>
    sign("XverseProviders.BitcoinProvider", {
      request: async () => ({ jsonrpc: "2.0", id: "1", error: { code: -32_000, message: "User rejected" } }),
    }),
};

const leather: Contract = {
  id: "LeatherProvider",
  wallet: () => {
    const request = vi.fn(async (method: unknown, _params?: unknown) => {
      const results: Record<string, unknown> = {
        getAddresses: {
          addresses: [
            { symbol: "BTC", type: "p2wpkh", address: PAYMENT, publicKey: COMPRESSED },
            {
              symbol: "BTC",
              type: "p2tr",
              address: ORDINALS,
              publicKey: `02${X_ONLY}`,
              tweakedPublicKey: X_ONLY,
            },
            { symbol: "STX", address: "SP000" },
          ],
        },
        signMessage: { signature: "sig", address: PAYMENT, message: "text" },
        signPsbt: { hex: hex.encode(base64.decode(SIGNED)) },
      };
      return { jsonrpc: "2.0", id: "1", result: results[String(method)] };
    });
    return { root: sign("LeatherProvider", { request }), spies: { request } };
  },
  addresses: { payment: PAYMENT, ordinals: ORDINALS },
  signature: "sig",
  message: ({ request }) => request?.mock.calls.find(([method]) => method === "signMessage"),
  expectedMessage: ["signMessage", { message: "text", paymentType: "p2wpkh", network: "mainnet" }],
  psbt: ({ request }) => request?.mock.calls.find(([method]) => method === "signPsbt"),
  expectedPsbt: [
    "signPsbt",
    {
      hex: "010203",
      signAtIndex: [0, 2, 1, 3],
      allowedSighash: [0, 1, 131],
      broadcast: false,
      network: "mainnet",
    },
  ],
  rejecting: () =>
    sign("LeatherProvider", {
      request: async () => Promise.reject({ jsonrpc: "2.0", id: "1", error: { code: 4_001, message: "no" } }),
    }),
};

const GROUPED = [
  { address: ORDINALS, signingIndexes: [0, 1], sigHash: 0 },
  { address: PAYMENT, signingIndexes: [2], sigHash: 1 },
  { address: ORDINALS, signingIndexes: [3], sigHash: 131 },
];

const phantom: Contract = {
  id: "phantom.bitcoin",
  wallet: () => {
    const spies = {
      requestAccounts: vi.fn(async () => byPurpose),
      signMessage: vi.fn(async (..._: unknown[]) => ({ signature: Uint8Array.of(9, 9) })),
      signPSBT: vi.fn(async (..._: unknown[]) => base64.decode(SIGNED)),
    };
    return { root: sign("phantom.bitcoin", spies), spies };
  },
  addresses: { payment: PAYMENT, ordinals: ORDINALS },
  signature: base64.encode(Uint8Array.of(9, 9)),
  message: ({ signMessage }) => signMessage?.mock.calls[0],
  expectedMessage: [PAYMENT, new TextEncoder().encode("text")],
  psbt: ({ signPSBT }) => signPSBT?.mock.calls[0],
  expectedPsbt: [Uint8Array.of(1, 2, 3), { inputsToSign: GROUPED }],
  rejecting: () => {
    const no = async () => Promise.reject({ code: 4_001, message: "User rejected the request." });
    return sign("phantom.bitcoin", { requestAccounts: no, signMessage: no, signPSBT: no });
  },
};

const CONTRACTS = [
  xverse,
  leather,
  unisatLike("unisat", useTweakedSigner),
  unisatLike("okxwallet.bitcoin", disableTweakSigner, 0),
  phantom,
];

afterEach(() => vi.unstubAllGlobals());

describe.each(CONTRACTS)("$id", (contract) => {
  const { id } = contract;

  it("returns its addresses, with keys in the server's format", async () => {
    vi.stubGlobal("window", contract.wallet().root);
    const { wallet, addresses, hardwareWallet } = await (await connectorFor(id)).connect("bitcoin");
    expect([wallet, hardwareWallet]).toEqual([id, false]);
    expect([addresses.payment.address, addresses.ordinals.address]).toEqual([
      contract.addresses.payment,
      contract.addresses.ordinals,
    ]);
    expect(addresses.ordinals.pubKey).toBe(X_ONLY);
  });

  it("is rejected on another network", async () => {
    vi.stubGlobal("window", contract.wallet().root);
    await expect((await connectorFor(id)).connect("regtest")).rejects.toThrow(/another network/);
  });

  it("is asked for a BIP-322 signature in its own way", async () => {
    const { root, spies } = contract.wallet();
    vi.stubGlobal("window", root);
    const connector = await connectorFor(id);
    await connector.connect("bitcoin");
    expect(await connector.signMessage(PAYMENT, "text", "BIP322")).toBe(contract.signature);
    expect(contract.message(spies)).toEqual(contract.expectedMessage);
  });

  it("is asked for signatures with the sighash of each input, and never to finalize or broadcast", async () => {
    const { root, spies } = contract.wallet();
    vi.stubGlobal("window", root);
    const connector = await connectorFor(id);
    await connector.connect("bitcoin");
    expect(await connector.signPsbt(toSign(contract.leafSighash ?? 131))).toBe(SIGNED);
    expect(contract.psbt(spies)).toEqual(contract.expectedPsbt);
  });

  it("may reject every request", async () => {
    vi.stubGlobal("window", contract.rejecting());
    const connector = await connectorFor(id);
    const cancelled = (message: string) => ({ kind: "cancelled", message });
    await expect(connector.connect("bitcoin")).rejects.toMatchObject(
      cancelled("Wallet request was cancelled"),
    );
    await expect(connector.signMessage(PAYMENT, "text", "BIP322")).rejects.toMatchObject(
      cancelled("Signature request was cancelled"),
    );
    await expect(connector.signPsbt(toSign(contract.leafSighash ?? 131))).rejects.toMatchObject(
      cancelled("Wallet cancelled request"),
    );
  });

  it("may be gone", async () => {
    vi.stubGlobal("window", {});
    const connector = await connectorFor(id);
    await expect(connector.connect("bitcoin")).rejects.toThrow("Wallet not connected");
    await expect(connector.signPsbt(toSign(contract.leafSighash ?? 131))).rejects.toThrow(
      "Please reconnect your wallet",
    );
    await connector.disconnect();
  });

  it("is among the choices, first when it is there", () => {
    const { root } = contract.wallet();
    const choices = walletChoices(root as Window);
    expect(choices[0]).toMatchObject({ id, isInstalled: true });
    expect(new Set(choices.map((choice) => choice.id)).size).toBe(choices.length);
    expect(walletChoices({} as Window).every(({ isInstalled, home }) => !isInstalled && home)).toBe(true);
  });
});

describe("an account without a taproot address", () => {
  it("is refused with an explanation", async () => {
    const root = sign("unisat", {
      requestAccounts: async () => [PAYMENT],
      getPublicKey: async () => COMPRESSED,
    });
    vi.stubGlobal("window", root);
    await expect((await connectorFor("unisat")).connect("bitcoin")).rejects.toThrow(/taproot address/);
  });
});

describe("a change of account", () => {
  it.each([
    ["unisat", "accountsChanged"],
    ["okxwallet.bitcoin", "accountChanged"],
    ["phantom.bitcoin", "accountsChanged"],
  ])("of %s is reported until the listener is removed", async (id, event) => {
    const listeners = new Map<string, () => void>();
    const on = (name: string, listener: () => void) => void listeners.set(name, listener);
    const removeListener = (name: string) => void listeners.delete(name);
    vi.stubGlobal("window", sign(id, { on, removeListener }));
    const changed = vi.fn();
    const stop = (await connectorFor(id)).watch(changed);
    listeners.get(event)?.();
    expect(changed).toHaveBeenCalledTimes(1);
    stop();
    expect(listeners.size).toBe(0);
  });

  it("of a sats-connect wallet is reported", async () => {
    const listener: Array<{ eventName: string; cb: () => void }> = [];
    const addListener = (info: { eventName: string; cb: () => void }) => {
      listener.push(info);
      return () => void listener.splice(listener.indexOf(info), 1);
    };
    vi.stubGlobal("window", { Good: { request: async () => null, addListener } });
    const changed = vi.fn();
    const stop = (await connectorFor("Good")).watch(changed);
    for (const { cb } of listener) cb();
    expect(changed).toHaveBeenCalledTimes(3);
    stop();
    expect(listener).toEqual([]);
  });
});

describe("a wallet that is not recommended any more", () => {
  it("is a choice where it is installed, and nowhere else", () => {
    const ids = (root: object) => walletChoices(root as Window).map(({ id }) => id);
    expect(ids({})).not.toContain("phantom.bitcoin");
    expect(ids(phantom.wallet().root)[0]).toBe("phantom.bitcoin");
  });

  it("is no choice at all once it is gone", () => {
    const root = sign("magicEden.bitcoin", { connect: async () => ({ addresses: byPurpose }) });
    expect(walletChoices(root as Window).map(({ id }) => id)).not.toContain("magicEden.bitcoin");
  });
});
