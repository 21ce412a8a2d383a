import { afterEach, describe, expect, it, vi } from "vitest";
import { SignatureCancelled, setMessageSigner } from "@/shared/bitcoin/message-signer";
import { EXAMPLE_SESSION as session } from "@/shared/session/session-example";
import { cancelAllInstantOffers, cancelInstantOffers } from "./instant-cancel";
import { exampleOffer } from "./offer-example";

const offers = [
  exampleOffer({ offerId: "of_1", loanProcessType: "Instant" }),
  exampleOffer({ offerId: "of_2", loanProcessType: "Instant", collateralType: "rune" }),
];
const config = { vaultSignerId: "9d1f" };
const nonce = {
  nonce: "n1",
  issued: 1_800_000_000,
  expires: 1_800_000_600,
  domain: "lienbook.example",
  network: "regtest",
};

/** A server that returns a nonce, then confirms every cancellation. */
function server(nonceAnswer: unknown = { ok: true, data: nonce, errorMessage: null }) {
  const fetch = vi.fn(async (path: string, _options: RequestInit) =>
    Response.json(
      path.endsWith("/nonce")
        ? nonceAnswer
        : { results: offers.map(({ offerId }) => ({ offerId, ok: true, error: null })) },
    ),
  );
  vi.stubGlobal("fetch", fetch);
  return fetch;
}

afterEach(() => {
  vi.unstubAllGlobals();
  setMessageSigner(null);
});

describe("cancelling instant offers", () => {
  it("sends the signed text together with its fields", async () => {
    const fetch = server();
    const signer = vi.fn(async () => "c2ln");
    setMessageSigner(signer);
    const result = await cancelInstantOffers(offers, session, config);
    expect(result.done).toEqual(["of_1", "of_2"]);
    const message =
      "Lienbook: cancel offers\nOrdinal offer: of_1\nRune offer: of_2\nVault: 9d1f\nDomain: lienbook.example\n" +
      "Network: regtest\nAddress: bcrt1qpay\nNonce: n1\nIssued: 1800000000\nExpires: 1800000600";
    expect(signer).toHaveBeenCalledWith("bcrt1qpay", message);
    const [path, options] = fetch.mock.calls[1] ?? [];
    expect(path).toBe("/api/v1/offers/instant/batch-cancel");
    expect(JSON.parse(String(options?.body))).toEqual({
      userAddress: "bcrt1qpay",
      publicKey: "02aa",
      signature: "c2ln",
      signatureTimestamp: 1_800_000_000,
      nonce: "n1",
      canisterId: "9d1f",
      ordinalOfferIds: ["of_1"],
      runeOfferIds: ["of_2"],
      message,
    });
  });

  it("sends one text for all of them, whatever their number", async () => {
    const fetch = server();
    setMessageSigner(async () => "c2ln");
    const result = await cancelAllInstantOffers(session, config);
    expect(result.done).toEqual(["of_1", "of_2"]);
    const [path, options] = fetch.mock.calls[1] ?? [];
    expect(path).toBe("/api/v1/offers/instant/cancel-all");
    expect(JSON.parse(String(options?.body))).toEqual({
      message: expect.stringMatching(/^Lienbook: cancel all offers\nVault: 9d1f\nDomain: /),
      signature: "c2ln",
      signature_timestamp: 1_800_000_000,
    });
  });

  it("sends nothing when the user cancels", async () => {
    const fetch = server();
    setMessageSigner(async () => {
      throw new SignatureCancelled();
    });
    await expect(cancelInstantOffers(offers, session, config)).rejects.toThrow(
      "Signature request was cancelled",
    );
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["without the signer's id", { vaultSignerId: null }, undefined, "Vault canister hash not configured"],
    ["without a nonce", config, { ok: false, data: null, errorMessage: "busy" }, "Failed to get nonce"],
    ["without a wallet", config, undefined, "Please reconnect your wallet"],
  ])("%s is reported", async (_, settings, answer, text) => {
    server(answer);
    await expect(cancelInstantOffers(offers, session, settings)).rejects.toThrow(text);
  });
});
