import { expect, type Page } from "@playwright/test";
import { RETRIES } from "./retries";

type Category = "ordinals" | "runes" | "brc-20";
type Process = "manual" | "instant";

interface OfferCounts {
  groupSlug: string;
  manual: { offerCount: number } | null;
  instant: { offerCount: number } | null;
}

/** The slug of the collection with the most offers, read from the public API. */
export async function slugWithOffers(
  page: Page,
  category: Category = "ordinals",
  process: Process = "manual",
): Promise<string> {
  const answer = await page.request.get(
    `/api/v1/collections?category=${category}&process=${process}&has_offers=true&limit=100`,
    { maxRetries: RETRIES },
  );
  const { data }: { data: OfferCounts[] } = await answer.json();
  const [busiest] = data.sort((a, b) => (b[process]?.offerCount ?? 0) - (a[process]?.offerCount ?? 0));
  return busiest?.groupSlug ?? "";
}

export async function openBook(
  page: Page,
  category: Category = "ordinals",
  process: Process = "manual",
): Promise<void> {
  const slug = await slugWithOffers(page, category, process);
  await page.goto(`/borrow/${category}?process=${process}&collection=${slug}&view=book`);
  await expect(page.getByRole("dialog").getByRole("row").nth(1)).toBeVisible();
}
