import { describe, expect, it } from "vitest";
import { vaultAnswer, vaultText } from "./vault-address";

const KEY = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

describe("the description of a vault for the second verifier", () => {
  const vault = {
    network: "regtest",
    lenderId: 4,
    ordinalsKey: `02${KEY}`,
    policyHash: "aa",
    policy: "Lienbook vault policy: 2",
    signers: [{ key: KEY, signer: KEY, attestation: "bb" }],
    address: "bcrt1p",
  };

  it("has the user's key without the parity that some wallets put before it", () => {
    expect(JSON.parse(vaultText(vault))).toEqual({ vault: { ...vault, ordinalsKey: KEY } });
    expect(JSON.parse(vaultText({ ...vault, ordinalsKey: KEY })).vault.ordinalsKey).toBe(KEY);
  });
});

describe("the answer of the second verifier about a vault", () => {
  it("agrees with the signers that the policy names, or gives its reason", () => {
    const agrees = { result: "agrees", required: 2, count: 3, isAttested: true };
    expect(vaultAnswer(JSON.stringify(agrees))).toEqual(agrees);
    const disagrees = { result: "disagrees", reason: "a signer's key is not attested" };
    expect(vaultAnswer(JSON.stringify(disagrees))).toEqual(disagrees);
  });

  it.each(["", "{}", "null", '{"result":"agrees"}', '{"agrees":true}'])(
    "is a refusal if it is %j",
    (text) => {
      expect(vaultAnswer(text).result).toBe("disagrees");
    },
  );
});
