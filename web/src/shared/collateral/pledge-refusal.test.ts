import { expect, it } from "vitest";
import { pledgeRefusal } from "./pledge-refusal";

const ORDINAL = { collateralType: "inscription" } as const;
const RUNE = { collateralType: "rune" } as const;

it("refuses ordinals of hardware wallets only", () => {
  expect(pledgeRefusal({ hardwareWallet: true }, ORDINAL)).toBe(
    "Hardware wallets cannot pledge ordinals here.",
  );
  expect(pledgeRefusal({ hardwareWallet: true }, RUNE)).toBeNull();
  expect(pledgeRefusal({ hardwareWallet: false }, ORDINAL)).toBeNull();
  expect(pledgeRefusal(null, ORDINAL)).toBeNull();
});
