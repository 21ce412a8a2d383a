/** The header of an answer that carries a signed receipt. */
export const RECEIPT_HEADER = "lienbook-receipt";

let sink: (receipt: string) => void = () => undefined;

/** Sets what keeps the receipts of accepted requests. */
export function setReceiptSink(keep: (receipt: string) => void): void {
  sink = keep;
}

/** Passes on the receipt of an answer, if it has one. */
export function passReceipt(headers: Headers): void {
  const receipt = headers.get(RECEIPT_HEADER);
  if (receipt !== null) sink(receipt);
}
