//! Resources that know which methods they take, and say so when they refuse another one (RFC 9110, section 15.5.6).

use actix_web::dev::{AppService, HttpServiceFactory};
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, guard, web};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// A resource with its methods.
pub struct Methods {
    resource: Resource,
    taken: Vec<Method>,
}

/// A resource without methods yet.
#[must_use]
pub fn at(path: &str) -> Methods {
    Methods { resource: web::resource(path.to_owned()), taken: Vec::new() }
}

impl Methods {
    /// Reads, by GET or, without the body, by HEAD.
    #[must_use]
    pub fn read<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::GET, Method::HEAD], handler)
    }

    /// Writes, by POST.
    #[must_use]
    pub fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::POST], handler)
    }

    /// Makes it so, by PUT.
    #[must_use]
    pub fn put<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::PUT], handler)
    }

    /// Changes, by PATCH.
    #[must_use]
    pub fn patch<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::PATCH], handler)
    }

    /// Ends, by DELETE.
    #[must_use]
    pub fn delete<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::DELETE], handler)
    }

    fn take<F, Args>(mut self, methods: &'static [Method], handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.taken.extend_from_slice(methods);
        let is_taken = guard::fn_guard(|request| methods.contains(&request.head().method));
        Self { resource: self.resource.route(web::route().guard(is_taken).to(handler)), ..self }
    }
}

impl HttpServiceFactory for Methods {
    fn register(self, config: &mut AppService) {
        let taken = self.taken;
        let refuse = move || {
            let refusal = not_allowed(&taken);
            async { refusal }
        };
        self.resource.default_service(web::to(refuse)).register(config);
    }
}

/// Refuses a method, with those that are taken.
#[must_use]
pub fn not_allowed(taken: &[Method]) -> HttpResponse {
    let mut refusal = HttpResponse::from_error(ApiError::plain(ErrorCode::MethodNotAllowed));
    let names: Vec<&str> = taken.iter().map(Method::as_str).collect();
    if let Ok(names) = HeaderValue::from_str(&names.join(", ")) {
        refusal.headers_mut().insert(ALLOW, names);
    }
    refusal
}
