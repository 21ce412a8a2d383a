import { describe, expect, it } from "vitest";
import { type ColumnChoice, sortChoices, visibleColumns } from "./market-columns";
import { nextSort } from "./market-view";

const ALL: ColumnChoice = {
  mode: "borrow",
  category: "ordinals",
  volume: "1d",
  change: "24h",
  hasChanges: true,
  narrow: false,
};

const ids = (choice: Partial<ColumnChoice>) =>
  visibleColumns({ ...ALL, ...choice }).map((column) => column.id);

describe("visibleColumns", () => {
  it("shows the chosen columns", () => {
    expect(ids({})).toEqual([
      "name",
      "orders",
      "offer",
      "rate",
      "term",
      "ltv",
      "price",
      "volume",
      "change",
      "action",
    ]);
    expect(ids({ volume: "none" })).not.toContain("volume");
    expect(ids({ change: "none" })).not.toContain("change");
    expect(ids({ hasChanges: false })).not.toContain("change");
  });

  it("fits all of them into the narrowest window with a table", () => {
    expect(ids({ narrow: true })).toEqual(ids({ narrow: false }));
    const width = visibleColumns({ ...ALL, narrow: true }).reduce((sum, column) => sum + column.width, 0);
    expect(width).toBeLessThanOrEqual(1_000);
  });

  it("names the rate for the user's side", () => {
    const label = (mode: ColumnChoice["mode"]) =>
      visibleColumns({ ...ALL, mode }).find((column) => column.id === "rate")?.label;
    expect(label("lend")).toBe("APY");
    expect(label("borrow")).toBe("Interest");
  });
});

describe("sorting", () => {
  it("starts numbers with the largest and names with A, and reverses on a second press", () => {
    const byOffer = nextSort({ key: "name", descending: false }, "offer");
    expect(byOffer).toEqual({ key: "offer", descending: true });
    expect(nextSort(byOffer, "offer")).toEqual({ key: "offer", descending: false });
    expect(nextSort(byOffer, "name")).toEqual({ key: "name", descending: false });
  });

  it("does not offer price changes where there are none", () => {
    expect(sortChoices("lend", "runes", false).map(([key]) => key)).not.toContain("change");
  });
});
