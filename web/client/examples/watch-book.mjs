// watch-book.mjs SLUG [CHANGES]: prints the best offers of a book whenever they change; ends after CHANGES, if given. The
// server is LIENBOOK_URL, by default http://127.0.0.1:8080. Build the package first: npx tsc -p client
import { rankings } from "../dist/client/src/book.js";
import { Client } from "../dist/client/src/client.js";
import { Feed } from "../dist/client/src/feed.js";

const [slug, changes] = process.argv.slice(2);
const url = process.env.LIENBOOK_URL ?? "http://127.0.0.1:8080";
const client = new Client({ url });
const { id } = await client.call("get", "/api/v1/collections/{name}", { path: { name: slug } });
let left = Number(changes ?? Number.POSITIVE_INFINITY);

const feed = new Feed({
  url,
  books: [id],
  onChange: (_, book) => {
    const best = rankings(book).flatMap(({ process, offers: [first] }) =>
      first ? [`${first.offerId} ${process}: ${first.available_sats} sats for ${first.loan_term_days} days`] : []);
    console.log(`${slug} floor ${book.row.floor}; ${best.join("; ")}`);
    left -= 1;
    if (left <= 0) feed.close();
  },
  onStale: (_, reason) => console.log(`stale: ${reason}`),
});
