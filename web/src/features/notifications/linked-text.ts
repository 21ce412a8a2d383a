interface TextPart {
  /** Its offset in the text. */
  at: number;
  text: string;
  /** Target of the link; null for plain text. */
  href: string | null;
}

const ADDRESS = /https?:\/\/[^\s<>"']+/g;

/** Splits the text of a message into URLs and the text between them. */
export function linkedText(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    if (match.index > end) parts.push({ at: end, text: text.slice(end, match.index), href: null });
    // Punctuation after a URL ends the sentence.
    const address = match[0].replace(/[.,;:!?)]+$/, "");
    parts.push({ at: match.index, text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ at: end, text: text.slice(end), href: null });
  return parts;
}
