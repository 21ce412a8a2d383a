import { describe, expect, test } from "vitest";
import { ACTIONS } from "./action-list";
import { chordOf, keyLabels, readKey } from "./shortcut";

const PLAIN = { ctrlKey: false, metaKey: false, altKey: false };

function idAfter(...chords: string[]): string | null {
  let pressed: readonly string[] = [];
  let id: string | null = null;
  for (const chord of chords) {
    const reading = readKey(ACTIONS, pressed, chord);
    pressed = reading.pressed;
    id = reading.action?.id ?? null;
  }
  return id;
}

describe("keys", () => {
  test.each([
    [["/"], "search"],
    [["?"], "help"],
    [["mod+k"], "palette"],
    [["g", "b"], "borrow"],
    [["g", "l"], "lend"],
    [["g", "p"], "portfolio"],
    [["g", "g", "p"], "portfolio"],
    [["g", "/"], "search"],
    [["g", "x", "b"], null],
    [["b"], null],
    [["k"], null],
  ] as const)("%j mean %s", (chords, id) => {
    expect(idAfter(...chords)).toBe(id);
  });

  test("treat Command and Control as one modifier, and never match with Alt", () => {
    expect(chordOf({ ...PLAIN, key: "K", ctrlKey: true })).toBe("mod+k");
    expect(chordOf({ ...PLAIN, key: "k", metaKey: true })).toBe("mod+k");
    expect(chordOf({ ...PLAIN, key: "k" })).toBe("k");
    expect(chordOf({ ...PLAIN, key: "?", altKey: true })).toBeNull();
    expect(chordOf({ ...PLAIN, key: "Shift" })).toBeNull();
  });

  test("are shown as they are printed", () => {
    expect(keyLabels("mod+k", true)).toEqual(["⌘", "K"]);
    expect(keyLabels("mod+k", false)).toEqual(["Ctrl", "K"]);
    expect(keyLabels("g b", false)).toEqual(["G", "B"]);
  });
});

describe("the registry", () => {
  test("names each action once, and gives no two the same keys", () => {
    const ids = ACTIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const keys = ACTIONS.flatMap((action) => action.keys ?? []);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("has no shortcut that is a prefix of another, so that every sequence can be completed", () => {
    const keys = ACTIONS.flatMap((action) => action.keys ?? []);
    for (const short of keys) {
      expect(keys.filter((long) => long.startsWith(`${short} `))).toEqual([]);
    }
  });
});
