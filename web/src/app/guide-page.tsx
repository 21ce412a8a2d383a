import { BookOpen, Coins, HandCoins, LifeBuoy } from "lucide-react";
import type { ComponentType } from "react";
import { Link, useParams } from "react-router";
import { GuideBasics } from "@/features/help/guide-basics";
import { GuideBorrowing } from "@/features/help/guide-borrowing";
import { GuideLending } from "@/features/help/guide-lending";
import { GuideRecovery } from "@/features/help/guide-recovery";
import { type Tab, TabBar } from "@/shared/ui/tab-bar";
import { NotFoundPage } from "./not-found-page";
import { PageHead } from "./page-head";

const PARTS: ReadonlyArray<Tab & { title: string; Body: ComponentType }> = [
  {
    id: "basics",
    label: "How it works",
    to: "/guide",
    icon: BookOpen,
    title: "How it works",
    Body: GuideBasics,
  },
  {
    id: "borrowing",
    label: "Borrowing",
    to: "/guide/borrowing",
    icon: HandCoins,
    title: "How to borrow",
    Body: GuideBorrowing,
  },
  {
    id: "lending",
    label: "Lending",
    to: "/guide/lending",
    icon: Coins,
    title: "How to lend",
    Body: GuideLending,
  },
  {
    id: "recovery",
    label: "Recovery",
    to: "/guide/recovery",
    icon: LifeBuoy,
    title: "When this site is down",
    Body: GuideRecovery,
  },
];

export function GuidePage() {
  const { part: id = "basics" } = useParams();
  const part = PARTS.find((known) => known.id === id);
  if (!part) return <NotFoundPage />;
  return (
    <>
      <PageHead title={part.title} />
      <div className="mb-6">
        <TabBar label="Guide" tabs={PARTS} current={part.id} />
      </div>
      <part.Body />
      <p className="mt-8 border-t border-line pt-4 text-sm text-soft">
        What is stored about you, who sees it, and how to remove it:{" "}
        <Link to="/privacy" className="rounded-control text-text underline underline-offset-4">
          Privacy
        </Link>
        . Which version this is, and how to check it:{" "}
        <Link to="/build" className="rounded-control text-text underline underline-offset-4">
          This build
        </Link>
      </p>
    </>
  );
}
