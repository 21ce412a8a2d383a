//! Tests of the server's log.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::process::lienbook;

#[test]
fn non_http_requests_leave_no_line_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["serve", "--data", folder.path().to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let mut child = lienbook(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = said.find_map(|line| Some(line.split_once("http://")?.1.split(';').next()?.to_owned())).unwrap();
    for garbage in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nno header\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: -5\r\n\r\n",
        b"POST /api/v1/session HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        // The server may hang up early, which is an answer too.
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.success() && !log.contains("ERROR") && !log.contains("actix"), "{log}");
}

#[actix_web::test]
async fn each_line_of_the_json_log_is_an_object_and_names_request_and_code() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let arguments =
        ["serve", "--data", data, "--listen", "127.0.0.1:0", "--log-format", "json", "--log", "lienbook=debug"];
    let mut child = lienbook(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let address = said.find_map(|line| Some(line.split_once("http://")?.1.split(';').next()?.to_owned())).unwrap();
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = http.get(format!("http://{address}/api/v1/nothing")).header("x-request-id", "request-of-the-test");
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 404);
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    // The program's own words at the stop are for its terminal, and no lines of the log.
    let lines: Vec<Value> =
        log.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(log.lines().all(|line| line.starts_with('{') || line.starts_with("Stop")), "{log}");
    let of_request = lines.iter().find(|line| line["request_id"] == "request-of-the-test").expect(&log);
    assert_eq!((&of_request["code"], &of_request["status"]), (&"not_found".into(), &404.into()), "{of_request}");
    assert_eq!((&of_request["level"], &of_request["message"]), (&"DEBUG".into(), &"request".into()), "{of_request}");
}
