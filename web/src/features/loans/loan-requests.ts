import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { type Loan, loan, loanPage } from "@/shared/api/loan";
import { RequestProblem } from "@/shared/api/problem";
import { request, requestFile } from "@/shared/api/request";
import { count, sats } from "@/shared/api/wire";
import { LOANS } from "@/shared/loans/loan-refresh";
import { saveFile } from "@/shared/ui/save-file";
import { ENDED_STAGES } from "./loan-state";

const PAGE_SIZE = 100;
/** Limit of pages: more than four thousand loans would change neither a readable list nor a chart. */
const PAGES_MAX = 40;
/** Maximum age of data that the feed does not update, such as a date that passed. */
const FRESH_MS = 30_000;

const OPEN_STAGES = "prepared,awaiting_lender,broadcast,active,expired,repaying,claiming";

/** The user's loans that have not ended, the latest first. */
export function openLoansQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "open"],
    queryFn: ({ signal }) =>
      everyPage((query) =>
        request("GET", "/api/v1/me/loans", loanPage, { query: { ...query, stage: OPEN_STAGES }, signal }),
      ),
    refetchInterval: FRESH_MS,
  });
}

/** The loans that wait for the user: signatures, repayments and claims. */
export function waitingLoansQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "waiting"],
    queryFn: ({ signal }) =>
      everyPage((query) => request("GET", "/api/v1/me/loans/waiting", loanPage, { query, signal })),
    refetchInterval: FRESH_MS,
  });
}

/** The number of loans that wait for the user. */
export function waitingCountQuery(userId: string) {
  return queryOptions({
    ...portfolioQuery(userId),
    select: ({ waiting }) => Object.values(waiting).reduce((sum, each) => sum + each, 0),
  });
}

/** One loan; null when it does not exist or is another user's. */
export function loanQuery(userId: string, loanId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "one", loanId],
    queryFn: async ({ signal }): Promise<Loan | null> => {
      try {
        return await request("GET", "/api/v1/me/loans/{loan_id}", loan, {
          path: { loan_id: loanId },
          signal,
        });
      } catch (error) {
        if (error instanceof RequestProblem && error.status === 404) return null;
        throw error;
      }
    },
    refetchInterval: FRESH_MS,
  });
}

/** The server's filter of the history. */
export interface HistoryFilter {
  role: "borrower" | "lender" | null;
  stages: readonly string[];
}

export function historyQuery(userId: string, { role, stages }: HistoryFilter) {
  return infiniteQueryOptions({
    queryKey: [...LOANS, userId, "history", role, ...stages],
    queryFn: ({ signal, pageParam }) =>
      request("GET", "/api/v1/me/history", loanPage, {
        query: {
          limit: PAGE_SIZE,
          cursor: pageParam,
          role: role ?? undefined,
          stage: stages.length > 0 ? stages.join(",") : undefined,
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** Every loan that ran and ended, for charts over time. */
export function endedLoansQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "ended"],
    queryFn: ({ signal }) =>
      everyPage((query) =>
        request("GET", "/api/v1/me/history", loanPage, {
          query: { ...query, stage: "repaid,claimed" },
          signal,
        }),
      ),
  });
}

const sums = { atRiskSats: sats, claimedSats: sats, interestOwedSats: sats };
const numbers = { runningLoans: count, overdueLoans: count, repaidLoans: count, claimedLoans: count };
const portfolio = v.object({
  asBorrower: v.object({
    ...sums,
    ...numbers,
    borrowedSats: sats,
    everBorrowedSats: sats,
    interestPaidSats: sats,
  }),
  asLender: v.object({
    ...sums,
    ...numbers,
    lentSats: sats,
    everLentSats: sats,
    interestEarnedSats: sats,
    platformFeesSats: sats,
  }),
  waiting: v.object({ signatures: count, counterSignatures: count, repayments: count, claims: count }),
});
/** Totals of the user's loans. */
export type Portfolio = v.InferOutput<typeof portfolio>;

export function portfolioQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "portfolio"],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/portfolio", portfolio, { signal }),
    refetchInterval: FRESH_MS,
  });
}

/** Saves the kit that repays or claims a loan without this site. */
export async function saveKit(loanId: string): Promise<void> {
  const kit = await request("GET", "/api/v1/loans/{loan_id}/kit", v.looseObject({}), {
    path: { loan_id: loanId },
  });
  saveFile(`lienbook-kit-${loanId}.json`, "application/json", JSON.stringify(kit, null, 2));
}

/** Saves the loans of the history as a table, the same as in the list. */
export async function saveTable({ role, stages }: HistoryFilter): Promise<void> {
  const ended = stages.length > 0 ? stages : ENDED_STAGES;
  const table = await requestFile("/api/v1/me/loans.csv", {
    query: { role: role ?? undefined, stage: ended.join(",") },
  });
  saveFile("lienbook-loans.csv", "text/csv", table);
}

/** The user's due dates as a calendar. */
export function fetchCalendar(): Promise<string> {
  return requestFile("/api/v1/me/due-dates.ics");
}

async function everyPage(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<v.InferOutput<typeof loanPage>>,
): Promise<Loan[]> {
  const loans: Loan[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer = await fetchPage({ limit: PAGE_SIZE, cursor });
    loans.push(...answer.data);
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return loans;
}
