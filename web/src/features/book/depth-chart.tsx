import { type ReactNode, useMemo, useRef, useState } from "react";
import { formatPercent, formatPercentFixed } from "@/shared/format/percent";
import { formatBtc, formatBtcShort } from "@/shared/format/sats";
import { nearestPoint } from "@/shared/ui/chart-cursor";
import {
  ChartFrame,
  ChartLevels,
  ChartLine,
  ChartMark,
  ChartRule,
  ChartTable,
  ChartTicks,
} from "@/shared/ui/chart-frame";
import { classNames } from "@/shared/ui/class-names";
import { useElementWidth } from "@/shared/ui/use-element-width";
import { type DepthLevel, depthAt, pickedLevels, restingLtvBps } from "./book-depth";
import { type DepthShape, depthShape } from "./depth-shape";

const HEIGHT_PX = 240;
const EDGES = { top: 10, right: 14, bottom: 24, left: 64 };
/** More rows would be too many to listen to; the slider has every step. */
const TABLE_ROWS_MAX = 40;
const OFFERS = "Offers at this LTV or more";
const REQUESTS = "Requests at this LTV or less";
/** The line of the requests differs from the other by its dashes too, not by its colour alone. */
const DASHES = "5 3";

/**
 * Both ladders of a book as one picture: what is offered at an LTV or more, and requested at an LTV or less.
 * Pointer and keyboard move the read-out from step to step; screen readers also get a table.
 */
export default function DepthChart({ levels }: { levels: readonly DepthLevel[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useElementWidth(frame);
  // An LTV and not a step, so that the read-out stays in place while the book changes.
  const [cursorBps, setCursorBps] = useState<number | null>(null);
  const shape = useMemo(() => depthShape(levels, { ...EDGES, width, height: HEIGHT_PX }), [levels, width]);
  const ltvBps = cursorBps ?? restingLtvBps(levels) ?? 0;
  const { offeredSats, requestedSats } = depthAt(levels, ltvBps);
  const cursor = shape.x(ltvBps);
  const isResting = cursorBps === null;
  const hasOwn = levels.some(({ ownOffer, ownRequest }) => ownOffer || ownRequest);

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-col gap-1 text-sm">
        <p className="flex h-6 items-baseline gap-2">
          <span className="text-muted">LTV</span>
          <span data-testid="depth-ltv" className="font-strong">
            {ltvText(ltvBps)}
          </span>
          {isResting && (
            <span className="text-xs text-muted">
              {shape.offers ? "the best offer" : "the highest request"}
            </span>
          )}
          {hasOwn && <OwnKey />}
        </p>
        <dl className="grid gap-x-8 gap-y-1 lg:grid-cols-2">
          <Side name={OFFERS} sats={shape.offers ? offeredSats : null} none="No open offers">
            <LineKey className="text-up" />
          </Side>
          <Side name={REQUESTS} sats={shape.requests ? requestedSats : null} none="No open requests">
            <LineKey className="text-soft" dashes={DASHES} />
          </Side>
        </dl>
      </div>
      <ChartFrame
        frame={frame}
        label="Depth of the book by LTV"
        valueText={`LTV ${ltvText(ltvBps)}: ${formatBtc(offeredSats)} BTC offered at this LTV or more, ${formatBtc(requestedSats)} BTC requested at this LTV or less`}
        points={shape.points}
        at={nearestPoint(shape.points, cursor)}
        width={width}
        height={HEIGHT_PX}
        onIndex={(index) => setCursorBps(index === null ? null : (levels[index]?.ltvBps ?? null))}
      >
        <ChartLevels
          levels={shape.yTicks.map(({ y, sats }) => ({ y, label: sats === 0n ? "0" : formatBtcShort(sats) }))}
          left={EDGES.left}
          right={width - EDGES.right}
        />
        <ChartTicks
          ticks={shape.xTicks.map(({ x, percent }) => ({ at: x, label: formatPercent(percent) }))}
          y={HEIGHT_PX - 4}
        />
        {shape.requests && (
          <g className="text-soft">
            <path d={shape.requests.area} fill="var(--line)" opacity="0.6" />
            <ChartLine path={shape.requests.line} dashes={DASHES} />
          </g>
        )}
        {shape.offers && (
          <g className="text-up">
            <path d={shape.offers.area} fill="var(--up-tint)" />
            <ChartLine path={shape.offers.line} />
          </g>
        )}
        <OwnMarks levels={levels} shape={shape} />
        {!isResting && <ChartRule x={cursor} top={EDGES.top} bottom={HEIGHT_PX - EDGES.bottom} />}
        {requestedSats > 0n && (
          <g className="text-soft">
            <ChartMark point={{ x: cursor, y: shape.y(requestedSats) }} />
          </g>
        )}
        {offeredSats > 0n && (
          <g className="text-up">
            <ChartMark point={{ x: cursor, y: shape.y(offeredSats) }} />
          </g>
        )}
      </ChartFrame>
      <ChartTable
        caption="Depth of the book by LTV"
        heads={["LTV", `${OFFERS}, in BTC`, `${REQUESTS}, in BTC`]}
        rows={pickedLevels(levels, TABLE_ROWS_MAX).map((level) => [
          ltvText(level.ltvBps),
          formatBtc(level.offeredSats),
          formatBtc(level.requestedSats),
        ])}
      />
    </div>
  );
}

function ltvText(ltvBps: number): string {
  return formatPercentFixed(ltvBps / 100, 2);
}

/** A side of the book in words, which is also the legend of its line. */
function Side({
  name,
  sats,
  none,
  children,
}: {
  name: string;
  /** Null if nothing is open. */
  sats: bigint | null;
  none: string;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-2">
      {children}
      <dt className="text-soft">{name}</dt>
      <dd className={classNames("ml-auto whitespace-nowrap", sats === null && "text-muted")}>
        {sats === null ? (
          none
        ) : (
          <>
            <span className="font-strong">{formatBtc(sats)}</span> <span className="text-muted">₿</span>
          </>
        )}
      </dd>
    </div>
  );
}

function LineKey({ className, dashes }: { className: string; dashes?: string }) {
  return (
    <svg width="18" height="8" aria-hidden className={classNames("shrink-0", className)}>
      <line x1="0" x2="18" y1="4" y2="4" stroke="currentColor" strokeWidth="2" strokeDasharray={dashes} />
    </svg>
  );
}

function OwnKey() {
  return (
    <span className="ml-auto flex items-center gap-1.5 text-xs text-muted">
      <span aria-hidden className="size-2 rounded-full bg-accent" />
      Yours
    </span>
  );
}

/** A dot at each step that an offer or a request of the user's own is part of. */
function OwnMarks({ levels, shape }: { levels: readonly DepthLevel[]; shape: DepthShape }) {
  return (
    <g className="text-accent">
      {levels.map(({ ltvBps, offeredSats, requestedSats, ownOffer, ownRequest }) => (
        <g key={ltvBps}>
          {ownOffer && <ChartMark point={{ x: shape.x(ltvBps), y: shape.y(offeredSats) }} />}
          {ownRequest && <ChartMark point={{ x: shape.x(ltvBps), y: shape.y(requestedSats) }} />}
        </g>
      ))}
    </g>
  );
}
