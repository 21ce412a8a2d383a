//! Tests of what a service manager hears: that the server is ready, and that it stops.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use super::process::{Served, lienbook};

/// The limit of every wait. Reaching it fails the test.
const WAIT_MAX: Duration = Duration::from_secs(90);

fn heard(socket: &UnixDatagram) -> String {
    let mut message = [0; 1_024];
    let length = socket.recv(&mut message).expect("a message comes in time");
    String::from_utf8(message[..length].to_vec()).unwrap()
}

#[test]
fn systemd_hears_that_the_server_is_ready_and_that_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(WAIT_MAX)).unwrap();
    let data = folder.path().join("data");
    let mut command =
        lienbook(&["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--data", data.to_str().unwrap()]);
    let (served, _) = Served::launch_command(command.env("NOTIFY_SOCKET", &path), "Serving ");
    assert_eq!(heard(&socket).trim_end(), "READY=1");
    served.terminate();
    assert_eq!(heard(&socket).trim_end(), "STOPPING=1");
}
