import { RequestsScreen } from "@/features/requests/requests-screen";
import { PageHead } from "./page-head";

/** The borrow requests of all collections. */
export function RequestsPage() {
  return (
    <>
      <PageHead title="Borrow requests" />
      <p className="-mt-2 mb-4 text-sm text-soft max-md:text-xs">
        Borrowers name the loan that they want. A lender fills a request, and the borrower signs.
      </p>
      <RequestsScreen />
    </>
  );
}
