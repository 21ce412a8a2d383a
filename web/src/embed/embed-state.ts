import type { EmbedAddress } from "./embed-address";
import type { Outcome, Quote } from "./quote";

/** The interval between requests, in milliseconds. */
const INTERVAL_MS = 15_000;
/** The longest interval, after failures in a row. */
const INTERVAL_MS_MAX = 120_000;

/** All that the page knows. */
export interface EmbedState {
  address: EmbedAddress;
  /** The last quote; null before the first one, and when the market does not know the names. */
  quote: Quote | null;
  /** The name that the market does not know. */
  unknown: "collection" | "inscription" | null;
  /** Number of failed requests since the last answer. */
  failures: number;
  /** The time of the last answer, in unix milliseconds; null before. */
  answeredAt: number | null;
  /** Direction in which the principal moved with the last answer. */
  change: "up" | "down" | null;
  /** The pause before the next request. */
  pauseMs: number;
}

export function newState(address: EmbedAddress): EmbedState {
  const nothing = { quote: null, unknown: null, failures: 0, answeredAt: null, change: null } as const;
  return { address, ...nothing, pauseMs: INTERVAL_MS };
}

/** The state after the result of a request. */
export function withOutcome(state: EmbedState, outcome: Outcome, now: number): EmbedState {
  if (outcome.kind === "failed") {
    const failures = state.failures + 1;
    const doubled = Math.min(INTERVAL_MS * 2 ** Math.min(failures - 1, 10), INTERVAL_MS_MAX);
    return { ...state, failures, change: null, pauseMs: Math.max(doubled, outcome.retryAfterMs) };
  }
  const answered = { ...state, failures: 0, answeredAt: now, pauseMs: INTERVAL_MS };
  if (outcome.kind === "unknown") {
    // A collection may be listed later, but nothing that a page has to show at once.
    return { ...answered, quote: null, unknown: outcome.what, change: null, pauseMs: INTERVAL_MS_MAX };
  }
  const { quote } = outcome;
  return { ...answered, quote, unknown: null, change: changeOf(state.quote, quote) };
}

function changeOf(before: Quote | null, after: Quote): EmbedState["change"] {
  const [old, next] = [before?.best?.principalSats, after.best?.principalSats];
  if (old === undefined || next === undefined || old === next) return null;
  return next > old ? "up" : "down";
}
