/** A percentage with at most two decimals and no trailing zeros: `61.2%`, `80%`. */
export function formatPercent(value: number): string {
  return `${trimmed(value)}%`;
}

/** A percentage with a fixed number of decimals, for columns that are compared. */
export function formatPercentFixed(value: number, decimals: 1 | 2 = 1): string {
  return `${grouped(value, decimals)}%`;
}

/** A yearly yield with the server's two decimals, so that no screen rounds it a second time. */
export function formatApy(percent: number): string {
  return formatPercentFixed(percent, 2);
}

/** The interest of a term by the day, with three decimals because it is small: `0.214%`. */
export function formatDailyInterest(percent: number, days: number): string {
  return `${grouped(percent / Math.max(1, days), 3)}%`;
}

/** A change with its sign and two decimals: `+1.25%`, `-0.40%`, `0.00%`. Uses a true minus sign. */
export function formatChange(value: number): string {
  const rounded = Math.abs(value) < 0.005 ? 0 : value;
  const sign = rounded > 0 ? "+" : rounded < 0 ? "\u2212" : "";
  return `${sign}${grouped(Math.abs(rounded), 2)}%`;
}

/** Basis points as a percentage. */
export function formatBps(bps: number): string {
  return formatPercent(bps / 100);
}

/** Basis points of a typed percentage; null when the text is none with at most two decimals. */
export function typedBps(text: string): number | null {
  return /^\d{1,5}(\.\d{0,2})?$/.test(text.trim()) ? Math.round(Number(text) * 100) : null;
}

function trimmed(value: number): string {
  const text = grouped(value, 2);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

const FORMATS = [0, 1, 2, 3].map(
  (decimals) =>
    new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }),
);

function grouped(value: number, decimals: 0 | 1 | 2 | 3): string {
  // Creating a formatter costs a hundred times as much as using it.
  return FORMATS[decimals]?.format(value) ?? "";
}
