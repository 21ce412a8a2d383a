import type { PricePoint } from "@/shared/api/price-history";
import { RequestProblem } from "@/shared/api/problem";

/** A line needs two ends. */
const POINTS_MIN = 2;

/** Why there is nothing to draw; null when there is. */
export function chartAbsence(data: readonly PricePoint[]): string | null {
  if (data.length === 0) return "No price data available";
  if (data.length < POINTS_MIN) return "Insufficient historical data for this time range.";
  return null;
}

/** An answer that makes no sense is another trouble than a refusal, or no answer at all. */
export function chartFailure(error: Error): string {
  const isUnreadable = error instanceof RequestProblem && error.code === "unreadable" && error.status === 200;
  return isUnreadable ? "Unable to load price data" : "Failed to load price data";
}
