import * as v from "valibot";
import { create } from "zustand";
import { bookOffer } from "@/shared/api/book";
import { request } from "@/shared/api/request";
import { text } from "@/shared/api/wire";
import type { GroupOffer } from "./me-channel";

/** An unlisted offer, with the key of its link. */
export interface OpenedOffer extends GroupOffer {
  linkKey: string;
}

interface OpenedOffers {
  offers: ReadonlyMap<string, OpenedOffer>;
}

/** The unlisted offers that were opened by their links. */
export const useOpenedOffers = create<OpenedOffers>(() => ({ offers: new Map() }));

/** Forgets them when the user signs out: another one may not see them. */
export function forgetOpenedOffers(): void {
  useOpenedOffers.setState({ offers: new Map() });
}

const opened = v.object({ groupSlug: text, offer: bookOffer });

/** Opens an unlisted offer of a group by its link, so that the group's book shows it to this user. */
export async function openOffer(groupId: string, offerId: string, linkKey: string): Promise<void> {
  const { offer } = await request("POST", "/api/v1/offers/open", opened, {
    body: { offerId, linkKey },
    idempotencyKey: crypto.randomUUID(),
  });
  useOpenedOffers.setState(({ offers }) => ({
    offers: new Map(offers).set(offerId, { groupId, offer, linkKey }),
  }));
}
