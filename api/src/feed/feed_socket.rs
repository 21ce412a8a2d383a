//! The socket of one client: an actor between the engine's queue and the connection. No other module uses
//! `actix-web-actors`.

mod trading_frames;

use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;
use std::net::IpAddr;
use std::time::Duration;

use actix::prelude::*;
use actix_web::body::BoxBody;
use actix_web::http::Method;
use actix_web::{HttpRequest, HttpResponse, web};
use actix_web_actors::ws;
use domain::UnixMs;
use engine::feed::{Channel, ClientFrame, CloseReason, Encoded, Encoding, FeedPosition, Outgoing, Subscription, Topic};
use serde_json::Value;

use super::chunked_body::ChunkedBody;
use super::frame_gate::{FrameGate, FrameLimit, Overlong};
use super::server_frame;
use super::subprotocol;
use crate::app::App;
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::http::rate_limit::TokenBucket;
use crate::session::credential::Credential;
use crate::sockets::socket_registry::SocketRegistration;
use crate::trading::client_frame;
use crate::trading::trading_connection::TradingConnection;

/// The largest frame of a client, in bytes.
const FRAME_LENGTH_MAX: usize = 4 * 1_024;

/// The largest frame of a client that trades, in bytes.
const TRADING_FRAME_LENGTH_MAX: usize = 64 * 1_024;

/// The largest number of open channels per socket.
const CHANNELS_MAX: usize = 64;

/// The cost of subscribing to a channel again, in frames in addition to the one that requests it.
const SECOND_SNAPSHOT_COST: u32 = 3;

/// The interval of the actor's heartbeat and of pings to the client.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// The silence after which a client counts as gone, in milliseconds.
const SILENCE_MS_MAX: u64 = 60_000;

/// Answers the handshake and starts the actor.
pub(super) fn start(
    app: &web::Data<App>,
    registration: SocketRegistration,
    request: &HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, actix_web::Error> {
    let gate = FrameGate::new(payload, FRAME_LENGTH_MAX);
    let socket = FeedSocket {
        app: app.clone(),
        address: app.client_address(request),
        registration,
        overlong: gate.overlong(),
        limit: gate.limit(),
        trading: None,
        open: HashMap::new(),
        requested: HashSet::new(),
        bucket: TokenBucket::full(app.settings.quotas.socket_frames_per_minute, app.now()),
        last_frame_at: app.now(),
    };
    let response = ws::WsResponseBuilder::new(socket, request, gate)
        .protocols(&subprotocol::ALL)
        .frame_size(TRADING_FRAME_LENGTH_MAX)
        .start()?;
    Ok(response.map_body(|_, frames| BoxBody::new(ChunkedBody::new(frames))))
}

struct FeedSocket {
    app: web::Data<App>,
    address: IpAddr,
    registration: SocketRegistration,
    overlong: Overlong,
    limit: FrameLimit,
    /// The trading side, once the client has authenticated.
    trading: Option<TradingConnection>,
    open: HashMap<Topic, Subscription>,
    /// Every channel that was ever requested on this socket; there are only a few more than collections.
    requested: HashSet<Topic>,
    bucket: TokenBucket,
    last_frame_at: UnixMs,
}

type SocketContext = ws::WebsocketContext<FeedSocket>;

impl Actor for FeedSocket {
    type Context = SocketContext;

    fn started(&mut self, context: &mut SocketContext) {
        self.app.metrics.sockets.inc();
        context.add_stream(self.registration.record.queue.clone());
        context.run_interval(HEARTBEAT_INTERVAL, |socket, context| {
            let now = socket.app.now();
            socket.registration.record.heartbeat(now);
            if socket.last_frame_at.plus_ms(SILENCE_MS_MAX) <= now {
                socket.end(context, ws::CloseCode::Away, "silent");
            } else {
                context.ping(b"");
            }
        });
    }

    fn stopped(&mut self, _context: &mut SocketContext) {
        self.app.metrics.sockets.dec();
    }
}

/// Frames of the engine for the client.
impl StreamHandler<Outgoing> for FeedSocket {
    fn handle(&mut self, outgoing: Outgoing, context: &mut SocketContext) {
        match outgoing {
            Outgoing::Frame(text) => context.text(text),
            Outgoing::Binary(bytes) => context.binary(bytes),
            Outgoing::Lagged => {
                // The old subscriptions have ended; the same channels start again with new snapshots.
                for topic in std::mem::take(&mut self.open).into_keys() {
                    self.reopen(topic, context);
                }
            }
            Outgoing::Closed(CloseReason::TooSlow) => self.end(context, ws::CloseCode::Again, "too slow"),
            Outgoing::Closed(CloseReason::Shutdown) => self.end(context, ws::CloseCode::Away, "shutdown"),
            Outgoing::Closed(CloseReason::SignedOut) => self.end(context, ws::CloseCode::Policy, "signed out"),
            Outgoing::Closed(CloseReason::NoHeartbeat) => self.end(context, ws::CloseCode::Policy, "no heartbeat"),
        }
    }
}

/// Frames of the client.
impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for FeedSocket {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, context: &mut SocketContext) {
        let now = self.app.now();
        self.last_frame_at = now;
        self.registration.record.heartbeat(now);
        match message {
            Ok(ws::Message::Ping(bytes)) if self.take_frame_token(context, now) => context.pong(&bytes),
            Ok(ws::Message::Binary(bytes)) if self.encoding() == Encoding::Binary => {
                self.handle_binary(&bytes, context);
            }
            Ok(ws::Message::Text(_)) if self.encoding() == Encoding::Binary => {
                let refusal = ApiError::new(ErrorCode::BadFrame, "frames are binary");
                self.refuse_and_close(context, ws::CloseCode::Unsupported, &refusal);
            }
            // Commands of a client that trades count as writes.
            Ok(ws::Message::Text(text)) if self.trading.is_some() && client_frame::is_trading(&text) => {
                self.handle_trading_text(&text, context);
            }
            Ok(ws::Message::Text(text)) if self.take_frame_token(context, now) => self.handle_text(&text, context),
            Ok(ws::Message::Binary(_) | ws::Message::Continuation(_)) => {
                let refusal = ApiError::new(ErrorCode::BadFrame, "frames are whole texts");
                self.refuse_and_close(context, ws::CloseCode::Unsupported, &refusal);
            }
            Ok(ws::Message::Close(_)) => {
                self.trading = None;
                context.close(None);
                context.stop();
            }
            Ok(ws::Message::Pong(_)) => {
                self.take_frame_token(context, now);
            }
            Ok(ws::Message::Nop | ws::Message::Ping(_) | ws::Message::Text(_)) => {}
            Err(error) => {
                let length_max = self.overlong.was_seen().then_some(self.limit.get());
                let (code, detail) = fault(&error, length_max);
                self.refuse_and_close(context, code, &ApiError::new(ErrorCode::BadFrame, detail));
            }
        }
    }
}

impl FeedSocket {
    /// Takes a token; without one it sends an error and closes the socket.
    fn take_frame_token(&mut self, context: &mut SocketContext, now: UnixMs) -> bool {
        self.take_tokens(context, now, 1)
    }

    fn take_tokens(&mut self, context: &mut SocketContext, now: UnixMs, tokens: u32) -> bool {
        let may = self.bucket.try_take_all(tokens, now);
        if !may {
            self.refuse_and_end(context, &ApiError::new(ErrorCode::RateLimited, "too many frames a minute"));
        }
        may
    }

    fn encoding(&self) -> Encoding {
        self.registration.record.queue.encoding()
    }

    fn handle_text(&mut self, text: &str, context: &mut SocketContext) {
        if client_frame::is_trading(text) {
            return self.handle_trading_text(text, context);
        }
        match ClientFrame::read(text) {
            Ok(frame) => self.handle_client_frame(frame, context),
            Err(error) => self.refuse_and_end(context, &ApiError::new(ErrorCode::BadFrame, error)),
        }
    }

    fn handle_client_frame(&mut self, frame: ClientFrame, context: &mut SocketContext) {
        // The client has already received its snapshot or refusal, and either may have been expensive.
        if let ClientFrame::Subscribe { channel, .. } = &frame
            && self.requested.contains(channel)
            && !self.take_tokens(context, self.app.now(), SECOND_SNAPSHOT_COST)
        {
            return;
        }
        match frame {
            ClientFrame::Ping { id } => self.send(server_frame::pong(self.encoding(), id.filter(is_small))),
            ClientFrame::Unsubscribe { channel } => {
                self.open.remove(&channel);
                if channel == Topic::Me {
                    self.registration.record.set_credential(None);
                }
            }
            ClientFrame::Subscribe { channel, .. }
                if self.open.len() >= CHANNELS_MAX && !self.open.contains_key(&channel) =>
            {
                let refusal = ApiError::new(ErrorCode::TooManyChannels, format!("at most {CHANNELS_MAX} channels"));
                self.refuse(&refusal, channel);
            }
            ClientFrame::Subscribe { channel: Topic::Me, ticket, .. } => self.open_private(ticket.as_deref(), context),
            ClientFrame::Subscribe { channel, after, .. } => self.resume(channel, after, context),
        }
    }

    fn open_private(&mut self, ticket: Option<&str>, context: &mut SocketContext) {
        let refuse = |detail: String| ApiError::new(ErrorCode::TicketRefused, detail);
        let redeemed = match ticket {
            Some(ticket) => self.app.keys.tickets.redeem(ticket, self.app.now()).map_err(|it| refuse(it.to_string())),
            None => Err(refuse("the channel me needs a ticket".to_owned())),
        };
        match redeemed {
            Ok(credential) => self.confirm_private(credential, context),
            Err(refusal) => self.refuse(&refusal, Topic::Me),
        }
    }

    /// Checks that the session or key is open before anything is sent, and a key's address: a ticket remains valid for up
    /// to 30 seconds after a sign-out or a revocation, and anywhere.
    fn confirm_private(&mut self, credential: Credential, context: &mut SocketContext) {
        let (app, address) = (self.app.clone(), self.address);
        let confirm = async move {
            let caller = SignedIn::confirm(&app, credential).await?;
            caller.check_address(&app, address)?;
            // What the channel shows is what this route and its like show.
            caller.check_route(&Method::GET, Some("/api/v1/me/portfolio"))
        };
        let then = confirm.into_actor(self).map(move |confirmed, socket, context| match confirmed {
            Ok(()) => {
                socket.registration.record.set_credential(Some(credential));
                socket.reopen(Topic::Me, context);
            }
            Err(refusal) => socket.refuse(&refusal, Topic::Me),
        });
        context.wait(then);
    }

    /// Subscribes, again if necessary. The socket waits meanwhile, so that the client's frames take effect in order.
    fn reopen(&mut self, topic: Topic, context: &mut SocketContext) {
        self.resume(topic, None, context);
    }

    fn resume(&mut self, topic: Topic, after: Option<FeedPosition>, context: &mut SocketContext) {
        self.open.remove(&topic);
        let channel = match (topic, self.registration.record.credential()) {
            (Topic::Market, _) => Channel::Market,
            (Topic::Requests, _) => Channel::Requests,
            (Topic::Halts, _) => Channel::Halts,
            (Topic::Book(group), _) if self.app.market.group(group).is_some() => Channel::Book(group),
            (Topic::Me, Some(credential)) => Channel::Me(credential.user),
            (Topic::Book(_) | Topic::Me, _) => {
                return self.refuse(&ApiError::plain(ErrorCode::UnknownChannel), topic);
            }
        };
        self.requested.insert(topic);
        let (app, queue) = (self.app.clone(), self.registration.record.queue.clone());
        let subscribe = async move { app.market.resume(channel, &queue, after).await };
        let then = subscribe.into_actor(self).map(move |subscribed, socket, _context| match subscribed {
            Ok(subscription) => {
                socket.open.insert(topic, subscription);
            }
            Err(refusal) => socket.refuse(&refusal.into(), topic),
        });
        context.wait(then);
    }

    /// Sends a frame of the socket itself, in order with those of the engine.
    fn send(&self, frame: Encoded) {
        self.registration.record.queue.push(frame);
    }

    fn refuse(&self, refusal: &ApiError, channel: Topic) {
        self.app.metrics.count_refusal(refusal.code());
        self.send(server_frame::error(self.encoding(), refusal, Some(channel)));
    }

    fn refuse_and_end(&mut self, context: &mut SocketContext, refusal: &ApiError) {
        self.refuse_and_close(context, ws::CloseCode::Policy, refusal);
    }

    fn refuse_and_close(&mut self, context: &mut SocketContext, code: ws::CloseCode, refusal: &ApiError) {
        self.app.metrics.count_refusal(refusal.code());
        match server_frame::error(self.encoding(), refusal, None) {
            Encoded::Text(text) => context.text(text),
            Encoded::Binary(bytes) => context.binary(bytes),
        }
        self.end(context, code, refusal.code().code());
    }

    fn end(&mut self, context: &mut SocketContext, code: ws::CloseCode, reason: &str) {
        self.app.metrics.sockets_closed.with_label_values(&[reason]).inc();
        self.open.clear();
        self.trading = None;
        context.close(Some(ws::CloseReason { code, description: Some(reason.to_owned()) }));
        context.stop();
    }
}

/// Returns the fault of a frame, and its code according to RFC 6455, section 7.4.1.
fn fault(error: &ws::ProtocolError, length_max: Option<usize>) -> (ws::CloseCode, String) {
    if let Some(length_max) = length_max {
        return (ws::CloseCode::Size, format!("a frame has at most {length_max} bytes"));
    }
    match error {
        // The codec has no error variants for reserved bits and for text that is not UTF-8.
        ws::ProtocolError::Io(error) if error.kind() == ErrorKind::InvalidData => {
            (ws::CloseCode::Protocol, error.to_string())
        }
        ws::ProtocolError::Io(error) => (ws::CloseCode::Invalid, format!("a text frame is UTF-8: {error}")),
        ws::ProtocolError::BadOpCode => (ws::CloseCode::Protocol, "the close frame is malformed".to_owned()),
        other => (ws::CloseCode::Protocol, other.to_string()),
    }
}

/// Whether the id of a ping is small enough to be returned: a number or a short string.
fn is_small(id: &Value) -> bool {
    match id {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => text.len() <= 128,
        Value::Array(_) | Value::Object(_) => false,
    }
}
