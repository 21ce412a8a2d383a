//! The public HTTP server.

use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::ServerHandle;
use actix_web::middleware::{Compress, from_fn};
use actix_web::rt::task::JoinHandle;
use actix_web::{HttpServer, web};

use crate::app::App;
use crate::demo::DemoRoutes;
use crate::failure::Failure;
use crate::feed::chunked_body::CHUNK_LENGTH_MAX;
use crate::middleware::{node_choice, rate_headers, request_id, security_headers, uncoded_errors, write_origin};
use crate::openapi::docs;
use crate::routes;
use crate::sockets::connection::Connection;

/// The grace period of running requests when the server stops, in seconds.
pub(super) const STOP_S_MAX: u64 = 5;

/// The timeout within which a client must send the head of a request.
pub(super) const REQUEST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// The timeout of an idle connection. Longer than the 60 s for which nginx and most load balancers keep theirs to it:
/// the side that sends requests must be the one to close, or a request meets a connection that is just being closed.
const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// The task of a server, and the handle that stops it.
pub(super) type Serving = (JoinHandle<std::io::Result<()>>, ServerHandle);

/// Serves the app on the listener, with the resources of a demo.
pub(super) fn serve(app: &web::Data<App>, listener: TcpListener, demo: Option<DemoRoutes>) -> Result<Serving, Failure> {
    let shared = app.clone();
    let write_timeout = Duration::from_secs(app.settings.quotas.unread_seconds);
    let mut server = HttpServer::new(move || {
        let app = actix_web::App::new().app_data(shared.clone());
        #[cfg(feature = "demo")]
        let app = app.wrap(actix_web::middleware::Condition::new(
            demo.as_ref().is_some_and(DemoRoutes::has_outages),
            from_fn(crate::outage::apply_outages),
        ));
        app.wrap(from_fn(rate_headers::report_quota))
            .wrap(from_fn(node_choice::by_position_and_role))
            .wrap(from_fn(write_origin::check_writes))
            .wrap(from_fn(request_id::assign_request_id))
            // Outside of the middleware that rewrites the bodies of refusals.
            .wrap(Compress::default())
            .wrap(from_fn(uncoded_errors::add_error_codes))
            .wrap(from_fn(security_headers::harden))
            .configure(docs::configure)
            .configure(|config| demo.iter().for_each(|demo| demo.configure(config)))
            .configure(routes::configure)
    })
    .on_connect(move |connection, extensions| Connection::store(connection, extensions, write_timeout))
    .client_request_timeout(REQUEST_HEAD_TIMEOUT)
    .keep_alive(KEEP_ALIVE)
    // Without it a delta waits until the client has acknowledged the one before, for up to 40 ms.
    .tcp_nodelay(true)
    // A socket's buffer never shrinks, so it is flushed before it must grow.
    .h1_write_buffer_size(CHUNK_LENGTH_MAX)
    .shutdown_timeout(STOP_S_MAX)
    .disable_signals();
    if app.settings.workers > 0 {
        server = server.workers(app.settings.workers);
    }
    let server = server.listen(listener).map_err(Failure::new)?.run();
    let handle = server.handle();
    Ok((actix_web::rt::spawn(server), handle))
}
