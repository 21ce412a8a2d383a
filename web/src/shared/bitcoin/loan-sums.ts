import type { FlowCoin, TransactionFlow } from "./flow-balance";

/** Where a new loan's escrow stands, in its own transaction and in the one that inscribes a BRC-20 note into it. */
const ESCROW = 0;
/** Where the lender of a running loan is paid, in a transaction that moves its collateral into another escrow. */
const PAID = 2;

/**
 * What signing means for a borrower, in sats: `leaves + principal - fee - escrow - rest - paid + leftOver = arrives`, where
 * only a transaction that moves a running loan's collateral pays its lender.
 */
export interface BorrowerSums {
  /** Coins of the borrower's that are spent: those that hold the collateral, and others. */
  leavesSats: bigint;
  principalSats: bigint;
  /** What the borrower pays of the network fee. */
  feeSats: bigint;
  /** What stays in escrow beside the collateral. */
  escrowSats: bigint;
  /** What holds the part of the runes that is not pledged. */
  restSats: bigint;
  /** What the lender of the running loan gets. */
  paidSats: bigint;
  /** What the lender's coins hold beyond the principal, too little to be an output; the borrower gets it. */
  leftOverSats: bigint;
  /** What the payment address gets. */
  arrivesSats: bigint;
}

/** Where a borrower is paid, and where their collateral is. */
interface OwnAddresses {
  payment: { address: string };
  ordinals: { address: string };
}

function sumOf<Item>(items: readonly Item[], of: (item: Item) => bigint): bigint {
  return items.reduce((total, item) => total + of(item), 0n);
}

/** What transactions that are sent together take from a borrower's addresses, and pay to each. */
function grossOf(flows: readonly TransactionFlow[], { payment, ordinals }: OwnAddresses) {
  const at = (coins: readonly FlowCoin[], wanted: string) =>
    sumOf(coins, ({ address, sats }) => (address === wanted ? sats : 0n));
  const spent = flows.flatMap(({ inputs }) => inputs);
  const paid = flows.flatMap(({ outputs }) => outputs);
  const isOne = payment.address === ordinals.address;
  return {
    leavesSats: at(spent, payment.address) + (isOne ? 0n : at(spent, ordinals.address)),
    restSats: isOne ? 0n : at(paid, ordinals.address),
    arrivesSats: at(paid, payment.address),
  };
}

/** Whatever the other lines do not explain is fee, and cannot be more of it than the transactions pay. */
function withFee(flows: readonly TransactionFlow[], sums: Omit<BorrowerSums, "feeSats" | "leftOverSats">) {
  const { leavesSats, principalSats, escrowSats, restSats, paidSats, arrivesSats } = sums;
  const unexplained = leavesSats + principalSats - escrowSats - restSats - paidSats - arrivesSats;
  if (unexplained > sumOf(flows, ({ feeSats }) => feeSats)) {
    throw new Error("The transaction does not add up, and nothing was signed");
  }
  return {
    ...sums,
    feeSats: unexplained > 0n ? unexplained : 0n,
    leftOverSats: unexplained < 0n ? -unexplained : 0n,
  };
}

/** The sums of a loan that starts: its own transaction, and with BRC-20 the one that inscribes the note. */
export function newLoanSums(
  flows: readonly TransactionFlow[],
  own: OwnAddresses,
  principalSats: bigint,
): BorrowerSums {
  const escrowSats = sumOf(flows, ({ outputs }) => outputs[ESCROW]?.sats ?? 0n);
  return withFee(flows, { ...grossOf(flows, own), principalSats, escrowSats, paidSats: 0n });
}

/**
 * The sums of a transaction that moves a running loan's collateral into another escrow, which takes nothing more of the
 * borrower's. `principalSats` is what is lent anew: nothing for an extension.
 */
export function movedLoanSums(flow: TransactionFlow, own: OwnAddresses, principalSats: bigint): BorrowerSums {
  const paidSats = flow.outputs[PAID]?.sats ?? 0n;
  return withFee([flow], { ...grossOf([flow], own), principalSats, escrowSats: 0n, paidSats });
}

/** The sums of several loans together. */
export function addSums(all: readonly BorrowerSums[]): BorrowerSums {
  const sum = (field: keyof BorrowerSums) => sumOf(all, (sums) => sums[field]);
  return {
    leavesSats: sum("leavesSats"),
    principalSats: sum("principalSats"),
    feeSats: sum("feeSats"),
    escrowSats: sum("escrowSats"),
    restSats: sum("restSats"),
    paidSats: sum("paidSats"),
    leftOverSats: sum("leftOverSats"),
    arrivesSats: sum("arrivesSats"),
  };
}
