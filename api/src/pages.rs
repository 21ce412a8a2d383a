//! Pages that are not of the app: one that other sites embed, and the files that search engines read.

pub mod embed;
pub mod sitemap;

use actix_web::web::ServiceConfig;

use crate::http::methods::at;

/// Registers the pages at their paths.
pub fn configure(config: &mut ServiceConfig) {
    config
        .service(at(embed::PATH).read(embed::borrow))
        .service(at("/embed.js").read(embed::script))
        .service(at("/sitemap.xml").read(sitemap::sitemap))
        .service(at("/robots.txt").read(sitemap::robots));
}
