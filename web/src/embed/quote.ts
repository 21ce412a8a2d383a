import type { AnswerOf, Operation } from "@/shared/api/operation";
import type { EmbedAddress } from "./embed-address";

type Answer = AnswerOf<Operation<"GET", "/api/v1/collections/{name}/quote">>;
type BestAnswer = NonNullable<Answer["best"]>;

/** The best offer, as its borrower would take it. */
export interface BestQuote {
  process: "manual" | "instant";
  principalSats: bigint;
  interestPercent: number;
  interestSats: bigint;
  repaymentSats: bigint;
  termDays: number;
  ltvPercent: number | null;
}

/** The answer about a collection. */
export interface Quote {
  slug: string;
  collectionName: string;
  isLendingAllowed: boolean;
  best: BestQuote | null;
}

/** The result of one request: a quote, a name that the market does not know, or a failure that may pass. */
export type Outcome =
  | { kind: "quote"; quote: Quote }
  | { kind: "unknown"; what: "collection" | "inscription" }
  | { kind: "failed"; retryAfterMs: number };

const TIMEOUT_MS = 10_000;
const NAME_LENGTH_MAX = 200;
const RETRY_AFTER_MS_MAX = 120_000;

/**
 * Asks for the quote. Nothing of the app's session is sent: the answer is the same for everyone, and the page around this
 * one must not make a difference.
 */
export async function fetchQuote({ collection, inscriptionId }: EmbedAddress): Promise<Outcome> {
  const query = inscriptionId === null ? "" : `?inscription_id=${inscriptionId}`;
  try {
    const response = await fetch(
      `/api/v1/collections/${encodeURIComponent(collection ?? "")}/quote${query}`,
      {
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    );
    return readOutcome(response.status, await response.json(), response.headers.get("retry-after"));
  } catch {
    return { kind: "failed", retryAfterMs: 0 };
  }
}

/** Reads a response. */
export function readOutcome(status: number, body: unknown, retryAfter: string | null): Outcome {
  if (status === 404) {
    const { code } = (body ?? {}) as { code?: unknown };
    if (code === "unknown_collection") return { kind: "unknown", what: "collection" };
    if (code === "unknown_inscription") return { kind: "unknown", what: "inscription" };
  }
  const quote = status === 200 ? readQuote(body) : null;
  if (quote !== null) return { kind: "quote", quote };
  const seconds = /^\d{1,4}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
  return { kind: "failed", retryAfterMs: Math.min(seconds * 1_000, RETRY_AFTER_MS_MAX) };
}

/** The fields by name: those of the server's description, of any type, because the body is checked here. */
type Unread<Body> = { [Key in keyof Body]?: unknown };

/** Reads a quote; null if a field is not of its type. By hand, because a library of schemas is larger than this page. */
function readQuote(body: unknown): Quote | null {
  if (typeof body !== "object" || body === null) return null;
  const { groupSlug, collectionName, isLendingAllowed, best } = body as Unread<Answer>;
  if (typeof groupSlug !== "string" || typeof collectionName !== "string") return null;
  if (typeof isLendingAllowed !== "boolean" || best === undefined) return null;
  const read = best === null ? null : readBest(best);
  if (best !== null && read === null) return null;
  return {
    slug: groupSlug,
    collectionName: collectionName.slice(0, NAME_LENGTH_MAX),
    isLendingAllowed,
    best: read,
  };
}

function readBest(body: unknown): BestQuote | null {
  if (typeof body !== "object" || body === null) return null;
  const best = body as Unread<BestAnswer>;
  const sums = [best.principalSats, best.interestSats, best.repaymentSats];
  const [principalSats, interestSats, repaymentSats] = sums.map(readSats);
  const { process, interest, termDays, ltv } = best;
  if (principalSats == null || interestSats == null || repaymentSats == null) return null;
  if (process !== "manual" && process !== "instant") return null;
  if (!isNumber(interest) || !isNumber(termDays) || !(ltv === null || isNumber(ltv))) return null;
  return {
    process,
    principalSats,
    interestSats,
    repaymentSats,
    interestPercent: interest,
    termDays,
    ltvPercent: ltv,
  };
}

function readSats(value: unknown): bigint | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : null;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
