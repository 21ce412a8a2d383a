import * as v from "valibot";

/** Longest text of any field; a longer one does not come from a known server. */
const TEXT_LENGTH_MAX = 500;
/** Limit of reported items: a thousand broken ones say no more than a few. */
const REPORTED_MAX = 4;
const SCALE_8 = 100_000_000n;

/** An id, a name, a slug. */
export const text = v.pipe(v.string(), v.maxLength(TEXT_LENGTH_MAX));

/** Satoshis: an exact, non-negative JSON integer, read as a bigint. */
export const sats = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  v.transform((value) => BigInt(value)),
);

/** An amount in the smallest unit of a token: a string of digits, read as a bigint. */
export const rawAmount = v.pipe(
  v.string(),
  v.regex(/^\d{1,40}$/, "not a whole amount"),
  v.transform((value) => BigInt(value)),
);

/** Sats per whole unit, `"0.08300000"`, read as a bigint scaled by 10^8. */
export const unitPrice = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}(\.\d{1,8})?$/, "not a price"),
  v.transform(scaleBy8),
);

/**
 * A percentage as the server rounds it, at most two decimals. Percentages are compared and shown, never
 * added.
 */
export const percent = v.pipe(v.number(), v.finite());

/** An integer, which may be negative. */
export const wholeNumber = v.pipe(v.number(), v.safeInteger());

/** A count of things. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Unix milliseconds. */
export const timeMs = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** An image URL of our own or over HTTPS; any other URL counts as no image. */
export const imageUrl = v.pipe(
  v.nullable(v.string()),
  v.transform((value) => (value && isSafeUrl(value) ? value : null)),
);

/**
 * A link of our own or over HTTPS; any other URL counts as no link, so that `javascript:` never reaches an
 * anchor.
 */
export const externalUrl = v.pipe(
  v.nullable(v.string()),
  v.transform((value) => (value && isSafeUrl(value) ? value : null)),
);

/**
 * A list that keeps the items it can read. One unreadable item must not blank a whole market, and a half-read
 * item must not be shown at all.
 */
export function lenientArray<const Schema extends v.GenericSchema>(
  schema: Schema,
): v.GenericSchema<v.InferInput<Schema>[], v.InferOutput<Schema>[]> {
  const lenient: v.GenericSchema<unknown[], v.InferOutput<Schema>[]> = v.pipe(
    v.array(v.unknown()),
    v.transform((items) => {
      const kept: v.InferOutput<Schema>[] = [];
      const unreadable: v.BaseIssue<unknown>[] = [];
      for (const item of items) {
        const parsed = v.safeParse(schema, item);
        if (parsed.success) kept.push(parsed.output);
        else unreadable.push(...parsed.issues);
      }
      if (unreadable.length > 0) reportUnreadable(unreadable);
      return kept;
    }),
  );
  // The input type is what the server is known to write, although the reader validates everything.
  return lenient as v.GenericSchema<v.InferInput<Schema>[], v.InferOutput<Schema>[]>;
}

/** Logs which field could not be read, without its value, which may be anything. */
export function reportUnreadable(issues: readonly v.BaseIssue<unknown>[]): void {
  const paths = issues
    .slice(0, REPORTED_MAX)
    .map((issue) => `${v.getDotPath(issue) ?? "item"}: expected ${issue.expected}`);
  console.error("Unreadable item from the server was left out:", paths.join("; "));
}

function scaleBy8(value: string): bigint {
  const [whole = "0", fraction = ""] = value.split(".");
  return BigInt(whole) * SCALE_8 + BigInt(fraction.padEnd(8, "0"));
}

function isSafeUrl(value: string): boolean {
  if (value.length > TEXT_LENGTH_MAX) return false;
  if (value.startsWith("/") && !value.startsWith("//") && !value.includes("\\")) return true;
  return URL.canParse(value) && new URL(value).protocol === "https:";
}
