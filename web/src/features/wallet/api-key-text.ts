import type { ApiKey } from "./api-key-requests";

/** The restrictions of a key, one line for each that it has. */
export function keyFacts({ collections, addresses }: Pick<ApiKey, "collections" | "addresses">): string[] {
  return [
    ...(collections === null ? [] : [`Only in ${collections.join(", ")}`]),
    ...(addresses === null ? [] : [`Only from ${addresses.join(", ")}`]),
  ];
}
