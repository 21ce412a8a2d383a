import { create } from "zustand";
import { setReceiptSink } from "@/shared/api/receipt-sink";
import { useSession } from "@/shared/session/session-store";

const STORAGE_KEY = "lienbook.receipts";

/** The receipts that are kept for each user; one has some 800 bytes. */
export const RECEIPTS_MAX = 1_000;

/** A receipt in its written form: two parts in base64url. */
const RECEIPT = /^[\w-]+\.[\w-]+$/;
const RECEIPT_LENGTH_MAX = 8_192;

interface ReceiptsState {
  /** Changes whenever receipts are kept or removed in this tab. */
  version: number;
}

/** The signed receipts of the user's accepted requests, which this browser alone keeps. */
export const useReceipts = create<ReceiptsState>(() => ({ version: 0 }));

/** The receipts of a user, the oldest first. Read anew each time, because other tabs keep theirs in the same place. */
export function receiptsOf(userId: string): string[] {
  try {
    const stored = localStorage.getItem(keyOf(userId));
    return stored === null ? [] : stored.split("\n").filter((line) => RECEIPT.test(line));
  } catch {
    return [];
  }
}

/** Keeps a receipt; the oldest one leaves when there are too many. */
export function keepReceipt(userId: string, receipt: string): void {
  if (receipt.length > RECEIPT_LENGTH_MAX || !RECEIPT.test(receipt)) return;
  const kept = receiptsOf(userId);
  if (kept.includes(receipt)) return;
  store(userId, [...kept, receipt].slice(-RECEIPTS_MAX));
}

/** Removes all receipts of a user from this browser. */
export function removeReceipts(userId: string): void {
  store(userId, []);
}

setReceiptSink((receipt) => {
  const userId = useSession.getState().session?.userId;
  if (userId !== undefined) keepReceipt(userId, receipt);
});

function store(userId: string, receipts: string[]): void {
  try {
    if (receipts.length === 0) localStorage.removeItem(keyOf(userId));
    else localStorage.setItem(keyOf(userId), receipts.join("\n"));
  } catch {
    // Without storage there is nothing to show later; the request was accepted nevertheless.
  }
  useReceipts.setState(({ version }) => ({ version: version + 1 }));
}

function keyOf(userId: string): string {
  return `${STORAGE_KEY}.${userId}`;
}
