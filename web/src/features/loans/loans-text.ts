/** A number of loans with its noun. */
export function loansText(count: number): string {
  return count === 1 ? "1 loan" : `${count} loans`;
}
