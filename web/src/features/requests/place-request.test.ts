import { expect, it } from "vitest";
import { wirePledge } from "./place-request";

it.each([
  [{ inscriptionIds: ["i0"] }, { inscriptionId: "i0" }],
  [{ inscriptionIds: ["i2", "i0"] }, { inscriptionIds: ["i2", "i0"] }],
  [{ fungibleAmount: 12_345_678_901_234_567_890n }, { fungibleAmount: "12345678901234567890" }],
])("the collateral %o is sent under one name", (pledge, sent) => {
  expect(wirePledge(pledge)).toEqual(sent);
});
