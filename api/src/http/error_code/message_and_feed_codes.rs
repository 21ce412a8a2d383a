//! The codes of messages outside of the app, and of the feed.

/// Generates the table of error codes from the given ones and these.
macro_rules! with_message_and_feed_codes {
    ($($codes:tt)+) => {
        error_codes! {
            $($codes)+

            /// This server does not send mail.
            EmailUnset = 404 "email_unset" "This server sends no mail";
            /// Text that is not an e-mail address that this server sends to.
            EmailMalformed = 422 "email_malformed" "Not an e-mail address";
            /// Too many verification mails of one user, to one address, or in total.
            EmailLimit = 429 "email_limit" "Too many verification mails, please try again later";
            /// This server has no Telegram bot.
            TelegramUnset = 404 "telegram_unset" "This server has no Telegram bot";
            /// Telegram has not reported the bot's name yet.
            TelegramUnavailable = 503 "telegram_unavailable" "Telegram is not responding, please try again";
            /// A link that this server did not issue, or whose address was changed or removed.
            LinkInvalid = 422 "link_invalid" "The link is not valid any more";
            /// The address was not verified in time.
            LinkExpired = 422 "link_expired" "The link expired, please ask for another mail";
            /// The address is verified already.
            LinkUsed = 409 "link_used" "The link was used already";
            /// The URL of a webhook is not `https`, or leads into a network that is not public; the reason is among the values.
            WebhookUrl = 422 "webhook_url" "This address cannot be a webhook";
            /// The user has the maximum number of webhooks.
            TooManyWebhooks = 409 "too_many_webhooks" "Too many webhooks";
            /// The user has no such webhook.
            UnknownWebhook = 404 "unknown_webhook" "There is no such webhook";
            /// Nothing is sent to the webhook until it is resumed.
            WebhookPaused = 409 "webhook_paused" "The webhook is paused";
            /// The address or a key of a push subscription is refused; the reason is among the values.
            PushSubscription = 422 "push_subscription" "This browser cannot be notified";
            /// The user has the maximum number of subscribed browsers.
            TooManyBrowsers = 409 "too_many_browsers" "Too many browsers";
            /// The user has no such push subscription.
            UnknownBrowser = 404 "unknown_browser" "This browser is not notified any more";
            /// The user had no such event, or it is too long ago to be sent again.
            UnknownEvent = 404 "unknown_event" "There is no such event any more";

            /// A frame that the feed does not know.
            BadFrame = 400 "bad_frame" "The frame is not understood";
            /// The channel does not exist.
            UnknownChannel = 404 "unknown_channel" "There is no such channel";
            /// A ticket that is not valid for the private channel.
            TicketRefused = 401 "ticket_refused" "The ticket is not accepted";
            /// Too many channels on one socket.
            TooManyChannels = 429 "too_many_channels" "Too many open channels";
            /// A lender with more offers than the private channel shows; the list of offers returns them in pages.
            SnapshotTooLarge = 409 "snapshot_too_large" "There is more to show than the private channel takes";
            /// Too many sockets.
            TooManySockets = 503 "too_many_sockets" "Too many open sockets";
        }
    };
}
