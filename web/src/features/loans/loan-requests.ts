import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { type Loan, loan, loanPage } from "@/shared/api/loan";
import { RequestProblem } from "@/shared/api/problem";
import { request, requestFile } from "@/shared/api/request";
import { count, sats } from "@/shared/api/wire";
import { saveFile } from "@/shared/ui/save-file";
import { OVER } from "./loan-state";

const PAGE_SIZE = 100;
/** More loans than four thousand are no list that a person reads, and no line that more of them would change. */
const PAGES_MAX = 40;
/** What is not told by the feed, such as a date that passed, is seen this late at most. */
const FRESH_MS = 30_000;

/** Everything about loans, to be asked for anew when one has changed. */
export const LOANS = ["loans"];

const OPEN_STAGES = "prepared,awaiting_lender,broadcast,active,expired,repaying,claiming";

/** Every loan of the reader's that has not ended, the latest first. */
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

/** What waits for the reader: signatures, repayments and claims. */
export function waitingLoansQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "waiting"],
    queryFn: ({ signal }) =>
      everyPage((query) => request("GET", "/api/v1/me/loans/waiting", loanPage, { query, signal })),
    refetchInterval: FRESH_MS,
  });
}

/** How much waits for the reader. */
export function waitingCountQuery(userId: string) {
  return queryOptions({
    ...portfolioQuery(userId),
    select: ({ waiting }) => Object.values(waiting).reduce((sum, each) => sum + each, 0),
  });
}

/** One loan; null when it is nobody's, or somebody else's. */
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

/** What of the history is asked for. */
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

/** Every loan that ran and ended, for what is drawn over time. */
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
/** What somebody's loans come to. */
export type Portfolio = v.InferOutput<typeof portfolio>;

export function portfolioQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, userId, "portfolio"],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/portfolio", portfolio, { signal }),
    refetchInterval: FRESH_MS,
  });
}

/** Saves what repays, or claims, a loan without this site. */
export async function saveKit(loanId: string): Promise<void> {
  const kit = await request("GET", "/api/v1/loans/{loan_id}/kit", v.looseObject({}), {
    path: { loan_id: loanId },
  });
  saveFile(`lienbook-kit-${loanId}.json`, "application/json", JSON.stringify(kit, null, 2));
}

/** Saves the loans of the history as a table: the same as the list shows. */
export async function saveTable({ role, stages }: HistoryFilter): Promise<void> {
  const ended = stages.length > 0 ? stages : OVER;
  const table = await requestFile("/api/v1/me/loans.csv", {
    query: { role: role ?? undefined, stage: ended.join(",") },
  });
  saveFile("lienbook-loans.csv", "text/csv", table);
}

/** The reader's due dates as a calendar. */
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
