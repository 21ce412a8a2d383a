import { describe, expect, it } from "vitest";
import { type LendDraft, type LendTarget, newDraft, principalOf, reducer } from "./lend-draft";
import { INSCRIPTION } from "./lend-fixtures";
import type { FormAction } from "./lend-form";
import { type Selection, type SelectionAction, selectionReducer } from "./lend-selection";

const target = (id: string, floorSats = 10_000_000n): LendTarget => ({
  ...INSCRIPTION,
  subCollectionId: id,
  collectionSlug: `foxes-${id}`,
  price: floorSats * 100_000_000n,
});
const reduce = selectionReducer<LendTarget, LendDraft, FormAction>({
  start: newDraft,
  reduce: reducer,
  move: (draft, moved) => reducer(draft, { type: "marketMoved", target: moved }),
});
const choose = (id: string): SelectionAction<LendTarget, FormAction> => ({
  type: "chosen",
  target: target(id),
});
const change = (text: string): SelectionAction<LendTarget, FormAction> => ({
  type: "changed",
  action: { type: "amountTyped", text },
});
const selected = (...actions: SelectionAction<LendTarget, FormAction>[]) =>
  actions.reduce(reduce, { drafts: [newDraft(target("a"))], activeId: "a" } as Selection<LendDraft>);
const ids = ({ drafts }: Selection<LendDraft>) => drafts.map((draft) => draft.target.subCollectionId);

describe("a selection of bundles or terms", () => {
  it.each([
    ["adds one and shows it", [choose("b")], ["a", "b"], "b"],
    ["shows one that is selected without adding it again", [choose("b"), choose("a")], ["a", "b"], "a"],
    ["shows one by its name", [choose("b"), { type: "shown", subCollectionId: "a" }], ["a", "b"], "a"],
    ["shows none that is not selected", [{ type: "shown", subCollectionId: "b" }], ["a"], "a"],
    [
      "lets one go and shows the last of the rest",
      [choose("b"), { type: "removed", subCollectionId: "b" }],
      ["a"],
      "a",
    ],
    [
      "keeps what is shown when another is let go",
      [choose("b"), { type: "removed", subCollectionId: "a" }],
      ["b"],
      "b",
    ],
    ["may become empty", [{ type: "removed", subCollectionId: "a" }], [], null],
    [
      "becomes one again",
      [choose("b"), choose("c"), { type: "onlyChosen", target: target("b") }],
      ["b"],
      "b",
    ],
  ] satisfies Array<[string, SelectionAction<LendTarget, FormAction>[], string[], string | null]>)(
    "%s",
    (_, actions, expected, activeId) => {
      const selection = selected(...actions);
      expect(ids(selection)).toEqual(expected);
      expect(selection.activeId).toBe(activeId);
    },
  );

  it("changes only the shown one, and gives each its defaults", () => {
    const selection = selected(choose("b"), change("0.03"));
    expect(selection.drafts.map((draft) => draft.amountText)).toEqual(["0.05", "0.03"]);
  });

  it("keeps the input when one is shown again, or is the only one left", () => {
    const selection = selected(change("0.02"), choose("b"), { type: "onlyChosen", target: target("a") });
    expect(selection.drafts.map(principalOf)).toEqual([2_000_000n]);
  });

  it("follows the market", () => {
    const selection = selected(choose("b"), {
      type: "marketMoved",
      targets: [target("a", 20_000_000n), target("b")],
    });
    expect(selection.drafts.map((draft) => draft.ltvPercent)).toEqual([25, 50]);
  });
});
