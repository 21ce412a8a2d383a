import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
// Keeps the receipts of all requests, whatever is on the screen.
import "@/shared/receipts/receipts-store";
import "@/shared/theme/styles.css";
import { App } from "./app";

// The page about the build compares what was loaded. Browsers forget it after 250 files, pictures included.
performance.setResourceTimingBufferSize(5_000);

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root element");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
