import type { HistoryLine } from "./vault-requests";

/** A row of the history. The signed rows of a whole history sum to the vault's balance. */
export interface LedgerRow extends HistoryLine {
  sign: "+" | "−" | "";
  outputCount: number;
  /** Received change of this outgoing payment; zero without any. */
  changeSats: bigint;
  isFinal: boolean;
}

/** Outgoing payments. Their amount is net: inputs less the expected change. */
const PAYMENTS_OUT: ReadonlyArray<HistoryLine["kind"]> = ["lent", "withdrawing", "moving", "fee_bump"];

/**
 * Converts the lines of a history into rows of a ledger, both latest first. Change and finality are not
 * movements, so they become part of the row of their payment; where that row has not been loaded yet, they
 * are rows without a sign.
 */
export function ledgerRows(lines: readonly HistoryLine[]): LedgerRow[] {
  const rows: LedgerRow[] = [];
  const payments = new Map<string, LedgerRow>();
  const change = new Set<string>();
  const unconfirmed = new Set<string>();
  for (const line of [...lines].reverse()) {
    const output = `${line.transactionId}/${line.vout}`;
    const payment = line.transactionId === null ? undefined : payments.get(line.transactionId);
    if (line.kind === "came_back") change.add(output);
    const sign = signOf(line.kind, { isChange: change.has(output), isGone: unconfirmed.has(output) });
    if (line.kind === "undone") unconfirmed.add(output);
    if (line.kind === "paid_in" || line.kind === "came_back") unconfirmed.delete(output);

    if (payment && line.kind === "settled") payment.isFinal = true;
    else if (payment && line.kind === "came_back") payment.changeSats += line.sats ?? 0n;
    else {
      if (payment && line.kind === "undone" && change.has(output)) payment.changeSats -= line.sats ?? 0n;
      const row = pushRow(rows, line, sign);
      if (line.transactionId !== null && PAYMENTS_OUT.includes(line.kind))
        payments.set(line.transactionId, row);
    }
  }
  return rows.reverse();
}

/** Adds a line to the rows: merged into the last one where both are about outputs of one transaction. */
function pushRow(rows: LedgerRow[], line: HistoryLine, sign: LedgerRow["sign"]): LedgerRow {
  const last = rows.at(-1);
  const isSame =
    last !== undefined &&
    last.kind === line.kind &&
    last.sign === sign &&
    last.transactionId === line.transactionId &&
    last.vout !== null &&
    line.vout !== null &&
    last.sats !== null &&
    line.sats !== null;
  const row: LedgerRow = isSame
    ? { ...last, ...line, sats: (last.sats ?? 0n) + (line.sats ?? 0n), outputCount: last.outputCount + 1 }
    : { ...line, sign, outputCount: 1, changeSats: 0n, isFinal: false };
  if (isSame) rows[rows.length - 1] = row;
  else rows.push(row);
  return row;
}

/** The sign of a line: whether it raised the balance, lowered it, or neither. */
function signOf(
  kind: HistoryLine["kind"],
  /** Whether its output is change, and whether a reorg had removed it from the balance. */
  { isChange, isGone }: { isChange: boolean; isGone: boolean },
): LedgerRow["sign"] {
  switch (kind) {
    case "credited":
    case "paid_in":
    case "given_back":
      return "+";
    case "debited":
    case "lent":
    case "withdrawing":
    case "moving":
    case "fee_bump":
      return "−";
    case "undone":
      return isChange ? "" : "−";
    case "left":
      return isGone ? "" : "−";
    case "came_back":
    case "settled":
      return "";
  }
}
