// full-books.mjs URL: waits until every collection that takes offers has one of each kind it takes, and no new ones arrive.
const [url] = process.argv.slice(2);
const TIMEOUT_MS = 120_000;
const POLL_MS = 2_000;

/** Returns the number of offers in all books, and the collections that still lack some. */
async function read() {
  const rows = (await (await fetch(`${url}/api/v1/collections?limit=100`)).json()).data;
  const kinds = rows.flatMap((row) => [row.manual, row.instant].map((quotes) => ({ row, quotes })));
  const taken = kinds.filter(({ row, quotes }) => row.isLendingAllowed && quotes);
  const lacking = taken.filter(({ quotes }) => quotes.offerCount === 0).map(({ row }) => row.groupSlug);
  return { offers: taken.reduce((sum, { quotes }) => sum + quotes.offerCount, 0), lacking };
}

const end = Date.now() + TIMEOUT_MS;
let before = await read();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const now = await read();
  if (now.lacking.length === 0 && now.offers === before.offers) break;
  if (Date.now() > end) {
    console.error(`The order books did not fill in ${TIMEOUT_MS / 1_000} s: ${JSON.stringify(now)}`);
    process.exit(1);
  }
  before = now;
}
console.log(`The order books hold ${before.offers} offers.`);
