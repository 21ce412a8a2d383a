import { describe, expect, it } from "vitest";
import { row } from "@/shared/feed/feed-fixtures";
import { isComplete, pledgedTogether } from "./pledged-together";

const own = (inscription_id: string, collectionId = "g_1") => ({
  inscription_id,
  inscription_name: inscription_id,
  inscription_number: null,
  content_url: null,
  collectionId,
  isPromised: false,
});
const collateral = (...ids: string[]) => ({ inscriptions: ids.map((id) => own(id)), runes: [] });

describe("the inscriptions that an offer takes together", () => {
  it("are in the offer's order, with what the wallet holds of them", () => {
    const pledged = pledgedTogether(new Set(["b", "a"]), row(), collateral("a", "c", "b"));
    expect(pledged?.ids).toEqual(["b", "a"]);
    expect([...(pledged?.held.keys() ?? [])].sort()).toEqual(["a", "b"]);
    expect(pledged && isComplete(pledged)).toBe(true);
  });

  it("are incomplete when one has left the wallet, or is of another collection", () => {
    const taken = new Set(["a", "b"]);
    const left = pledgedTogether(taken, row(), collateral("a"));
    expect(left && isComplete(left)).toBe(false);
    const other = { inscriptions: [own("a"), own("b", "g_2")], runes: [] };
    const foreign = pledgedTogether(taken, row(), other);
    expect(foreign && isComplete(foreign)).toBe(false);
  });

  it("are unknown while the offer's or the user's are loading", () => {
    expect(pledgedTogether(undefined, row(), collateral("a"))).toBeNull();
    expect(pledgedTogether(new Set(["a"]), row(), undefined)).toBeNull();
    expect(isComplete({ ids: [], held: new Map() })).toBe(false);
  });
});
