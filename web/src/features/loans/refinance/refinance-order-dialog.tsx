import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { configQuery, type Limits } from "@/shared/api/config";
import { errorText } from "@/shared/api/error-text";
import type { Loan } from "@/shared/api/loan";
import type { Book } from "@/shared/feed/book-channel";
import { useBook } from "@/shared/feed/use-feed";
import { useLoanRefresh } from "@/shared/loans/loan-refresh";
import { Button } from "@/shared/ui/button";
import { Modal } from "@/shared/ui/modal";
import { notify } from "@/shared/ui/notify";
import { SumLine, SumLines } from "@/shared/ui/sum-lines";
import { useNow } from "@/shared/ui/use-now";
import type { LoanActionProps } from "../loan-action-props";
import { collateralText } from "../loan-collateral";
import { offersWithin, refinanceOffers } from "./refinance-choice";
import { type OrderDraft, orderDraft, orderError, orderOf, orderTerms } from "./refinance-order-draft";
import { OrderFields } from "./refinance-order-fields";
import { removeOrder, saveOrder } from "./refinance-order-requests";
import { fittingOffersText, orderMeaning } from "./refinance-order-text";

const MINUTE_MS = 60_000;

/** Sets, changes or removes a borrower's standing order to refinance a loan near its due date. */
export function RefinanceOrderDialog({ loan, session, onClose }: LoanActionProps) {
  const book = useBook(loan.groupId);
  const { data: config } = useQuery(configQuery);
  const write = useOrderWrite(onClose);
  if (book.data && config) {
    return (
      <OrderForm
        loan={loan}
        userId={session.userId}
        book={book.data}
        limits={config.limits}
        write={write}
        onClose={onClose}
      />
    );
  }
  return (
    <OrderModal loan={loan} write={write} onClose={onClose}>
      <p role={book.refusal === null ? "status" : "alert"} className="min-h-64 px-5 py-4 text-sm text-soft">
        {book.refusal ?? "Fetching the terms of this collection..."}
      </p>
    </OrderModal>
  );
}

type OrderWrite = ReturnType<typeof useOrderWrite>;

/** Sends an order or its removal, reports the result, and closes the dialog after success. */
function useOrderWrite(onClose: () => void) {
  const [isBusy, setIsBusy] = useState(false);
  const refreshLoans = useLoanRefresh();
  const run = async (send: () => Promise<void>, done: string, failed: string) => {
    setIsBusy(true);
    try {
      await send();
      notify.success(done);
      onClose();
    } catch (error) {
      notify.error(failed, errorText(error));
      setIsBusy(false);
    } finally {
      refreshLoans();
    }
  };
  return { isBusy, run };
}

function OrderForm({
  loan,
  userId,
  book,
  limits,
  write,
  onClose,
}: {
  loan: Loan;
  userId: string;
  book: Book;
  limits: Limits;
  write: OrderWrite;
  onClose: () => void;
}) {
  const formId = useId();
  const now = useNow(MINUTE_MS);
  // The terms stay as they were when the dialog opened, whatever the collection does meanwhile.
  const [terms] = useState(() => orderTerms(loan, book.row));
  const [draft, setDraft] = useState<OrderDraft>(() => orderDraft(loan, terms));
  const order = orderOf(draft);
  const error = orderError(draft);
  const fitting = order && offersWithin(refinanceOffers(loan, book, { userId, limits }), order);
  const save = () => {
    if (!order || write.isBusy) return;
    const failed = "The standing order could not be saved";
    void write.run(() => saveOrder(loan.loanId, order), "Standing order saved", failed);
  };
  return (
    <OrderModal
      loan={loan}
      write={write}
      action={
        <Button variant="primary" type="submit" form={formId} disabled={order === null || write.isBusy}>
          {write.isBusy ? "Saving..." : "Save order"}
        </Button>
      }
      onClose={onClose}
    >
      <form
        id={formId}
        className="flex flex-col gap-4 px-5 py-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <OrderFields
          draft={draft}
          loan={loan}
          terms={terms}
          limits={limits}
          disabled={write.isBusy}
          onChange={setDraft}
        />
        <SumLines>
          <SumLine label="Offers that fit">{fitting ? fittingOffersText(fitting) : "–"}</SumLine>
        </SumLines>
        {error !== null && (
          <p role="status" className="text-sm text-soft">
            {error}
          </p>
        )}
        <p className="text-xs text-pretty text-muted">{orderMeaning(loan, draft, now)}</p>
      </form>
    </OrderModal>
  );
}

/** The frame, with the removal of an order that is set. */
function OrderModal({
  loan,
  write,
  action,
  onClose,
  children,
}: {
  loan: Loan;
  write: OrderWrite;
  action?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const remove = () => {
    const failed = "The standing order could not be removed";
    void write.run(() => removeOrder(loan.loanId), "Standing order removed", failed);
  };
  return (
    <Modal
      open
      onClose={onClose}
      busy={write.isBusy}
      title="Standing order"
      description={`To refinance ${loan.collectionName}, ${collateralText(loan)}`}
      footer={
        <div className="flex flex-wrap items-center justify-end gap-2">
          {loan.refinanceOrder !== null && (
            <Button variant="danger" disabled={write.isBusy} onClick={remove} className="mr-auto">
              Remove
            </Button>
          )}
          <Button onClick={onClose} disabled={write.isBusy}>
            Cancel
          </Button>
          {action}
        </div>
      }
    >
      {children}
    </Modal>
  );
}
