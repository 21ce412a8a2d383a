import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hex } from "@scure/base";
import { NETWORK, p2tr, p2wpkh, utils, WIF } from "@scure/btc-signer";
import { describe, expect, it } from "vitest";
import { messageHash, signBip322Simple, toSign, toSpendId } from "./bip322";
import { keysFromSeed } from "./seed-keys";

// The key of the test vectors of BIP-322.
const privateKey = WIF(NETWORK).decode("L3VFeEujGtevx9w18HD1fhRbCH67Az2dpCymeRE1SoPK6XQtaN2k");
const segwit = p2wpkh(secp256k1.getPublicKey(privateKey), NETWORK);
const internalKey = utils.pubSchnorr(privateKey);
const taproot = p2tr(internalKey, undefined, NETWORK);

describe("BIP-322", () => {
  it("has the addresses of the published key", () => {
    expect(segwit.address).toBe("bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l");
    expect(taproot.address).toBe("bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3");
  });

  it.each([
    ["", "c90c269c4f8fcbe6880f72a721ddfbf1914268a794cbb21cfafee13770ae19f1"],
    ["Hello World", "f0eb03b1a75ac6d9847f55c624a99169b5dccba2a31f5b23bea77ba270de0a7a"],
  ])("hashes the message %j as published", (message, hash) => {
    expect(hex.encode(messageHash(message))).toBe(hash);
  });

  it.each([
    [
      "",
      "c5680aa69bb8d860bf82d4e9cd3504b55dde018de765a91bb566283c545a99a7",
      "1e9654e951a5ba44c8604c4de6c67fd78a27e81dcadcfe1edf638ba3aaebaed6",
    ],
    [
      "Hello World",
      "b79d196740ad5217771c1098fc4a4b51e0535c32236c71f1ea4d61a2d603352b",
      "88737ae86f2077145f93cc4b153ae9a1cb8d56afa511988c149c5c8c9d93bddf",
    ],
  ])("builds the published transactions of %j", (message, spendId, signId) => {
    expect(toSpendId(segwit.script, message)).toBe(spendId);
    const transaction = toSign({ script: segwit.script }, message);
    transaction.signIdx(privateKey, 0);
    transaction.finalizeIdx(0);
    expect(transaction.id).toBe(signId);
  });

  it.each([
    [
      "",
      [
        "AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
        "AkgwRQIhAPkJ1Q4oYS0htvyuSFHLxRQpFAY56b70UvE7Dxazen0ZAiAtZfFz1S6T6I23MWI2lK/pcNTWncuyL8UL+oMdydVgzAEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
      ],
    ],
    [
      "Hello World",
      [
        "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI=",
        "AkgwRQIhAOzyynlqt93lOKJr+wmmxIens//zPzl9tqIOua93wO6MAiBi5n5EyAcPScOjf1lAqIUIQtr3zKNeavYabHyR8eGhowEhAsfxIAMZZEKUPYWI4BruhAQjzFT8FSFSajuFwrDL1Yhy",
      ],
    ],
  ])("signs %j for a segwit address as published", (message, published) => {
    expect(published).toContain(signBip322Simple({ privateKey, script: segwit.script }, message));
  });

  it("signs for a taproot address as Bitcoin Core's own test has it", () => {
    const key = { privateKey, script: taproot.script, tapInternalKey: internalKey };
    expect(signBip322Simple(key, "Hello World", new Uint8Array(32))).toBe(
      "AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ==",
    );
  });

  it("never signs with the key of another address", () => {
    const other = keysFromSeed(new Uint8Array(32).fill(1), "bitcoin");
    expect(() => signBip322Simple({ privateKey, script: other.payment.script }, "Hello World")).toThrow();
    const wrong = { ...other.ordinals, privateKey };
    expect(() => signBip322Simple(wrong, "Hello World")).toThrow();
  });
});

describe("the keys of a seed", () => {
  // The seed of the mnemonic "abandon ... about", from the test vectors of BIP-84 and BIP-86.
  const seed = hex.decode(
    "5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4",
  );

  it("give the published addresses on the main network", () => {
    const keys = keysFromSeed(seed, "bitcoin");
    expect(keys.payment.address).toBe("bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    expect(keys.ordinals.address).toBe("bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr");
  });

  it("differ from account to account and from network to network", () => {
    const addresses = [
      keysFromSeed(seed, "regtest", 0),
      keysFromSeed(seed, "regtest", 1),
      keysFromSeed(seed, "signet", 0),
    ].map(({ payment }) => payment.address);
    expect(new Set(addresses).size).toBe(3);
    expect(addresses[0]).toMatch(/^bcrt1q/);
    expect(addresses[2]).toMatch(/^tb1q/);
  });
});
