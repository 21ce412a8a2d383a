const NAME_LENGTH_MAX = 19;
const CHARACTERS = new Intl.Segmenter("en", { granularity: "grapheme" });

/** A collection's name cut at nineteen characters, counted as the user sees them. */
export function truncateName(name: string, max = NAME_LENGTH_MAX): string {
  if (name.length <= max) return name;
  const characters = [...CHARACTERS.segment(name)].map(({ segment }) => segment);
  return characters.length <= max ? name : `${characters.slice(0, max).join("").trimEnd()}…`;
}

/** The name without the bundle number: `Bitmap Blocks [3]` is the third bundle of Bitmap Blocks. */
export function withoutBundleNumber(name: string): string {
  return name.replace(/\s*[[(]\d+[\])]\s*$/, "") || name;
}

/** Up to two letters that represent a collection without an image. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const letters =
    words.length > 1 ? words.slice(0, 2).map((word) => [...word][0] ?? "") : [...(words[0] ?? "?")];
  return letters.slice(0, 2).join("").toUpperCase();
}

/** Start and end of an address or a transaction id. */
export function shortenAddress(address: string, edge = 6): string {
  return address.length <= edge * 2 + 1 ? address : `${address.slice(0, edge)}…${address.slice(-edge)}`;
}
