import { afterEach, describe, expect, it, vi } from "vitest";
import { EXAMPLE_SESSION as session } from "@/shared/session/session-example";
import { type InstantOfferRequest, placeInstantOffer } from "./instant-submission";

vi.mock("@/shared/bitcoin/message-signer", () => ({ signMessage: async () => "signature" }));

const nonce = { nonce: "n1", issued: 1_800_000_000, expires: 1_800_000_600, domain: "d", network: "regtest" };
const lender = {
  session,
  config: { vaultSignerId: "aa" },
  vaultAddress: "bcrt1pvault",
  collectionName: "Quiet Foxes",
};
const offerRequest: InstantOfferRequest = {
  kind: "inscription",
  collectionSlug: "quiet-foxes-14d",
  principalSats: 9_000_000n,
  principalMinSats: 3_000_000n,
  fungibleAmount: null,
  ltvMax: 6_000,
  acceptNextTerm: true,
  replaces: null,
  borrower: null,
  goodUntilMs: null,
};

/** Places an offer; returns the path and the body of the request. */
async function placed(request: InstantOfferRequest) {
  const fetch = vi.fn(async (path: string, _options: RequestInit) =>
    Response.json(
      path.includes("nonce") ? { ok: true, data: nonce, errorMessage: null } : { offer: { offerId: "of_1" } },
    ),
  );
  vi.stubGlobal("fetch", fetch);
  await placeInstantOffer(
    request,
    lender,
    () => undefined,
    async () => "token",
  );
  const [path, options] = fetch.mock.calls.at(-1) ?? [];
  return { path, body: JSON.parse(String(options?.body)) };
}

afterEach(() => vi.unstubAllGlobals());

describe("an instant offer that follows the floor", () => {
  it("is created with its bounds, which are those of the signed message", async () => {
    const { path, body } = await placed(offerRequest);
    expect(path).toBe("/api/v1/offers/instant/ordinals");
    expect(body).toMatchObject({
      principal_amount_sats: 9_000_000,
      principal_min_amount_sats: 3_000_000,
      ltv_max: 6_000,
    });
    expect(body.message).toContain(
      "\nPrincipal sats: 9000000\nMin principal sats: 3000000\nMax LTV x100: 6000\n",
    );
  });

  it("is edited with them", async () => {
    const { path, body } = await placed({ ...offerRequest, replaces: "of_0" });
    expect(path).toBe("/api/v1/offers/instant/batch-edit");
    expect(body.editOrdinalOffer).toMatchObject({
      deleteOfferExternalId: "of_0",
      newOffer: { principalAmountSats: 9_000_000, principalMinAmountSats: 3_000_000, ltvMax: 6_000 },
    });
    expect(body.message).toContain("\nMin principal sats: 3000000\n");
  });

  it("says nothing of a least principal when it is fixed", async () => {
    for (const replaces of [null, "of_0"]) {
      const { body } = await placed({ ...offerRequest, principalMinSats: null, replaces });
      expect(JSON.stringify(body)).not.toMatch(/min[_ ]?principal|principal_?min/i);
    }
  });
});
