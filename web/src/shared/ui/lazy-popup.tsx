import { type ComponentProps, type ComponentType, lazy, Suspense, useState } from "react";

/** The props that a placeholder trigger spreads over its button. */
export type TriggerProps = Pick<
  ComponentProps<"button">,
  "onClick" | "onFocus" | "onPointerEnter" | "aria-haspopup" | "aria-expanded"
>;

/**
 * A button with a popup whose code is loaded on hover, focus or press of the button. Until then a placeholder
 * is in its place; `load` picks a component that renders the same button and opens at once with
 * `defaultOpen`.
 */
export function lazyPopup<Props extends object>(
  kind: "menu" | "dialog",
  load: () => Promise<ComponentType<Props & { defaultOpen?: boolean }>>,
  Trigger: ComponentType<Props & { trigger: TriggerProps }>,
) {
  const Part = lazy(async () => ({ default: await load() }));
  const preload = () => void load();
  return function LazyPopup(props: Props) {
    const [isRequested, setIsRequested] = useState(false);
    const placeholder = (
      <Trigger
        {...props}
        trigger={{
          "aria-haspopup": kind,
          "aria-expanded": false,
          onClick: () => setIsRequested(true),
          onFocus: preload,
          onPointerEnter: preload,
        }}
      />
    );
    if (!isRequested) return placeholder;
    return (
      <Suspense fallback={placeholder}>
        <Part {...props} defaultOpen />
      </Suspense>
    );
  };
}
