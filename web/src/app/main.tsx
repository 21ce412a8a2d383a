import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
// Keeps the receipts of all requests, whatever is on the screen.
import "@/shared/receipts/receipts-store";
import "@/shared/theme/styles.css";
import { App } from "./app";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root element");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
