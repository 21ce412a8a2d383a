//! Resources that know their methods and list them when they refuse another one (RFC 9110, section 15.5.6).

use actix_web::dev::{AppService, HttpServiceFactory};
use actix_web::http::Method;
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::{FromRequest, Handler, HttpResponse, Resource, Responder, guard, web};

use super::api_error::ApiError;
use super::error_code::ErrorCode;

/// A resource with its methods.
pub struct Methods {
    resource: Resource,
    allowed: Vec<Method>,
}

/// Returns a resource without methods.
#[must_use]
pub fn at(path: &str) -> Methods {
    Methods { resource: web::resource(path.to_owned()), allowed: Vec::new() }
}

impl Methods {
    /// Adds a handler for GET and for HEAD, which returns no body.
    #[must_use]
    pub fn read<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::GET, Method::HEAD], handler)
    }

    /// Adds a handler for POST.
    #[must_use]
    pub fn post<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::POST], handler)
    }

    /// Adds a handler for PUT.
    #[must_use]
    pub fn put<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::PUT], handler)
    }

    /// Adds a handler for PATCH.
    #[must_use]
    pub fn patch<F, Args>(self, handler: F) -> Self
    where
        F: Handler<Args>,
        Args: FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        self.take(&[Method::PATCH], handler)
    }

    /// Adds a handler for DELETE.
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
        self.allowed.extend_from_slice(methods);
        let is_taken = guard::fn_guard(|request| methods.contains(&request.head().method));
        Self { resource: self.resource.route(web::route().guard(is_taken).to(handler)), ..self }
    }
}

impl HttpServiceFactory for Methods {
    fn register(self, config: &mut AppService) {
        let allowed = self.allowed;
        let refuse = move || {
            let refusal = not_allowed(&allowed);
            async { refusal }
        };
        self.resource.default_service(web::to(refuse)).register(config);
    }
}

/// Returns the refusal of a method, with the supported ones.
#[must_use]
pub fn not_allowed(allowed: &[Method]) -> HttpResponse {
    let mut refusal = HttpResponse::from_error(ApiError::plain(ErrorCode::MethodNotAllowed));
    let names: Vec<&str> = allowed.iter().map(Method::as_str).collect();
    if let Ok(names) = HeaderValue::from_str(&names.join(", ")) {
        refusal.headers_mut().insert(ALLOW, names);
    }
    refusal
}
