//! A TCP proxy whose connections can be cut.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

pub struct Proxy {
    pub url: String,
    cut: watch::Sender<u64>,
}

impl Proxy {
    pub async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (cut, cuts) = watch::channel(0);
        actix_web::rt::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let mut cuts = cuts.clone();
                cuts.mark_unchanged();
                actix_web::rt::spawn(async move {
                    let mut far = TcpStream::connect(server).await.unwrap();
                    tokio::select! {
                        _ = copy_bidirectional(&mut near, &mut far) => {}
                        _ = cuts.changed() => {}
                    }
                });
            }
        });
        Self { url, cut }
    }

    /// Closes all connections that are open now.
    pub fn cut(&self) {
        self.cut.send_modify(|cuts| *cuts += 1);
    }
}
