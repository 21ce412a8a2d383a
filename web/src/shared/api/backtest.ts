import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { Collection, ProcessType } from "./collection";
import { request } from "./request";
import { count, sats, timeMs, wholeNumber } from "./wire";

/** Sats that may be negative, read as a bigint. */
const signedSats = v.pipe(
  wholeNumber,
  v.transform((value) => BigInt(value)),
);

const backtest = v.object({
  from: timeMs,
  until: timeMs,
  loanCount: count,
  beyondBudget: count,
  lentSats: sats,
  interestSats: sats,
  feesSats: sats,
  defaultCount: count,
  defaultPrincipalSats: sats,
  defaultCollateralSats: sats,
  runningCount: count,
  runningPrincipalSats: sats,
  resultSats: signedSats,
  /** In percent. */
  yieldOnLent: v.nullable(v.number()),
  loans: v.array(
    v.object({
      until: timeMs,
      end: v.picklist(["repaid", "claimed", "running"]),
      resultSats: signedSats,
    }),
  ),
});
/** The return that an offer would have had. */
export type Backtest = v.InferOutput<typeof backtest>;

/** The offer that is tested. */
export interface TestedOffer {
  subCollectionId: string;
  process: ProcessType;
  /** Its principal, or its share of the collateral's value, which follows the floor. */
  terms: { principalSats: bigint } | { ltvBps: number };
  /** The sats lent at a time, at the most. */
  budgetSats: bigint;
}

const STALE_MS = 60_000;

export function backtestQuery(row: Pick<Collection, "id">, offer: TestedOffer) {
  const { subCollectionId, process, terms, budgetSats } = offer;
  const query = {
    subCollectionId: Number(subCollectionId),
    process,
    budget: Number(budgetSats),
    ...("ltvBps" in terms ? { ltv: terms.ltvBps } : { principal: Number(terms.principalSats) }),
  };
  return queryOptions({
    queryKey: ["backtest", row.id, query],
    queryFn: ({ signal }) =>
      request("GET", "/api/v1/collections/{name}/backtest", backtest, {
        path: { name: row.id },
        query,
        signal,
      }),
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
  });
}
