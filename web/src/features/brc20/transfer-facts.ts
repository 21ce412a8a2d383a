import { balancesOf, type TransactionFlow } from "@/shared/bitcoin/flow-balance";
import { formatMoment } from "@/shared/format/age";
import { formatBtc } from "@/shared/format/sats";
import type { Session } from "@/shared/session/session-store";
import type { SigningFacts } from "@/shared/signing/signing-facts";
import type { TransferOrder } from "./brc20-requests";

const btc = (sats: bigint) => `${formatBtc(sats, 8)} BTC`;

/** The signing facts of a transfer inscription, read from the exact transaction to sign. */
export function transferFacts(
  order: TransferOrder,
  flow: TransactionFlow,
  /** Amount and token of the inscription as text. */
  tokens: string,
  { addresses: { payment, ordinals } }: Session,
): SigningFacts {
  const [balance] = balancesOf(flow, [payment.address]);
  const paidSats = balance ? balance.outgoingSats - balance.incomingSats : 0n;
  const feeSats = BigInt(order.feeSats);
  return {
    outgoing: [{ what: btc(paidSats), address: payment.address, note: "fee, and the sats of the note" }],
    incoming: [
      {
        what: `1 transfer note of ${tokens}`,
        address: ordinals.address,
        note: `on ${paidSats - feeSats} sats`,
      },
    ],
    fees: [{ what: btc(feeSats), note: "Network fee, for two transactions" }],
    deadline: `Sign by ${formatMoment(order.expiresAt)}. You can pledge the note once it is confirmed.`,
    atDefault: null,
    exit: `The note stays at your own address. Send it to yourself to turn it back into free balance. Until a loan starts, all of your ${tokens} are yours.`,
  };
}
