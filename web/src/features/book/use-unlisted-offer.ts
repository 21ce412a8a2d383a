import { useQuery } from "@tanstack/react-query";
import { openOffer } from "@/shared/feed/opened-offers";
import { linkKeyOf } from "@/shared/share/share-link";
import type { UnlistedState } from "./linked-offer-state";

const REFETCH_MS = 10_000;

/**
 * Opens the unlisted offer whose link was followed; null where the link has no key. A signed-in user is needed.
 */
export function useUnlistedOffer(
  groupId: string,
  offerId: string | null,
  userId: string | null,
): UnlistedState {
  const key = linkKeyOf(location.hash);
  const isLinked = offerId !== null && key !== null;
  const { isError, isSuccess } = useQuery({
    queryKey: ["opened-offer", userId, groupId, offerId, key],
    queryFn: () => openOffer(userId ?? "", groupId, offerId ?? "", key ?? "").then(() => true),
    enabled: isLinked && userId !== null,
    retry: false,
    // No channel reports its changes, and its link may be opened again by another user.
    refetchInterval: REFETCH_MS,
    staleTime: 0,
    gcTime: 0,
  });
  if (!isLinked) return null;
  if (isError) return "refused";
  return isSuccess ? "opened" : "opening";
}
