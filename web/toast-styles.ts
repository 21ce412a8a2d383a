import type { Plugin } from "vite";

const CALL = '\n__insertCSS("';

/**
 * Keeps the toast library from writing a style element, which the server's content policy forbids. Its style
 * sheet is imported by ours instead.
 */
export function toastStylesAsSheet(): Plugin {
  return {
    name: "toast-styles-as-sheet",
    apply: "build",
    transform(code, id) {
      if (!/\/sonner\/dist\/index\.mjs$/.test(id)) return null;
      if (!code.includes(CALL))
        throw new Error("the toasts' library sets its styles in another way: see toast-styles.ts");
      return { code: code.replace(CALL, '\nvoid ("'), map: null };
    },
  };
}
