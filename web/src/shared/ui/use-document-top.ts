import { type RefObject, useLayoutEffect, useState } from "react";

/** Distance of an element from the top of the document, which the window's scrolling is measured from. */
export function useDocumentTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  // Whatever stands above may change height with any render, so it is measured after each.
  useLayoutEffect(() => {
    const node = element.current;
    if (node) setTop(Math.round(node.getBoundingClientRect().top + window.scrollY));
  });
  return top;
}
