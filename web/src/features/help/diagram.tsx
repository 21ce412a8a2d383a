import { type ReactNode, useId } from "react";

/** A drawing that summarizes the text next to it. `label` is for screen readers. */
export function Diagram({ label, height, children }: { label: string; height: number; children: ReactNode }) {
  return (
    <figure className="rounded-card border border-line bg-ground p-4">
      <svg
        viewBox={`0 0 340 ${height}`}
        role="img"
        aria-label={label}
        className="mx-auto block w-full max-w-85 text-muted"
      >
        {children}
      </svg>
    </figure>
  );
}

export function Box({
  x,
  y,
  width,
  title,
  detail,
  isMain = false,
}: {
  x: number;
  y: number;
  width: number;
  title: string;
  detail?: string;
  /** Whether it is the subject of the picture. */
  isMain?: boolean;
}) {
  const middle = x + width / 2;
  return (
    <g>
      <rect
        x={x}
        y={y}
        width={width}
        height={detail ? 44 : 30}
        rx="8"
        fill="var(--surface)"
        stroke={isMain ? "var(--accent)" : "var(--line-strong)"}
        strokeWidth={isMain ? 1.5 : 1}
      />
      <text x={middle} y={y + 19} textAnchor="middle" className="fill-text text-xs font-strong">
        {title}
      </text>
      {detail && (
        <text x={middle} y={y + 35} textAnchor="middle" className="fill-muted text-xs">
          {detail}
        </text>
      )}
    </g>
  );
}

export function Arrow({ from, to }: { from: readonly [number, number]; to: readonly [number, number] }) {
  const arrowHead = useId();
  return (
    <g>
      <defs>
        <marker
          id={arrowHead}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto"
        >
          <path d="M0 0 8 4 0 8z" fill="currentColor" />
        </marker>
      </defs>
      <line
        x1={from[0]}
        y1={from[1]}
        x2={to[0]}
        y2={to[1]}
        stroke="currentColor"
        strokeWidth="1.25"
        markerEnd={`url(#${arrowHead})`}
      />
    </g>
  );
}

export function Note({ x, y, children }: { x: number; y: number; children: string }) {
  return (
    <text x={x} y={y} textAnchor="middle" className="fill-muted text-xs">
      {children}
    </text>
  );
}

interface Way {
  /** The condition, beside the arrow. */
  note: string;
  title: string;
  detail: string;
}

/** Two ways from a box above, each with its condition. `y` is the end of that box. */
export function Fork({ y, length, left, right }: { y: number; length: number; left: Way; right: Way }) {
  const end = y + length;
  return (
    <g>
      <Arrow from={[130, y + 2]} to={[84, end]} />
      <Arrow from={[210, y + 2]} to={[256, end]} />
      <Note x={62} y={y + length / 2 + 4}>
        {left.note}
      </Note>
      <Note x={284} y={y + length / 2 + 4}>
        {right.note}
      </Note>
      <Box x={4} y={end + 4} width={152} title={left.title} detail={left.detail} />
      <Box x={184} y={end + 4} width={152} title={right.title} detail={right.detail} />
    </g>
  );
}
