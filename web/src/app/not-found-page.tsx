import { Link } from "react-router";
import { buttonClass } from "@/shared/ui/button";
import { EmptyState } from "@/shared/ui/empty-state";
import { PageHead } from "./page-head";

export function NotFoundPage() {
  return (
    <>
      <PageHead title="Page not found" />
      <EmptyState
        title="This page does not exist"
        action={
          <Link to="/borrow/ordinals" className={buttonClass({ variant: "primary" })}>
            Go to the market
          </Link>
        }
      >
        The link may be out of date or mistyped. Your offers and loans are in the portfolio.
      </EmptyState>
    </>
  );
}
