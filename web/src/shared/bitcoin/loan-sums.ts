import type { FlowCoin, TransactionFlow } from "./flow-balance";

/**
 * Index of a new loan's escrow output, in its own transaction and in the one that inscribes a BRC-20 transfer
 * into it.
 */
const ESCROW = 0;
/**
 * Index of the output that pays the lender of a running loan, in a transaction that moves its collateral into
 * another escrow: that of the old escrow, which follows one pad more than inscriptions, and two with tokens.
 */
function paidIndex(inscriptionCount: number): number {
  return Math.max(1, inscriptionCount) + 1;
}

/**
 * The effect of a signature on a borrower, in sats: `outgoing + principal - fee - escrow - rest - paid +
 * excess = incoming`, where only a transaction that moves a running loan's collateral pays its lender.
 */
export interface BorrowerSums {
  /** The borrower's coins that are spent: those that hold the collateral, and others. */
  outgoingSats: bigint;
  principalSats: bigint;
  /** The borrower's share of the network fee. */
  feeSats: bigint;
  /** Sats in escrow that come with the collateral. */
  escrowSats: bigint;
  /** Sats of the output with the runes that are not pledged. */
  restSats: bigint;
  /** The sum paid to the lender of the running loan. */
  paidSats: bigint;
  /** The excess of the lender's coins over the principal, too small for an output; the borrower gets it. */
  excessSats: bigint;
  /** The sum paid to the payment address. */
  incomingSats: bigint;
}

/** The addresses that pay the borrower and hold their collateral. */
interface OwnAddresses {
  payment: { address: string };
  ordinals: { address: string };
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + of(item), 0n);
}

/** The gross amounts that transactions sent together take from a borrower's addresses, and pay to each. */
function grossOf(flows: readonly TransactionFlow[], { payment, ordinals }: OwnAddresses) {
  const at = (coins: readonly FlowCoin[], owner: string) =>
    sumOf(coins, ({ address, sats }) => (address === owner ? sats : 0n));
  const spent = flows.flatMap(({ inputs }) => inputs);
  const paid = flows.flatMap(({ outputs }) => outputs);
  const isOne = payment.address === ordinals.address;
  return {
    outgoingSats: at(spent, payment.address) + (isOne ? 0n : at(spent, ordinals.address)),
    restSats: isOne ? 0n : at(paid, ordinals.address),
    incomingSats: at(paid, payment.address),
  };
}

/**
 * Adds the fee: everything that the other lines do not explain. It cannot exceed what the transactions pay.
 */
function withFee(flows: readonly TransactionFlow[], sums: Omit<BorrowerSums, "feeSats" | "excessSats">) {
  const { outgoingSats, principalSats, escrowSats, restSats, paidSats, incomingSats } = sums;
  const unexplained = outgoingSats + principalSats - escrowSats - restSats - paidSats - incomingSats;
  if (unexplained > sumOf(flows, ({ feeSats }) => feeSats)) {
    throw new Error("The transaction does not add up, and nothing was signed");
  }
  return {
    ...sums,
    feeSats: unexplained > 0n ? unexplained : 0n,
    excessSats: unexplained < 0n ? -unexplained : 0n,
  };
}

/**
 * The sums of a loan that starts: its own transaction, and with BRC-20 the one that inscribes the transfer.
 */
export function newLoanSums(
  flows: readonly TransactionFlow[],
  own: OwnAddresses,
  principalSats: bigint,
): BorrowerSums {
  const escrowSats = sumOf(flows, ({ outputs }) => outputs[ESCROW]?.sats ?? 0n);
  return withFee(flows, { ...grossOf(flows, own), principalSats, escrowSats, paidSats: 0n });
}

/**
 * The sums of a transaction that moves a running loan's collateral into another escrow and takes nothing else
 * from the borrower. `principalSats` is newly lent: zero for an extension. `inscriptionCount` is 0 with tokens.
 */
export function movedLoanSums(
  flow: TransactionFlow,
  own: OwnAddresses,
  principalSats: bigint,
  inscriptionCount: number,
): BorrowerSums {
  const paidSats = flow.outputs[paidIndex(inscriptionCount)]?.sats ?? 0n;
  return withFee([flow], { ...grossOf([flow], own), principalSats, escrowSats: 0n, paidSats });
}

/** The sums of several loans together. */
export function addSums(all: readonly BorrowerSums[]): BorrowerSums {
  const sum = (field: keyof BorrowerSums) => sumOf(all, (sums) => sums[field]);
  return {
    outgoingSats: sum("outgoingSats"),
    principalSats: sum("principalSats"),
    feeSats: sum("feeSats"),
    escrowSats: sum("escrowSats"),
    restSats: sum("restSats"),
    paidSats: sum("paidSats"),
    excessSats: sum("excessSats"),
    incomingSats: sum("incomingSats"),
  };
}
