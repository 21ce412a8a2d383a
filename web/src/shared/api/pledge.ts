/** The most inscriptions that one loan is secured by. */
export const INSCRIPTIONS_MAX = 20;

/** The collateral of a request, a negotiation or a loan. */
export interface Pledge {
  /** All inscriptions, which are pledged together; empty with tokens. */
  inscriptionIds: readonly string[];
  /** Raw units; null with inscriptions. */
  fungibleAmount: bigint | null;
}

/** The collateral in its smallest unit: the number of inscriptions, or an amount of tokens. */
export function pledgedRaw({ inscriptionIds, fungibleAmount }: Pledge): bigint {
  return fungibleAmount ?? BigInt(Math.max(1, inscriptionIds.length));
}

/** Whether several inscriptions are pledged together. */
export function isSeveral({ inscriptionIds }: Pick<Pledge, "inscriptionIds">): boolean {
  return inscriptionIds.length > 1;
}

/** `1 inscription`, `5 inscriptions`. */
export function inscriptionsText(count: number): string {
  return count === 1 ? "1 inscription" : `${count} inscriptions`;
}

/** `both inscriptions`, `all 5 inscriptions`. */
export function allInscriptions(count: number): string {
  return count === 2 ? "both inscriptions" : `all ${inscriptionsText(count)}`;
}
