//! The frames of a client that trades.

use std::sync::Arc;

use actix::prelude::*;
use engine::feed::{ClientFrame, Encoding};

use super::{FeedSocket, SocketContext, TRADING_FRAME_LENGTH_MAX};
use crate::extract::signed_in::SignedIn;
use crate::http::api_error::ApiError;
use crate::http::error_code::ErrorCode;
use crate::session::credential::Credential;
use crate::trading::answer::{Answer, AnswerFrame, Answers, Authenticated};
use crate::trading::client_frame::{Authenticate, TradingFrame};
use crate::trading::trading_connection::{ORDERS_MAX, Room, TradingConnection};

impl FeedSocket {
    pub(super) fn handle_trading_text(&mut self, text: &str, context: &mut SocketContext) {
        match TradingFrame::read(text) {
            Ok(frame) => self.handle_trading_frame(frame, context),
            Err(error) => self.refuse_and_end(context, &ApiError::new(ErrorCode::BadFrame, error)),
        }
    }

    pub(super) fn handle_binary(&mut self, bytes: &[u8], context: &mut SocketContext) {
        let command = Encoding::decode_binary::<TradingFrame>(bytes);
        // Commands of a client that trades count as writes.
        if self.trading.is_none() || command.is_err() {
            let now = self.app.now();
            if !self.take_frame_token(context, now) {
                return;
            }
        }
        if let Ok(frame) = command {
            return self.handle_trading_frame(frame, context);
        }
        match Encoding::decode_binary::<ClientFrame>(bytes) {
            Ok(frame) => self.handle_client_frame(frame, context),
            Err(error) => self.refuse_and_end(context, &ApiError::new(ErrorCode::BadFrame, error)),
        }
    }

    fn handle_trading_frame(&mut self, frame: TradingFrame, context: &mut SocketContext) {
        if let TradingFrame::Authenticate(Authenticate { ticket }) = frame {
            return self.authenticate(&ticket, context);
        }
        let Some(trading) = &self.trading else {
            return self.refuse_command(&frame, &ApiError::plain(ErrorCode::Unauthenticated));
        };
        if let TradingFrame::Heartbeat(_) = frame {
            trading.beat();
            // It is no write, so it counts as a frame.
            let now = self.app.now();
            if !self.take_frame_token(context, now) {
                return;
            }
        }
        let Some(trading) = &self.trading else { return };
        if let Some(room) = trading.try_room(&frame) {
            return self.submit(frame, room, context);
        }
        // Nothing more is read until there is room.
        let then = trading.room(&frame).into_actor(self).map(move |room, socket, context| {
            if let Some(room) = room {
                socket.submit(frame, room, context);
            }
        });
        context.wait(then);
    }

    fn submit(&mut self, frame: TradingFrame, room: Room, context: &mut SocketContext) {
        let is_open = self.trading.as_ref().is_some_and(|trading| trading.submit(frame, room));
        if !is_open {
            self.end(context, actix_web_actors::ws::CloseCode::Policy, "no heartbeat");
        }
    }

    /// Answers a command of a client that has not authenticated.
    fn refuse_command(&self, frame: &TradingFrame, refusal: &ApiError) {
        self.app.metrics.count_refusal(refusal.code());
        let answer = Answer::new(frame.id().map(str::to_owned), Err(refusal.clone()));
        let frame = AnswerFrame::Answers(Answers { answers: vec![answer], position: None });
        self.send(self.encoding().encode(&frame));
    }

    fn authenticate(&mut self, ticket: &str, context: &mut SocketContext) {
        if self.trading.is_some() {
            let refusal = ApiError::new(ErrorCode::BadFrame, "the connection has authenticated before");
            return self.refuse_and_end(context, &refusal);
        }
        match self.app.keys.tickets.redeem(ticket, self.app.now()) {
            Ok(credential) => self.confirm_trading(credential, context),
            Err(error) => self.refuse_authentication(&ApiError::new(ErrorCode::TicketRefused, error)),
        }
    }

    /// Checks that the session or key is open, and a key's address: a ticket remains valid for up to 30 seconds after a
    /// sign-out or a revocation, and anywhere. What a key permits is checked for each command.
    fn confirm_trading(&mut self, credential: Credential, context: &mut SocketContext) {
        let (app, address) = (self.app.clone(), self.address);
        let confirm = async move { SignedIn::confirm_use(&app, credential, address).await };
        let then = confirm.into_actor(self).map(move |confirmed, socket, _| match confirmed {
            Ok(caller) => socket.begin_trading(caller.credential),
            Err(refusal) => socket.refuse_authentication(&refusal),
        });
        context.wait(then);
    }

    fn begin_trading(&mut self, credential: Credential) {
        let record = Arc::clone(&self.registration.record);
        record.set_trading(credential);
        self.limit.set(TRADING_FRAME_LENGTH_MAX);
        self.trading = Some(TradingConnection::start(self.app.clone(), credential, self.address, record));
        let authenticated = Authenticated { user_id: credential.user.to_string(), orders_max: ORDERS_MAX };
        self.send(self.encoding().encode(&AnswerFrame::Authenticated(authenticated)));
    }

    fn refuse_authentication(&self, refusal: &ApiError) {
        self.app.metrics.count_refusal(refusal.code());
        self.send(super::server_frame::error(self.encoding(), refusal, None));
    }
}
