/** The terms of the page's own address. */
export interface EmbedAddress {
  /** Slug or id of the collection; null where the address names none. */
  collection: string | null;
  /** The inscription; null for the collection as a whole. */
  inscriptionId: string | null;
  theme: "dark" | "light" | null;
  /** The origin of the page around this one, which is told the height; null to tell nothing. */
  host: string | null;
}

const SLUG = /^[A-Za-z0-9_-]{1,64}$/;
const INSCRIPTION = /^[0-9a-f]{64}i(0|[1-9]\d{0,9})$/;

/** Reads the address. An inscription of another form is kept out: the page then says that there is none. */
export function readAddress(search: string): EmbedAddress {
  const query = new URLSearchParams(search);
  const [collection, inscription, theme] = ["collection", "inscription", "theme"].map((name) =>
    query.get(name),
  );
  const isRead = SLUG.test(collection ?? "") && (!inscription || INSCRIPTION.test(inscription));
  return {
    collection: isRead ? (collection ?? null) : null,
    inscriptionId: isRead ? inscription || null : null,
    theme: theme === "dark" || theme === "light" ? theme : null,
    host: originOf(query.get("host")),
  };
}

/** An origin exactly as browsers write it; null for any other text. */
function originOf(text: string | null): string | null {
  if (text === null || !URL.canParse(text)) return null;
  const { origin, protocol } = new URL(text);
  return origin === text && /^https?:$/.test(protocol) ? origin : null;
}
