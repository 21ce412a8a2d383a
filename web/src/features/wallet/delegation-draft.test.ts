import { describe, expect, it } from "vitest";
import { actionMessage } from "@/shared/bitcoin/action-message";
import { type DelegationDraft, delegationErrors, EMPTY_DELEGATION, newDelegation } from "./delegation-draft";

const NOW_MS = 1_800_000_000_500;
const FULL: DelegationDraft = {
  delegationId: "5f2c1d0e9b8a77665f2c1d0e9b8a7766",
  programKey: "c7f12003196442943d8588e01aee840423cc54fc1521526a3b85c2b0cbd58872",
  principalMax: "0.0125",
  dailyMax: "0.1",
  interestMin: "1.2",
  termMaxDays: "30",
  collections: "pizza-ninjas-14d, dog-14d pizza-ninjas-14d",
  validDays: "90",
};

describe("the draft of a delegation", () => {
  it("names each field that cannot be signed", () => {
    expect(delegationErrors(FULL)).toEqual({});
    expect(Object.keys(delegationErrors({ ...EMPTY_DELEGATION, termMaxDays: "" })).toSorted()).toEqual([
      "dailyMax",
      "delegationId",
      "interestMin",
      "principalMax",
      "programKey",
      "termMaxDays",
    ]);
    for (const programKey of ["", "c7f1", FULL.programKey.toUpperCase(), `02${FULL.programKey}`]) {
      expect(delegationErrors({ ...FULL, programKey }).programKey).toBeDefined();
    }
    for (const interestMin of ["", "-1", "1.234", "100.01", "1e1", "1,2"]) {
      expect(delegationErrors({ ...FULL, interestMin }).interestMin).toBeDefined();
    }
    for (const termMaxDays of ["0", "3651", "1.5", "-3"]) {
      expect(delegationErrors({ ...FULL, termMaxDays }).termMaxDays).toBeDefined();
    }
  });

  it("becomes the message that the wallet signs", () => {
    const message = actionMessage(
      { type: "delegateQuotes", ...newDelegation(FULL, "9d1f", NOW_MS) },
      { domain: "d", network: "regtest", address: "a", nonce: "n", issuedS: 1, expiresS: 2 },
    );
    expect(message.split("\n").slice(0, 11)).toEqual([
      "Lienbook: delegate quotes",
      `Delegation: ${FULL.delegationId}`,
      `Program key: ${FULL.programKey}`,
      "Vault: 9d1f",
      "Collection: pizza-ninjas-14d",
      "Collection: dog-14d",
      "Max principal sats: 1250000",
      "Max daily sats: 10000000",
      "Min interest x100: 120",
      "Max term days: 30",
      `Valid until: ${1_800_000_000 + 90 * 86_400 - 60}`,
    ]);
    const open = newDelegation({ ...FULL, collections: "", interestMin: "0.05" }, "9d1f", NOW_MS);
    expect([open.collections, open.interestMin]).toEqual([undefined, 5]);
  });
});
