import { describe, expect, it } from "vitest";
import { broadcastCommand, KIT_TEXTS } from "./kit-texts";

describe("the texts of a kit", () => {
  it("name a file of their own for each transaction", () => {
    const files = Object.values(KIT_TEXTS).map(({ file }) => file);
    expect(new Set(files).size).toBe(files.length);
    for (const file of files) {
      expect(broadcastCommand(file)).toBe(`bitcoin-cli sendrawtransaction "$(cat ${file}.hex)"`);
    }
  });

  it("say that the page cannot see assets where coins of the user pay", () => {
    for (const role of ["borrower", "lender"] as const) {
      expect(KIT_TEXTS[role].coins).toContain("this page cannot see them");
    }
  });
});
