import { type RefObject, useLayoutEffect, useState } from "react";

/** Distance of an element from the top of the document, which the window's scrolling is measured from. */
export function useDocumentTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      const node = element.current;
      if (node) setTop(Math.round(node.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    // Any content above can grow, and the page grows with it. Measuring at each render instead would force
    // one more layout each time.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return top;
}
