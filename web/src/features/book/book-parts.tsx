import { Tabs } from "@base-ui/react/tabs";
import { type ReactNode, useState } from "react";
import { classNames } from "@/shared/ui/class-names";
import { DESKTOP_SCREEN, useMediaQuery } from "@/shared/ui/use-media-query";

interface BookPartsProps {
  offers: ReactNode;
  loans: ReactNode;
  requests: ReactNode;
  depth: ReactNode;
  counts: { offers: number; loans: number; requests: number };
}

/** The parts of a book: side by side with the depth in place of the offers, or a tab each. */
export function BookParts(props: BookPartsProps) {
  const isDesktop = useMediaQuery(DESKTOP_SCREEN);
  // Kept here, so that the chosen part stays when the window crosses the breakpoint.
  const [part, setPart] = useState("offers");
  return isDesktop ? (
    <Halves {...props} part={part} onPart={setPart} />
  ) : (
    <PartTabs {...props} part={part} onPart={setPart} />
  );
}

interface Chosen {
  part: string;
  onPart: (part: string) => void;
}

function Halves({ offers, loans, requests, depth, counts, part, onPart }: BookPartsProps & Chosen) {
  return (
    <div className="grid h-full grid-cols-[1.5fr_1fr]">
      <Tabs.Root
        // Loans and requests are next to it anyway.
        value={part === "depth" ? "depth" : "offers"}
        onValueChange={onPart}
        className="flex min-h-0 min-w-0 flex-col"
      >
        <Tabs.List className="flex shrink-0 gap-5 px-3">
          <PartTab value="offers" label="Active offers" count={counts.offers} />
          <PartTab value="depth" label="Depth" />
        </Tabs.List>
        <PartPanel value="offers">{offers}</PartPanel>
        <PartPanel value="depth">{depth}</PartPanel>
      </Tabs.Root>
      <div className="flex min-h-0 min-w-0 flex-col border-l border-line *:min-h-0 *:flex-1">
        <Half title="Active loans" count={counts.loans}>
          {loans}
        </Half>
        {counts.requests > 0 && (
          <Half title="Open requests" count={counts.requests} divided>
            {requests}
          </Half>
        )}
      </div>
    </div>
  );
}

function PartTabs({ offers, loans, requests, depth, counts, part, onPart }: BookPartsProps & Chosen) {
  return (
    <Tabs.Root value={part} onValueChange={onPart} className="flex h-full flex-col">
      {/* The tabs fit 375 px; with very long counts, or on a smaller phone, they scroll. */}
      <Tabs.List className="flex shrink-0 gap-4 overflow-x-auto border-b border-line px-5 [scrollbar-width:none] sm:gap-5">
        <PartTab value="offers" label="Liquidity" count={counts.offers} />
        <PartTab value="loans" label="Active" count={counts.loans} />
        <PartTab value="requests" label="Requests" count={counts.requests} />
        <PartTab value="depth" label="Depth" />
      </Tabs.List>
      <PartPanel value="offers">{offers}</PartPanel>
      <PartPanel value="loans">{loans}</PartPanel>
      <PartPanel value="requests">{requests}</PartPanel>
      <PartPanel value="depth">{depth}</PartPanel>
    </Tabs.Root>
  );
}

function PartPanel({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Tabs.Panel value={value} className="min-h-0 flex-1">
      {children}
    </Tabs.Panel>
  );
}

function PartTab({ value, label, count }: { value: string; label: string; count?: number }) {
  return (
    <Tabs.Tab
      value={value}
      className="flex h-11 shrink-0 items-center gap-2 border-b-2 border-transparent text-sm text-muted -outline-offset-2 data-active:border-text data-active:text-text lg:h-9"
    >
      {label}
      {count !== undefined && (
        <span aria-hidden className="text-xs text-muted">
          {count}
        </span>
      )}
    </Tabs.Tab>
  );
}

function Half({
  title,
  count,
  divided = false,
  children,
}: {
  title: string;
  count: number;
  divided?: boolean;
  children: ReactNode;
}) {
  return (
    <section className={classNames("flex min-h-0 min-w-0 flex-col", divided && "border-t border-line")}>
      <h3 className="flex shrink-0 items-baseline gap-2 px-3 pt-3 pb-1 text-sm">
        {title}
        <span className="text-xs font-normal text-muted">{count}</span>
      </h3>
      <div className="min-h-0 flex-1">{children}</div>
    </section>
  );
}
