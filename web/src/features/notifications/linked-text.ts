interface TextPart {
  /** Where it begins. */
  at: number;
  text: string;
  /** Where it leads; null for plain text. */
  href: string | null;
}

const ADDRESS = /https?:\/\/[^\s<>"']+/g;

/** A text of a message in parts: what is an address, and what stands between. */
export function linkedText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    if (match.index > end) parts.push({ at: end, text: text.slice(end, match.index), href: null });
    // A full stop behind an address ends the sentence.
    const address = match[0].replace(/[.,;:!?)]+$/, "");
    parts.push({ at: match.index, text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), href: null });
  return parts;
}
