import type { Page } from "@playwright/test";
import type { components } from "../src/shared/api/schema.gen";

export type Row = components["schemas"]["Row"];

/**
 * Shows another market than the server's: `change` derives its rows from the real ones. No later change
 * arrives.
 */
export async function showMarketOf(page: Page, change: (rows: Row[]) => Row[]): Promise<void> {
  await page.routeWebSocket("**/api/v1/feed", (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const frame = JSON.parse(String(message));
      if (frame.channel !== "market") socket.send(message);
      else if (frame.type === "snapshot") {
        frame.data.rows = change(frame.data.rows);
        socket.send(JSON.stringify(frame));
      }
    });
  });
}

/** `count` rows that repeat the real ones under other names. */
export function manyRows(count: number): (rows: Row[]) => Row[] {
  return (rows) =>
    Array.from({ length: count }, (_, index) => {
      const row = rows[index % rows.length] as Row;
      const round = Math.floor(index / rows.length);
      return round === 0
        ? row
        : {
            ...row,
            id: `${row.id}x${round}`,
            groupSlug: `${row.groupSlug}-${round}`,
            collectionName: `${row.collectionName} ${round + 1}`,
          };
    });
}

/** The maximum of an offer. */
const MOST_OFFER_SATS = 2_000_000_000;
const MOST_FLOOR_SATS = 99_999_999_999;
const MOST_VOLUME_SATS = 12_345_678_000_000;

/**
 * The longest names with the largest numbers, the shortest with the smallest, and images that do not load.
 */
export function extremeRows(rows: Row[]): Row[] {
  return rows.map((row, index) => {
    const large = index % 2 === 0;
    return {
      ...row,
      collectionName: large ? "The Honourable Society of Extraordinarily Longwinded Inscriptions [12]" : "W",
      collectionImgURL: "/collection-images/there-is-none.svg",
      pointsMultiplier: large ? 1_250.5 : 0,
      floor: row.floor === null ? null : large ? MOST_FLOOR_SATS : 1,
      unitPrice: row.unitPrice === null ? null : large ? "1234567.00000000" : "0.00000001",
      internalVolumeStats: volumesOf(large ? MOST_VOLUME_SATS : 0),
      marketVolumeStats: null,
      priceChangeStats: large
        ? { change24h: 1_234.56, change7d: -99.99, change30d: 0.01 }
        : { change24h: -99.99, change7d: null, change30d: null },
      manual: quotesOf(row.manual, large),
      instant: quotesOf(row.instant, large),
    };
  });
}

function volumesOf(sats: number): Row["internalVolumeStats"] {
  return { totalVolume: sats, volume24h: sats, volume7d: sats, volume30d: sats };
}

function quotesOf(quotes: Row["manual"], large: boolean): Row["manual"] {
  if (!quotes) return quotes;
  return large
    ? {
        ...quotes,
        offerCount: 9_876,
        bestOffer: MOST_OFFER_SATS,
        ltv: 98,
        maxLtv: 98,
        maxAPY: 12_345.67,
        minInterest: 999.99,
        term: 365,
      }
    : {
        ...quotes,
        offerCount: 1,
        bestOffer: 1,
        ltv: 0.01,
        maxLtv: 0.01,
        maxAPY: 0.01,
        minInterest: 0.01,
        term: 1,
      };
}
