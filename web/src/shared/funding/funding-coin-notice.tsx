import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fundingCoinQuery } from "@/shared/api/funding-coin";
import { isUnderOffer, type MyOffer } from "@/shared/api/my-offer";
import { formatBtcExact } from "@/shared/format/sats";
import { useSession } from "@/shared/session/session-store";
import { Button } from "@/shared/ui/button";
import { Notice } from "@/shared/ui/notice";
import { ExactCoinDialog } from "./exact-coin-dialog";

/**
 * Names the coin that an offer against BRC-20 lacks, and creates it. Renders nothing while it exists, or is
 * unknown.
 */
export function FundingCoinNotice({ offer }: { offer: MyOffer }) {
  const session = useSession((state) => state.session);
  const queries = useQueryClient();
  // The sum at the start: the coin may be confirmed before the dialog is closed.
  const [makingSats, setMakingSats] = useState<bigint | null>(null);
  // While a borrower takes the offer, the coin is reserved for that.
  const isOpen = offer.loanProcessType === "Manual" && !isUnderOffer(offer);
  const takesOne = offer.collateralType === "brc20" && isOpen;
  const query = fundingCoinQuery(offer.offerId);
  const { data: coin } = useQuery({ ...query, enabled: takesOne });
  const sats = coin && !coin.isThere ? coin.fundingSats : null;

  function leave() {
    setMakingSats(null);
    void queries.invalidateQueries({ queryKey: query.queryKey });
  }

  if (!takesOne || session === null) return null;
  return (
    <>
      {sats !== null && (
        <Notice
          title="This offer cannot be taken yet"
          action={
            <Button size="small" onClick={() => setMakingSats(sats)}>
              Make the coin
            </Button>
          }
        >
          A loan against BRC-20 is funded by one coin of exactly {formatBtcExact(sats)} BTC. Your payment
          address has none that is confirmed and free.
        </Notice>
      )}
      {makingSats !== null && (
        <ExactCoinDialog
          collectionName={offer.collectionName}
          session={session}
          sats={makingSats}
          next="This offer can be taken once the coin is confirmed."
          onClose={leave}
        />
      )}
    </>
  );
}
