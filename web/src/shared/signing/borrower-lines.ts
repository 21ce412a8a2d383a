import type { CollateralType } from "@/shared/api/collection";
import type { BorrowerSums } from "@/shared/bitcoin/loan-sums";
import { formatBtc, formatSats } from "@/shared/format/sats";
import type { Movement, SigningFacts } from "./signing-facts";

const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;

/** Names of the borrower's coins that leave with the collateral. */
const COINS: Record<CollateralType, string> = {
  inscription: "of the output that holds the inscription",
  rune: "of the outputs that hold your runes",
  brc20: "of your transfer note",
};

/** The same for a number of inscriptions, which counts with inscriptions only. */
function coinsText(type: CollateralType, inscriptionCount: number): string {
  return type === "inscription" && inscriptionCount > 1
    ? "of the outputs that hold the inscriptions"
    : COINS[type];
}

/** The lines of a review about a borrower's bitcoin. */
type BorrowerLines = Pick<SigningFacts, "outgoing" | "incoming" | "calculation" | "secondTransaction"> & {
  fee: Movement;
};

interface Addresses {
  payment: { address: string };
  ordinals: { address: string };
}

/** The lines of loans that start: the sats of the collateral's outputs leave, and the principal arrives. */
export function newLoanLines(
  sums: BorrowerSums,
  own: Addresses,
  type: CollateralType,
  inscriptionCount: number,
): BorrowerLines {
  const coins = coinsText(type, inscriptionCount);
  const { outgoingSats, restSats, incomingSats, feeSats } = sums;
  const rest = {
    what: btc(restSats),
    address: own.ordinals.address,
    note: "with the rest of your runes",
  };
  return {
    outgoing:
      outgoingSats === 0n
        ? []
        : [
            {
              what: btc(outgoingSats),
              address: own.ordinals.address,
              note: `the ${formatSats(outgoingSats)} sats ${coins}`,
            },
          ],
    incoming: [{ what: btc(incomingSats), address: own.payment.address }, ...(restSats > 0n ? [rest] : [])],
    fee: { what: btc(feeSats), note: "Network fee, out of the loan" },
    ...(type === "brc20" && {
      secondTransaction: "the one that inscribes a new transfer note into its escrow",
    }),
    calculation: [
      ...calculation(sums, `Sats ${coins}`),
      { note: "Arrives at your payment address", what: btc(incomingSats) },
    ],
  };
}

/**
 * The lines of a running loan whose collateral moves to another escrow: the sum to add, or the sum left over.
 */
export function movedLoanLines(
  sums: BorrowerSums,
  own: Addresses,
  notes: { outgoing: string; incoming: string; paid: string },
): BorrowerLines {
  const gain = sums.incomingSats + sums.restSats - sums.outgoingSats;
  const { address } = own.payment;
  return {
    outgoing: gain < 0n ? [{ what: btc(-gain), address, note: notes.outgoing }] : [],
    incoming: gain > 0n ? [{ what: btc(gain), address, note: notes.incoming }] : [],
    fee: { what: btc(sums.feeSats), note: "Network fee, now" },
    calculation: [
      ...calculation({ ...sums, outgoingSats: 0n, restSats: 0n }, "", notes.paid),
      gain < 0n
        ? { note: "Leaves your wallet", what: btc(-gain) }
        : { note: "Arrives in your wallet", what: btc(gain) },
    ],
  };
}

/** The lines of the calculation; zero lines are left out. */
function calculation(sums: BorrowerSums, coins: string, paid = ""): Movement[] {
  const lines: Array<[note: string, sats: bigint]> = [
    ["Principal", sums.principalSats],
    [coins, sums.outgoingSats],
    [paid, -sums.paidSats],
    ["Stays with the collateral in escrow", -sums.escrowSats],
    ["Stays with the rest of your runes", -sums.restSats],
    ["Network fee", -sums.feeSats],
    ["Left over from the lender's coins", sums.excessSats],
  ];
  return lines
    .filter(([, sats]) => sats !== 0n)
    .map(([note, sats]) => ({ note, what: `${sats < 0n ? "" : "+"}${btc(sats)}` }));
}
