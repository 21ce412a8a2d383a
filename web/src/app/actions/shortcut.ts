import type { Action } from "./action";

/** Maximum time between two keys of one sequence. */
export const SEQUENCE_MS = 1_000;

/** The keys of the palette, which opens before the actions in it are loaded. */
export const PALETTE_KEYS = "mod+k";

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** A key press in the notation of shortcuts: `mod+k`, `g`, `?`. Null for one that no shortcut can use. */
export function chordOf({ key, ctrlKey, metaKey, altKey }: KeyPress): string | null {
  if (altKey || key.length !== 1) return null;
  const character = key.toLowerCase();
  return ctrlKey || metaKey ? `mod+${character}` : character;
}

export interface Reading {
  /** The action whose sequence is complete. */
  action: Action | null;
  /** The keys pressed so far, if a shortcut may continue from here. */
  pressed: readonly string[];
}

/** Interprets a key after the ones that were pressed before. */
export function readKey(actions: readonly Action[], before: readonly string[], chord: string): Reading {
  for (const pressed of before.length > 0 ? [[...before, chord], [chord]] : [[chord]]) {
    const typed = pressed.join(" ");
    const action = actions.find(({ keys }) => keys === typed);
    if (action) return { action, pressed: [] };
    if (actions.some(({ keys }) => keys?.startsWith(`${typed} `))) return { action: null, pressed };
  }
  return { action: null, pressed: [] };
}

/** Key labels as printed on the user's keyboard. */
export function keyLabels(keys: string, isApple: boolean): string[] {
  return keys
    .split(" ")
    .flatMap((chord) => (chord.startsWith("mod+") ? [isApple ? "⌘" : "Ctrl", chord.slice(4)] : [chord]))
    .map((key) => (/^[a-z]$/.test(key) ? key.toUpperCase() : key));
}

export function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
