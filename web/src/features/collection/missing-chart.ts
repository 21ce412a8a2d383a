import type { PricePoint } from "@/shared/api/price-history";
import { RequestProblem } from "@/shared/api/problem";

/** Minimum of points for a line. */
const POINTS_MIN = 2;

/** The reason why there is nothing to draw; null when there is. */
export function missingChartReason(data: readonly PricePoint[]): string | null {
  if (data.length === 0) return "No price data available";
  if (data.length < POINTS_MIN) return "Insufficient historical data for this time range.";
  return null;
}

/** The text of an error: an invalid response differs from a refusal or a missing response. */
export function chartFailure(error: Error): string {
  const isUnreadable = error instanceof RequestProblem && error.code === "unreadable" && error.status === 200;
  return isUnreadable ? "Unable to load price data" : "Failed to load price data";
}
