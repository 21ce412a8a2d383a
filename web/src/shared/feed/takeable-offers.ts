import { queryOptions, useQuery } from "@tanstack/react-query";
import { type GroupOffer, groupOfferList } from "@/shared/api/group-offer";
import { request } from "@/shared/api/request";
import { useSession } from "@/shared/session/session-store";
import { groupOffersById } from "./me-channel";

/** The user's loans and wallet change seldom, and the server refuses an offer that does not fit any more. */
const RENEWED_MS = 60_000;

const NONE: ReadonlyMap<string, GroupOffer> = new Map();

function takeableOffersQuery(userId: string | null) {
  return queryOptions({
    queryKey: ["takeable-offers", userId],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, GroupOffer>> => {
      const { data } = await request("GET", "/api/v1/me/takeable-offers", groupOfferList, { signal });
      return groupOffersById(data);
    },
    enabled: userId !== null,
    staleTime: RENEWED_MS,
    refetchInterval: RENEWED_MS,
  });
}

/** The offers of the public books whose conditions the signed-in user meets, by id; none while signed out. */
export function useTakeableOffers(): ReadonlyMap<string, GroupOffer> {
  const userId = useSession((state) => state.session?.userId ?? null);
  return useQuery(takeableOffersQuery(userId)).data ?? NONE;
}
