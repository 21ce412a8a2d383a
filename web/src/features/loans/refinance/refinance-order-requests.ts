import * as v from "valibot";
import { type RefinanceOrder, refinanceOrder } from "@/shared/api/loan";
import { request } from "@/shared/api/request";
import { orderBody } from "./refinance-order-draft";

const PATH = "/api/v1/loans/{loan_id}/refinance-order";

/** Sets the standing order of a loan, in place of an earlier one. */
export async function saveOrder(loanId: string, order: RefinanceOrder): Promise<void> {
  const body = orderBody(order);
  await request("PUT", PATH, v.nullable(refinanceOrder), { path: { loan_id: loanId }, body });
}

export async function removeOrder(loanId: string): Promise<void> {
  await request("DELETE", PATH, v.null(), { path: { loan_id: loanId } });
}
