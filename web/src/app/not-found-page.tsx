import { Link } from "react-router";
import { buttonClass } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { PageHead } from "./page-head";

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Page not found" />
      <EmptyState
        title="There is nothing at this address"
        action={
          <Link to="/borrow/ordinals" className={buttonClass({ variant: "primary" })}>
            Go to the market
          </Link>
        }
      >
        The link may be old or mistyped. Offers and loans are always found in the portfolio.
      </EmptyState>
    </>
  );
}
