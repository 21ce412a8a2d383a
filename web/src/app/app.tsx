import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { RouterProvider } from "react-router";
import { createQueryClient } from "@/shared/api/query-client";
import { AppDialogsContext } from "@/shared/dialogs/app-dialogs";
import { FeedConnection } from "@/shared/feed/feed-connection";
import { Toaster } from "@/shared/ui/toaster";
import { APP_DIALOGS } from "./app-dialogs";
import { createRouter } from "./router";

/** The providers around every page. */
export function App() {
  const [client] = useState(createQueryClient);
  const [router] = useState(createRouter);
  return (
    // The content policy allows no style elements: their rules are in our own style sheet.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <FeedConnection />
        <AppDialogsContext value={APP_DIALOGS}>
          <RouterProvider router={router} />
        </AppDialogsContext>
        <Toaster />
      </QueryClientProvider>
    </CSPProvider>
  );
}
