import { KEY_SCOPES } from "@/shared/bitcoin/action-message";
import { SCOPE_TEXT } from "./api-key-draft";
import type { ApiKey } from "./api-key-requests";

/** What a key may do, in the words of the form. */
export function scopesText(scopes: ApiKey["scopes"]): string {
  const texts = KEY_SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => SCOPE_TEXT[scope]);
  return texts.map((text, at) => (at === 0 ? text : text[0]?.toLowerCase() + text.slice(1))).join("; ");
}

/** The restrictions of a key, one line for each that it has. */
export function keyFacts({ collections, addresses }: Pick<ApiKey, "collections" | "addresses">): string[] {
  return [
    ...(collections === null ? [] : [`Only in ${collections.join(", ")}`]),
    ...(addresses === null ? [] : [`Only from ${addresses.join(", ")}`]),
  ];
}
