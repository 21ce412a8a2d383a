import { expect, it } from "vitest";
import {
  calculateSummary as borrowSummary,
  newDraft as newBorrowDraft,
} from "@/features/borrow/borrow-draft";
import { editDraft } from "@/features/lend/lend-draft";
import { INSCRIPTION } from "@/features/lend/lend-fixtures";
import { calculateSummary as lendSummary } from "@/features/lend/lend-summary";
import { borrowFacts, counterSignFacts, repaymentFacts } from "@/features/loans/action-facts";
import { outcomeSats } from "@/features/loans/history-filter";
import { exampleLoan, EXAMPLE_NOW_MS as NOW } from "@/features/loans/loan-example";
import { extensionTerms } from "@/features/loans/loan-extension";
import { earnedSeries } from "@/features/loans/portfolio-series";
import { apyPercent, loanFigures } from "@/shared/api/loan-figures";
import { formatApy } from "@/shared/format/percent";
import { formatBtc } from "@/shared/format/sats";

const own = {
  payment: { address: "bcrt1qpay", pubKey: "02aa" },
  ordinals: { address: "bcrt1pkeep", pubKey: "bb" },
};
const PLATFORM = { percent: 20, minSats: 330n };
const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;

it.each([
  ["an amount that divides evenly", 387_000n, 110, 7],
  ["an amount that does not", 388_461n, 333, 26],
  ["a yield between two tenths", 1_234_567n, 90, 7],
  ["a fee too small to be sent", 40_000n, 110, 7],
] as const)("every screen of a loan shows the same figures: %s", (_name, principal, interestBps, term) => {
  const asServer = loanFigures(principal, { interestBps, termDays: term }, PLATFORM);
  const { interestSats, payoutSats, platformFeeSats, apy } = asServer;
  const interest = interestBps / 100;
  const shared = { principal, interest, interestSats, payoutSats, apy, term };
  const asLender = exampleLoan({ ...shared, role: "lender", stage: "repaid", endedAt: NOW, platformFeeSats });
  const asBorrower = exampleLoan({ ...shared, platformFeeSats: null });

  const target = { ...INSCRIPTION, interestBps, termDays: term, platformFee: PLATFORM };
  const lend = lendSummary(editDraft(target, principal));
  expect(lend).toMatchObject({ principalSats: principal, interestSats, payoutSats, platformFeeSats, apy });

  const place = { subCollectionId: "0", termDays: term, interestBps, raw: 1n };
  const offer = {
    ...place,
    offerId: "of_1",
    lenderId: "us_1",
    principalSats: principal,
    ltvBps: null,
    conditions: null,
    isPegged: false,
  };
  const borrow = borrowSummary(
    newBorrowDraft({
      kind: "inscription",
      process: "manual",
      subCollections: [{ ...place, offers: [offer] }],
      pinnedOfferId: null,
      preparedLimits: { preparedMax: 1, preparedPerLenderMax: 1 },
    }),
  );
  expect(borrow).toMatchObject({ principalSats: principal, interestSats, payoutSats });
  expect(formatApy(apyPercent(borrow.interestBps, borrow.termDays))).toBe(formatApy(asLender.apy));

  const signed = counterSignFacts(asLender, own, {
    expiresAt: NOW,
    interestNowSats: null,
    borrowerRecord: { repaid: 0, claimed: 0, collateralMoved: 0 },
  });
  expect(signed.outgoing.map(({ what }) => what)).toEqual([btc(lend.lentSats)]);
  expect(signed.incoming.map(({ what }) => what)).toEqual([btc(lend.payoutSats)]);
  const accepted = borrowFacts(asBorrower, own, NOW, {
    outgoingSats: 0n,
    principalSats: asBorrower.principal,
    feeSats: 0n,
    escrowSats: 0n,
    restSats: 0n,
    paidSats: 0n,
    excessSats: 0n,
    incomingSats: asBorrower.principal,
  });
  expect(accepted.calculation?.[0]?.what).toBe(`+${btc(borrow.principalSats)}`);
  expect(accepted.deadline).toContain(btc(borrow.payoutSats));
  expect(repaymentFacts([asBorrower], own, 0n).outgoing.map(({ what }) => what)).toEqual([
    btc(borrow.payoutSats),
  ]);

  expect(outcomeSats(asLender)).toBe(lend.interestSats - lend.platformFeeSats);
  expect(earnedSeries([asLender], NOW).at(-1)?.sats).toBe(lend.interestSats - lend.platformFeeSats);
  const [again] = extensionTerms(asBorrower, { subCollections: [] }, []);
  expect(again?.interestSats).toBe(interestSats);
});
