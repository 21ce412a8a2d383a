import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import type { MyOffer } from "@/shared/api/my-offer";
import type { Wire } from "@/shared/api/operation";
import { request, satsToWire } from "@/shared/api/request";
import { sats, text } from "@/shared/api/wire";
import { amountSats, amountText } from "@/shared/format/btc-amount";
import { formatBtcExact } from "@/shared/format/sats";
import { LOANS } from "@/shared/loans/loan-refresh";

/** A new day, and a limit set elsewhere, are visible within this time. */
const RENEWED_MS = 60_000;

const lendingLimits = v.object({
  budgetSats: v.nullable(sats),
  outstandingSats: sats,
  dailySats: v.nullable(sats),
  todaySats: sats,
  collections: v.array(v.object({ groupId: text, budgetSats: v.nullable(sats), outstandingSats: sats })),
  absenceMinutes: v.nullable(v.number()),
  isAbsent: v.boolean(),
});

/** A lender's limits on manual offers and on absence, with the amounts that they are compared with. */
export type LendingLimits = v.InferOutput<typeof lendingLimits>;

/** The limits of a lender; what loans take of them is refetched with the loans. */
export function lendingLimitsQuery(userId: string) {
  return queryOptions({
    queryKey: [...LOANS, "lending-limits", userId],
    queryFn: ({ signal }) => request("GET", "/api/v1/me/lending-limits", lendingLimits, { signal }),
    refetchInterval: RENEWED_MS,
  });
}

export function saveLendingLimits(body: Wire["NewLimits"]): Promise<LendingLimits> {
  return request("PUT", "/api/v1/me/lending-limits", lendingLimits, { body });
}

/** Pauses all offers; the number of those that were not paused by their lender before. */
export async function pauseAllOffers(): Promise<number> {
  const { paused } = await request("POST", "/api/v1/offers/pause-all", v.object({ paused: v.number() }), {
    body: {},
    idempotencyKey: crypto.randomUUID(),
  });
  return paused;
}

/** The typed limits. */
export interface LimitsDraft {
  budget: string;
  daily: string;
  /** By the id of the collection. */
  collections: Readonly<Record<string, string>>;
  /** The minutes, as text; empty to keep offers open. */
  absence: string;
}

export function draftOf(limits: LendingLimits): LimitsDraft {
  const budgets = limits.collections.flatMap(({ groupId, budgetSats }) =>
    budgetSats === null ? [] : [[groupId, amountText(budgetSats)] as const],
  );
  return {
    budget: amountText(limits.budgetSats ?? 0n),
    daily: amountText(limits.dailySats ?? 0n),
    collections: Object.fromEntries(budgets),
    absence: limits.absenceMinutes === null ? "" : String(limits.absenceMinutes),
  };
}

/** The request that sets the typed limits; an empty field sets none. */
export function limitsRequest(draft: LimitsDraft): Wire["NewLimits"] {
  const limit = (typed: string) => (amountSats(typed) > 0n ? satsToWire(amountSats(typed)) : null);
  return {
    budgetSats: limit(draft.budget),
    dailySats: limit(draft.daily),
    absenceMinutes: draft.absence === "" ? null : Number(draft.absence),
    collections: Object.entries(draft.collections).flatMap(([collection, typed]) => {
      const budgetSats = limit(typed);
      return budgetSats === null ? [] : [{ collection, budgetSats }];
    }),
  };
}

/** The collections that can get a budget of their own: those of manual offers, and those that have one. */
export function budgetCollections(
  offers: Iterable<MyOffer>,
  limits: LendingLimits,
  names: ReadonlyMap<string, string>,
): Array<{ groupId: string; name: string }> {
  const manual = [...offers].filter(({ loanProcessType }) => loanProcessType === "Manual");
  const limited = limits.collections.filter(({ budgetSats }) => budgetSats !== null);
  const ids = new Set([...manual, ...limited].map(({ groupId }) => groupId));
  const all = [...ids].map((groupId) => ({ groupId, name: names.get(groupId) ?? groupId }));
  return all.toSorted((one, other) => one.name.localeCompare(other.name));
}

/** A limit on an amount, and how much of it is taken. */
export interface LimitUse {
  label: string;
  /** From 0 to 1. */
  share: number;
  text: string;
}

/** What is taken of each limit on an amount. */
export function usesOf(limits: LendingLimits, names: ReadonlyMap<string, string>): LimitUse[] {
  const use = (label: string, takenSats: bigint, limitSats: bigint | null): LimitUse[] => {
    if (limitSats === null) return [];
    const share = Math.min(Number(takenSats) / Number(limitSats), 1);
    const amounts = `${formatBtcExact(takenSats)} of ${formatBtcExact(limitSats)} BTC`;
    return [{ label, share, text: amounts }];
  };
  return [
    ...use("Lent now, all collections", limits.outstandingSats, limits.budgetSats),
    ...use("Accepted today (UTC)", limits.todaySats, limits.dailySats),
    ...limits.collections.flatMap(({ groupId, outstandingSats, budgetSats }) =>
      use(`Lent now, ${names.get(groupId) ?? groupId}`, outstandingSats, budgetSats),
    ),
  ];
}

/** `30 minutes`, `2 hours`, `1 day`. */
export function durationText(minutes: number): string {
  const [count, unit] =
    minutes % 1_440 === 0
      ? [minutes / 1_440, "day"]
      : minutes % 60 === 0
        ? [minutes / 60, "hour"]
        : [minutes, "minute"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
