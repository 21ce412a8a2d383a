import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Category, Collection } from "@/shared/api/collection";
import { type OwnCollateral, ownCollateralQuery } from "@/shared/api/own-collateral";
import { heldTickers, type OwnTokens, ownTokensQuery } from "@/shared/api/own-tokens";
import type { Market } from "@/shared/feed/market-channel";
import { useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import type { Mode } from "./market-rows";

export interface ForYou {
  /** Groups that concern the user; null while signed out, or before anything is known. */
  groups: ReadonlySet<string> | null;
  /** Whether a request is pending. */
  isAsking: boolean;
}

/**
 * The groups that the filter For you keeps: for a lender those with own offers, for a borrower those whose
 * collateral the connected wallet holds. Holdings are fetched only while `isSelected`.
 */
export function useForYou(
  mode: Mode,
  category: Category,
  isSelected: boolean,
  market: Market | null,
): ForYou {
  const userId = useSession((state) => state.session?.userId ?? null);
  const offers = useMe().data?.offers;
  const enabled = userId !== null && mode === "borrow" && isSelected;
  const isTokens = category === "brc-20";
  const assets = useQuery({ ...ownCollateralQuery(userId ?? ""), enabled: enabled && !isTokens });
  const balances = useQuery({ ...ownTokensQuery(userId ?? ""), enabled: enabled && isTokens });
  const isAsking = enabled && (isTokens ? balances : assets).isPending;

  const groups = useMemo(() => {
    if (userId === null) return null;
    if (mode === "lend") return new Set([...(offers?.values() ?? [])].map((offer) => offer.groupId));
    return heldGroups(market?.values() ?? [], assets.data ?? null, balances.data ?? null);
  }, [userId, mode, offers, market, assets.data, balances.data]);
  return { groups, isAsking };
}

/** The groups of which the user holds some collateral. */
export function heldGroups(
  rows: Iterable<Collection>,
  assets: OwnCollateral | null,
  balances: OwnTokens | null,
): ReadonlySet<string> {
  const tickers = balances ? heldTickers(balances) : new Set<string>();
  const held = new Set(assets?.inscriptions.map(({ collectionId }) => collectionId));
  const runes = new Set(assets?.runes.filter(({ freeRaw }) => freeRaw > 0n).map(({ runeId }) => runeId));
  for (const row of rows) {
    if (row.collateralType === "rune" && row.runeId !== null && runes.has(row.runeId)) held.add(row.id);
    if (row.collateralType === "brc20" && tickers.has((row.ticker ?? "").toLowerCase())) held.add(row.id);
  }
  return held;
}
