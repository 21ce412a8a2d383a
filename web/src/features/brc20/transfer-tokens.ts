/** Groups the integer digits in threes: the server sends tokens as plain decimals. */
export function grouped(amount: string): string {
  const [whole = "", ...fraction] = amount.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".");
}

/** An amount and its token. */
export function transferTokens(amount: string, ticker: string): string {
  return `${grouped(amount)} ${ticker.toUpperCase()}`;
}
