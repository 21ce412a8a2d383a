import { beforeEach, describe, expect, it, vi } from "vitest";
import { recallCheckedVault, rememberCheckedVault } from "./checked-vault";

const VAULT = { address: "bc1pvault", required: 2, count: 3, isAttested: true };
let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
});

describe("a vault that was checked in this browser", () => {
  it("is recalled for its user and its address alone", () => {
    rememberCheckedVault("us_1", VAULT);
    expect(recallCheckedVault("us_1", "bc1pvault")).toEqual(VAULT);
    expect(recallCheckedVault("us_1", "bc1pother")).toBeNull();
    expect(recallCheckedVault("us_2", "bc1pvault")).toBeNull();
  });

  it.each(["", "{", "null", '{"address":"bc1pvault"}'])("is checked again where %j is stored", (text) => {
    stored.set("lienbook.checked-vault.us_1", text);
    expect(recallCheckedVault("us_1", "bc1pvault")).toBeNull();
  });

  it("is checked again where nothing can be stored", () => {
    vi.stubGlobal("localStorage", {
      getItem: () => {
        throw new Error("denied");
      },
      setItem: () => {
        throw new Error("full");
      },
    });
    rememberCheckedVault("us_1", VAULT);
    expect(recallCheckedVault("us_1", "bc1pvault")).toBeNull();
  });
});
