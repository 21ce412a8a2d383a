import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type SentStage, sentStage } from "./sent-payment";
import { vaultHistoryQuery } from "./vault-requests";

/**
 * The feed announces most confirmations. Finality of a withdrawal without change moves no balance, so it is
 * polled for.
 */
const POLL_INTERVAL_MS = 10_000;

/** The payments sent since the dialog opened. */
export interface SentPayments {
  add: (transactionId: string) => void;
  stageOf: (transactionId: string) => SentStage;
  isAnyInTransit: boolean;
}

/** Tracks payments sent from the dialog until the vault's history has them confirmed or returned. */
export function useSentPayments(userId: string): SentPayments {
  const [sent, setSent] = useState<readonly string[]>([]);
  const history = useInfiniteQuery({
    ...vaultHistoryQuery(userId),
    enabled: sent.length > 0,
    refetchInterval: ({ state }) => (isAnyInTransit(sent, state.data?.pages) ? POLL_INTERVAL_MS : false),
  });
  const pages = history.data?.pages;
  return {
    add: (transactionId) => setSent((before) => [...before, transactionId]),
    stageOf: (transactionId) => sentStage(transactionId, linesOf(pages)),
    isAnyInTransit: isAnyInTransit(sent, pages),
  };
}

type Pages = Parameters<typeof linesOf>[0];

function linesOf(pages: ReadonlyArray<{ data: Parameters<typeof sentStage>[1] }> | undefined) {
  return pages?.flatMap(({ data }) => data) ?? [];
}

function isAnyInTransit(sent: readonly string[], pages: Pages): boolean {
  const lines = linesOf(pages);
  return sent.some((transactionId) => sentStage(transactionId, lines) === "on its way");
}
