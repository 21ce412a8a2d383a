import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { RouterProvider } from "react-router";
import { createQueryClient } from "@/shared/api/query-client";
import { FeedConnection } from "@/shared/feed/feed-connection";
import { Toaster } from "@/shared/ui/toaster";
import { createRouter } from "./router";

/** Everything a page needs around it. */
export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(createRouter);
  return (
    // The page's policy takes no style elements: what they would say stands in our own style sheet.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <FeedConnection />
        <RouterProvider router={router} />
        <Toaster />
      </QueryClientProvider>
    </CSPProvider>
  );
}
