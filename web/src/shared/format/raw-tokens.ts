/** Raw units of an amount of whole tokens; null when the text is no amount with at most these decimals. */
export function rawTokens(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,20})(?:\.(\d*))?$/.exec(text.trim().replace(",", "."));
  const [, whole = "", fraction = ""] = match ?? [];
  if (!match || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** A raw amount as it is typed and sent: no separators, no trailing zeros. */
export function tokensText(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, "0");
  if (decimals === 0) return digits;
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  const whole = digits.slice(0, -decimals);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
