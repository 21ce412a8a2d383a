import * as v from "valibot";
import { orderBookResponse } from "./book";
import { type BorrowRequest, requestList } from "./borrow-request";
import { type Collection, collectionPage } from "./collection";
import { type GroupOffer, groupOfferList } from "./group-offer";
import { type Halt, haltList } from "./halt";
import { type MyOffer, myOfferPage } from "./my-offer";
import { type Negotiation, negotiationList } from "./negotiation";
import { type Notice, notice } from "./notice";
import { request } from "./request";
import { lenientArray } from "./wire";

const PAGE_SIZE = 100;
/** Enough for ten thousand groups; a cursor that never ends is a server error and must not hang the app. */
const PAGES_MAX = 100;

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Every group of the market, page by page. */
export async function fetchMarket(signal?: AbortSignal): Promise<Collection[]> {
  return everyPage((query) => request("GET", "/api/v1/collections", collectionPage, { query, signal }));
}

/** Every offer of the signed-in user. */
export async function fetchMyOffers(signal?: AbortSignal): Promise<MyOffer[]> {
  return everyPage((query) => request("GET", "/api/v1/offers", myOfferPage, { query, signal }));
}

/** The offers that name the signed-in user as their borrower. */
export async function fetchOffersForMe(signal?: AbortSignal): Promise<GroupOffer[]> {
  return (await request("GET", "/api/v1/offers/for-me", groupOfferList, { signal })).data;
}

/** The negotiations of the signed-in user. */
export async function fetchMyNegotiations(signal?: AbortSignal): Promise<Negotiation[]> {
  return (await request("GET", "/api/v1/negotiations", negotiationList, { signal })).negotiations;
}

const notices = v.object({ data: lenientArray(notice) });

/** The recent notices of the signed-in user, newest last as on the feed. */
export async function fetchMyNotices(signal?: AbortSignal): Promise<Notice[]> {
  const { data } = await request("GET", "/api/v1/me/notices", notices, { signal });
  return data.sort((a, b) => a.at - b.at);
}

export async function fetchOrderBook(groupId: string, signal?: AbortSignal) {
  const path = { name: groupId };
  return request("GET", "/api/v1/collections/{name}/orderbook", orderBookResponse, { path, signal });
}

/** The borrow requests of all collections. */
export async function fetchRequests(signal?: AbortSignal): Promise<BorrowRequest[]> {
  return (await request("GET", "/api/v1/requests", requestList, { signal })).requests;
}

/** The halts in effect. */
export async function fetchHalts(signal?: AbortSignal): Promise<Halt[]> {
  return (await request("GET", "/api/v1/halts", haltList, { signal })).halts;
}

async function everyPage<Item>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer: Page<Item> = await fetchPage({ limit: PAGE_SIZE, cursor });
    items.push(...answer.data);
    if (answer.nextCursor === null) break;
    cursor = answer.nextCursor;
  }
  return items;
}
