import type { Loan } from "@/shared/api/loan";

const DAY_MS = 86_400_000;
/** The current time of the tests. */
export const EXAMPLE_NOW_MS = 1_800_000_000_000;

/** A loan for tests: 0.05 BTC borrowed against one inscription for 14 days, of which four are left. */
export function exampleLoan(fields: Partial<Loan> = {}): Loan {
  return {
    loanId: "ln_1",
    offerAcceptRequestId: "rv_1",
    role: "borrower",
    stage: "active",
    waitsFor: null,
    isOverdue: false,
    offerId: "of_1",
    lenderId: "us_1",
    borrowerId: "us_2",
    groupId: "g_1",
    groupSlug: "quiet-foxes",
    collectionName: "Quiet Foxes",
    collectionSymbol: "FOX",
    collectionImgURL: null,
    collectionSlug: "quiet-foxes-14d",
    collateralType: "inscription",
    inscriptionIds: [`${"ab".repeat(32)}i0`],
    fungibleAmount: null,
    runeName: null,
    runeDecimals: null,
    ticker: null,
    loanProcessType: "Manual",
    principal: 5_000_000n,
    interest: 3,
    apy: 116.1,
    interestSats: 150_000n,
    payoutSats: 5_150_000n,
    platformFeeSats: null,
    term: 14,
    preparedAt: EXAMPLE_NOW_MS - 10 * DAY_MS,
    expiresAt: null,
    acceptedDate: EXAMPLE_NOW_MS - 10 * DAY_MS,
    startedAt: EXAMPLE_NOW_MS - 10 * DAY_MS,
    dueAt: EXAMPLE_NOW_MS + 4 * DAY_MS,
    extendedUntil: null,
    claimAfter: EXAMPLE_NOW_MS + 5 * DAY_MS,
    endedAt: null,
    updatedAt: EXAMPLE_NOW_MS,
    transactionId: "cd".repeat(32),
    ending: null,
    endingTransactionId: null,
    follows: null,
    followedBy: null,
    refinanceRefusal: null,
    refinanceOrder: null,
    points: 0,
    ...fields,
  };
}
