const FIRST_MS = 250;
export const WAIT_MAX_MS = 30_000;
export const ATTEMPTS_MAX = 6;

/** What became of an attempt: no answer, or an answer that is no success. */
export type Failure =
  | { kind: "lost" }
  | { kind: "answered"; status: number; code: string | null; retryAfterMs: number | null };

export type Next =
  | { kind: "again"; waitMs: number }
  | { kind: "give up" }
  | { kind: "too long"; waitMs: number };

/** The longest back-off after `failures` in a row: doubled with each. */
export function ceilingMs(failures: number): number {
  return Math.min(WAIT_MAX_MS, FIRST_MS * 2 ** Math.min(Math.max(failures - 1, 0), 10));
}

/** Back-off after `failures` in a row: between half of the longest and all of it. `random` is in [0, 1). */
export function delayMs(failures: number, random: number): number {
  const ceiling = ceilingMs(failures);
  return Math.round(ceiling / 2 + (ceiling / 2) * random);
}

/**
 * The step after attempt number `attempt`, from 1. A write is sent again only when the server did nothing, or when a
 * repetition has the effect of one request.
 */
export function nextStep(failure: Failure, attempt: number, isRepeatable: boolean, random: number): Next {
  const usual = delayMs(attempt, random);
  let isSafe = isRepeatable;
  let waitMs = usual;
  if (failure.kind === "answered") {
    const { status, code, retryAfterMs } = failure;
    if (status === 429 || status === 503) {
      isSafe = true;
      waitMs = retryAfterMs === null ? usual : retryAfterMs + delayMs(1, random);
    } else if (code === "idempotency_in_flight") isSafe = true;
    else if (status !== 502 && status !== 504) return { kind: "give up" };
  }
  if (!isSafe) return { kind: "give up" };
  if (waitMs > WAIT_MAX_MS) return { kind: "too long", waitMs };
  return attempt < ATTEMPTS_MAX ? { kind: "again", waitMs } : { kind: "give up" };
}

/** The time after which a spent quota has a request again, by `RateLimit-Policy` and `RateLimit`; 0 while some are left. */
export function refillMs(
  policy: string | null,
  left: string | null,
): { name: string; waitMs: number } | null {
  const name = left?.match(/^"([^"]+)"/)?.[1];
  const value = (text: string | null, key: string) => {
    const found = text?.match(new RegExp(`;\\s*${key}=(\\d{1,12})(?:;|$)`))?.[1];
    return found === undefined ? null : Number(found);
  };
  const [requests, windowS, rest] = [value(policy, "q"), value(policy, "w"), value(left, "r")];
  if (name === undefined || requests === null || windowS === null || rest === null) return null;
  const waitMs = rest > 0 ? 0 : Math.min(60_000, Math.ceil((windowS * 1_000) / Math.max(1, requests)));
  return { name, waitMs };
}
