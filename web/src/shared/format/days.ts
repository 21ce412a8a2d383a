/** A number of days with its unit. */
export function daysText(days: number): string {
  return days === 1 ? "1 day" : `${days} days`;
}
