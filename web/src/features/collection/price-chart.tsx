import { useId, useMemo, useRef, useState } from "react";
import type { CollateralType } from "@/shared/api/collection";
import { type PriceHistory, type PriceRange, RANGE_LABEL, RANGE_STEP } from "@/shared/api/price-history";
import { formatMoment } from "@/shared/format/age";
import { formatChange } from "@/shared/format/percent";
import { formatPrice, priceUnit } from "@/shared/price/price";
import {
  ChartFrame,
  ChartLevels,
  ChartLine,
  ChartMark,
  ChartRule,
  ChartTable,
  ChartTicks,
} from "@/shared/ui/chart-frame";
import { useElementWidth } from "@/shared/ui/use-element-width";
import { chartShape } from "./price-scale";

export const CHART_HEIGHT_PX = 208;
const EDGES = { top: 10, right: 18, bottom: 24 };
/** Width per character of a label. */
const LABEL_CHARACTER_PX = 7;

interface PriceChartProps {
  history: PriceHistory;
  range: PriceRange;
  type: CollateralType;
}

/**
 * The prices of a range as a line, with a read-out that pointer and keyboard move, and as a table for screen
 * readers.
 */
export default function PriceChart({ history, range, type }: PriceChartProps) {
  const { data } = history;
  const frame = useRef<HTMLDivElement>(null);
  const width = useElementWidth(frame);
  const [index, setIndex] = useState<number | null>(null);
  const fill = useId();
  const last = data.length - 1;
  const shownIndex = Math.min(index ?? last, last);
  const shown = data[shownIndex];
  const first = data[0];
  const unit = priceUnit(type);
  const left = useMemo(
    () => Math.max(...data.map(({ price }) => formatPrice(price, type).length)) * LABEL_CHARACTER_PX + 10,
    [data, type],
  );
  const shape = useMemo(
    () => chartShape(data, range, type, { ...EDGES, left, width, height: CHART_HEIGHT_PX }),
    [data, range, type, left, width],
  );
  const place = shape.points[shownIndex];
  if (!shown || !first || !place) return null;

  const rises = (data[last]?.price ?? 0) >= first.price;
  const change = index === null ? history.priceChange : changeSince(first.price, shown.price);
  const readOut = `${formatPrice(shown.price, type)} ${unit}, ${formatMoment(shown.date)}`;

  return (
    <div>
      <p className="flex h-6 items-baseline gap-2 text-sm">
        <span data-testid="price-read-out">
          <span className="font-strong">{formatPrice(shown.price, type)}</span>{" "}
          <span className="text-muted">{unit}</span>
        </span>
        {change !== null && <Change percent={change} />}
        <span className="ml-auto truncate text-xs text-muted">{formatMoment(shown.date)}</span>
      </p>
      <ChartFrame
        frame={frame}
        label={`Price, last ${RANGE_LABEL[range]}`}
        valueText={readOut}
        points={shape.points}
        at={shownIndex}
        width={width}
        height={CHART_HEIGHT_PX}
        className={rises ? "text-up" : "text-down"}
        onIndex={setIndex}
      >
        <defs>
          <linearGradient id={fill} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" stopColor="currentColor" stopOpacity="0.22" />
            <stop offset="1" stopColor="currentColor" stopOpacity="0" />
          </linearGradient>
        </defs>
        <ChartLevels
          levels={shape.yTicks.map(({ at, label }) => ({ y: at, label }))}
          left={left}
          right={width - EDGES.right}
        />
        <ChartTicks ticks={shape.xTicks} y={CHART_HEIGHT_PX - 4} />
        <path d={shape.area} fill={`url(#${fill})`} />
        <ChartLine path={shape.line} />
        {index !== null && <ChartRule x={place.x} top={EDGES.top} bottom={CHART_HEIGHT_PX - EDGES.bottom} />}
        <ChartMark point={place} />
      </ChartFrame>
      <ChartTable
        caption={`Prices of the last ${RANGE_LABEL[range]}, one every ${RANGE_STEP[range]}`}
        heads={["Time", `Price in ${type === "inscription" ? "BTC" : "sats"}`]}
        rows={data.map(({ date, price }) => [formatMoment(date), formatPrice(price, type)])}
      />
    </div>
  );
}

function changeSince(first: number, price: number): number | null {
  return first === 0 ? null : ((price - first) / first) * 100;
}

function Change({ percent }: { percent: number }) {
  const text = formatChange(percent);
  const moved = /[1-9]/.test(text);
  return (
    <span
      data-testid="price-change"
      className={moved ? (percent > 0 ? "text-up" : "text-down") : "text-muted"}
    >
      {text}
    </span>
  );
}
