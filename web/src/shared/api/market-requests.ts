import { orderBookResponse } from "./book";
import { type Collection, collectionPage } from "./collection";
import { type MyOffer, myOfferPage } from "./my-offer";
import { request } from "./request";

const PAGE_SIZE = 100;
/** A market of ten thousand groups; a cursor that never ends is an error of the server, not a reason to hang. */
const PAGES_MAX = 100;

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Every group of the market, page by page. */
export async function fetchMarket(signal?: AbortSignal): Promise<Collection[]> {
  return everyPage((cursor) =>
    request(`/api/v1/collections?${pageQuery(cursor)}`, collectionPage, { signal }),
  );
}

/** Every offer of the person signed in. */
export async function fetchMyOffers(signal?: AbortSignal): Promise<MyOffer[]> {
  return everyPage((cursor) => request(`/api/v1/offers?${pageQuery(cursor)}`, myOfferPage, { signal }));
}

export async function fetchOrderBook(groupId: string, signal?: AbortSignal) {
  return request(`/api/v1/collections/${encodeURIComponent(groupId)}/orderbook`, orderBookResponse, {
    signal,
  });
}

async function everyPage<Item>(fetchPage: (cursor: string | null) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const answer: Page<Item> = await fetchPage(cursor);
    items.push(...answer.data);
    cursor = answer.nextCursor;
    if (cursor === null) break;
  }
  return items;
}

function pageQuery(cursor: string | null): string {
  const query = new URLSearchParams({ limit: String(PAGE_SIZE) });
  if (cursor !== null) query.set("cursor", cursor);
  return query.toString();
}
