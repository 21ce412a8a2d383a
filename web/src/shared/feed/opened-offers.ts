import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { create } from "zustand";
import { bookOffer } from "@/shared/api/book";
import type { GroupOffer } from "@/shared/api/group-offer";
import { RequestProblem } from "@/shared/api/problem";
import { request } from "@/shared/api/request";
import { text } from "@/shared/api/wire";
import { useSession } from "@/shared/session/session-store";

/** An unlisted offer, with the key of its link. */
export interface OpenedOffer extends GroupOffer {
  linkKey: string;
}

interface OpenedOffers {
  offers: ReadonlyMap<string, OpenedOffer>;
}

/** The unlisted offers that the signed-in user opened by their links. */
export const useOpenedOffers = create<OpenedOffers>(() => ({ offers: new Map() }));

/** Forgets them when the user signs out: another one may not see them. */
export function forgetOpenedOffers(): void {
  useOpenedOffers.setState({ offers: new Map() });
}

const opened = v.object({ groupSlug: text, offer: bookOffer, inscriptions: v.array(text) });

function fetchOpened(offerId: string, linkKey: string | null) {
  return request("POST", "/api/v1/offers/open", opened, {
    body: { offerId, linkKey },
    idempotencyKey: crypto.randomUUID(),
  });
}

/** The ids of the inscriptions that an offer with chosen ones takes. */
export function chosenInscriptionsQuery(offerId: string) {
  return queryOptions({
    queryKey: ["chosen-inscriptions", offerId],
    queryFn: async (): Promise<ReadonlySet<string>> => {
      const linkKey = useOpenedOffers.getState().offers.get(offerId)?.linkKey ?? null;
      return new Set((await fetchOpened(offerId, linkKey)).inscriptions);
    },
    // An offer's conditions never change.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Opens an unlisted offer of a group by its link, so that the group's book shows it to this user. An offer that
 * is refused leaves the book again.
 */
export async function openOffer(
  userId: string,
  groupId: string,
  offerId: string,
  linkKey: string,
): Promise<void> {
  try {
    const { offer } = await fetchOpened(offerId, linkKey);
    change(userId, (offers) => offers.set(offerId, { groupId, requestId: null, offer, linkKey }));
  } catch (error) {
    const isRefused = error instanceof RequestProblem && error.status >= 400 && error.status < 500;
    if (isRefused) change(userId, (offers) => offers.delete(offerId));
    throw error;
  }
}

/** Changes the offers, unless the user has signed out meanwhile. */
function change(userId: string, act: (offers: Map<string, OpenedOffer>) => void): void {
  if (useSession.getState().session?.userId !== userId) return;
  useOpenedOffers.setState(({ offers }) => {
    const changed = new Map(offers);
    act(changed);
    return { offers: changed };
  });
}
