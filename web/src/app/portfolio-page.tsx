import { useQuery } from "@tanstack/react-query";
import { ChartLine, Handshake, History, Hourglass, Tag } from "lucide-react";
import { parseAsStringLiteral, useQueryState } from "nuqs";
import { Navigate } from "react-router";
import { PendingTransfers } from "@/features/brc20/pending-transfers";
import { LendDialog } from "@/features/lend/lend-dialog";
import { HistoryPanel } from "@/features/loans/history-panel";
import { waitingCountQuery } from "@/features/loans/loan-requests";
import { LoansPanel } from "@/features/loans/loans-panel";
import { OverviewPanel } from "@/features/loans/overview-panel";
import { PendingPanel } from "@/features/loans/pending-panel";
import { Negotiations } from "@/features/negotiations/negotiations";
import { useNegotiations, useWaitingNegotiations } from "@/features/negotiations/use-negotiations";
import { NotificationPrompt } from "@/features/notifications/notification-prompt";
import { OffersList } from "@/features/offers/offers-list";
import { OwnRequests } from "@/features/requests/own-requests";
import { useOwnRequests } from "@/features/requests/use-own-requests";
import type { MyOffer } from "@/shared/api/my-offer";
import { useMarket, useMe } from "@/shared/feed/use-feed";
import { useSession } from "@/shared/session/session-store";
import { offerAddress } from "@/shared/share/share-link";
import { TabBar } from "@/shared/ui/tab-bar";
import { PageHead } from "./page-head";

const TABS = ["overview", "offers", "loans", "history"] as const;

/** The user's offers and loans. */
export function PortfolioPage() {
  const [tab] = useQueryState("tab", parseAsStringLiteral(TABS).withDefault("overview"));
  const [offerId] = useQueryState("offer");
  const forMe = useOfferForMe(offerId);
  if (forMe !== null) return <Navigate to={forMe} replace />;
  // Notices link to an offer by its id alone.
  if (offerId !== null && tab === "overview") {
    return <Navigate to={`/portfolio?tab=offers&offer=${encodeURIComponent(offerId)}`} replace />;
  }
  return (
    <>
      <Head current={tab} />
      {tab === "offers" && <OffersList EditDialog={EditOfferDialog} />}
      {tab === "loans" && <LoansPanel />}
      {tab === "history" && <HistoryPanel />}
      {tab === "overview" && <OverviewPanel />}
    </>
  );
}

/** The URL of another lender's offer that names the user; null for any other offer. */
function useOfferForMe(offerId: string | null): string | null {
  const groupId = useMe().data?.offersForMe.get(offerId ?? "")?.groupId;
  const row = useMarket().data?.get(groupId ?? "");
  return offerId !== null && row ? offerAddress(row, offerId) : null;
}

function EditOfferDialog({ offer, onClose }: { offer: MyOffer; onClose: () => void }) {
  return <LendDialog open groupId={offer.groupId} editOffer={offer} onClose={onClose} />;
}

/** The loans that wait for the user, and the user's negotiations and requests. */
export function PendingPage() {
  const isFilled = useOwnRequests().some(({ asked }) => asked.state === "filled");
  const isNegotiating = useNegotiations().length > 0;
  return (
    <>
      <Head current="pending" />
      <PendingPanel isMoreWaiting={isFilled || isNegotiating} />
      <Negotiations className="mt-8 peer-empty:mt-0" />
      <OwnRequests className="mt-8" />
      <PendingTransfers />
    </>
  );
}

type Tab = (typeof TABS)[number] | "pending";

/**
 * The reminder is rendered with the session and before the content that needs one, so that no button moves
 * under a pointer.
 */
function Head({ current }: { current: Tab }) {
  return (
    <>
      <PageHead title="Portfolio" />
      <Tabs current={current} />
      <NotificationPrompt />
    </>
  );
}

function Tabs({ current }: { current: Tab }) {
  const userId = useSession((state) => state.session?.userId);
  const waiting = useQuery({ ...waitingCountQuery(userId ?? ""), enabled: userId !== undefined });
  const count = (waiting.data ?? 0) + useWaitingNegotiations();
  return (
    <div className="mb-5">
      <TabBar
        label="Portfolio"
        countTone="warn"
        current={current}
        tabs={[
          { id: "overview", label: "Overview", to: "/portfolio", icon: ChartLine },
          { id: "offers", label: "Offers", to: "/portfolio?tab=offers", icon: Tag },
          { id: "loans", label: "Loans", to: "/portfolio?tab=loans", icon: Handshake },
          { id: "pending", label: "Pending", to: "/portfolio/pending", icon: Hourglass, count },
          { id: "history", label: "History", to: "/portfolio?tab=history", icon: History },
        ]}
      />
    </div>
  );
}
