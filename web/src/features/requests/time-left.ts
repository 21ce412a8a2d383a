import { formatAge } from "@/shared/format/age";

/** The time until `thenMs` in one unit, such as `in 3d`. */
export function timeLeft(thenMs: number, nowMs: number): string {
  // The age of now, as seen from then.
  return thenMs <= nowMs ? "over" : `in ${formatAge(nowMs, thenMs)}`;
}
