import { OffersList } from "@/features/offers/offers-list";
import { PageHead } from "./page-head";

export function PortfolioPage() {
  return (
    <>
      <PageHead title="Portfolio" />
      <OffersList />
    </>
  );
}
