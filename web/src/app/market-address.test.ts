import { describe, expect, test } from "vitest";
import { addressOf, DIALOG_VIEWS, dialogAt, keepAcrossCategories } from "./market-address";

describe("the dialog of a URL", () => {
  test.each([
    ["borrow", null, "borrow"],
    ["lend", null, "lend"],
    ["borrow", "lend", "lend"],
    ["lend", "borrow", "borrow"],
    ["borrow", "book", "book"],
    ["lend", "detail", "detail"],
  ] as const)("a path to %s with the view %s opens %s", (mode, view, opened) => {
    expect(dialogAt(mode, { collection: "lantern-foxes", view, offer: null, inscription: null })).toEqual({
      slug: "lantern-foxes",
      view: opened,
    });
  });

  test("no collection opens nothing, whatever the view", () => {
    for (const view of [null, ...DIALOG_VIEWS]) {
      expect(dialogAt("borrow", { collection: null, view, offer: "of_1", inscription: null })).toBeNull();
      expect(dialogAt("lend", { collection: "", view, offer: null, inscription: null })).toBeNull();
    }
  });

  test.each([
    ["borrow", null, "of_1", { slug: "lantern-foxes", view: "book", offer: "of_1" }],
    ["lend", "book", "of_1", { slug: "lantern-foxes", view: "book", offer: "of_1" }],
    ["borrow", "detail", "of_1", { slug: "lantern-foxes", view: "detail" }],
    ["borrow", null, "", { slug: "lantern-foxes", view: "borrow" }],
  ] as const)(
    "an offer on a path to %s with the view %s is shown in its book",
    (mode, view, offer, opened) => {
      expect(dialogAt(mode, { collection: "lantern-foxes", view, offer, inscription: null })).toEqual(opened);
    },
  );
});

test("an inscription to pledge is for the borrow dialog alone", () => {
  const at = (mode: "borrow" | "lend", view: "book" | null) =>
    dialogAt(mode, { collection: "lantern-foxes", view, offer: null, inscription: "abi0" });
  expect(at("borrow", null)).toEqual({ slug: "lantern-foxes", view: "borrow", inscription: "abi0" });
  expect(at("borrow", "book")).toEqual({ slug: "lantern-foxes", view: "book" });
  expect(at("lend", null)).toEqual({ slug: "lantern-foxes", view: "lend" });
});

describe("the URL of a dialog", () => {
  test("opens that dialog again", () => {
    for (const mode of ["borrow", "lend"] as const) {
      for (const view of DIALOG_VIEWS) {
        const dialog = { slug: "lantern-foxes", view };
        expect(dialogAt(mode, addressOf(mode, dialog))).toEqual(dialog);
      }
      const ofOffer = { slug: "lantern-foxes", view: "book", offer: "of_1" } as const;
      const ofInscription = { slug: "lantern-foxes", view: "borrow", inscription: "abi0" } as const;
      expect(dialogAt(mode, addressOf(mode, ofInscription))).toEqual(ofInscription);
      expect(dialogAt(mode, addressOf(mode, ofOffer))).toEqual(ofOffer);
      expect(dialogAt(mode, addressOf(mode, null))).toBeNull();
    }
  });

  test("omits a view that the path implies", () => {
    expect(addressOf("lend", { slug: "a", view: "lend" }).view).toBeNull();
    expect(addressOf("lend", { slug: "a", view: "borrow" }).view).toBe("borrow");
  });
});

test("another category keeps the table's settings and drops the search", () => {
  expect(
    keepAcrossCategories(
      "?process=instant&q=fox&filters=favorites&collection=a&view=book&offer=of_1&sort=name",
      "runes",
    ),
  ).toBe("process=instant&sort=name");
});

test("BRC-20, which has no instant loans, is shown by its manual offers", () => {
  expect(keepAcrossCategories("?process=instant&sort=name", "brc-20")).toBe("sort=name");
});
