use super::*;
use crate::http::scripted_server::{ReceivedRequest, ScriptedResponse, start};

const TOKEN: &str = "123456:AAbb-_0";
const SOON: Duration = Duration::from_secs(2);

fn bot(url: &str) -> Telegram {
    Telegram::within(SOON, 0, url, &SecretString::from(TOKEN)).unwrap()
}

fn refusal(code: u16, more: &str) -> ScriptedResponse {
    ScriptedResponse::Body(code, format!("{{\"ok\":false,\"error_code\":{code},\"description\":\"because\"{more}}}"))
}

#[tokio::test]
async fn a_message_is_posted_as_plain_text() {
    let (url, asked) = start(|_| ScriptedResponse::ok("{\"ok\":true,\"result\":{\"message_id\":5}}")).await;
    bot(&url).send_message(-7, "0.5 <b>BTC</b> _now_").await.unwrap();
    let asked: Vec<ReceivedRequest> = asked.lock().unwrap().clone();
    assert_eq!(asked[0].line, format!("POST /bot{TOKEN}/sendMessage"));
    let body: Value = serde_json::from_str(&asked[0].body).unwrap();
    let expected =
        json!({"chat_id": -7, "text": "0.5 <b>BTC</b> _now_", "link_preview_options": {"is_disabled": true}});
    assert_eq!(body, expected);
}

#[tokio::test]
async fn every_error_has_its_documented_meaning() {
    for (response, error) in [
        (refusal(400, ""), TelegramError::Refused("because".to_owned())),
        (refusal(403, ""), TelegramError::ChatClosed("because".to_owned())),
        (refusal(401, ""), TelegramError::Token),
        (refusal(404, ""), TelegramError::Token),
        (refusal(429, ",\"parameters\":{\"retry_after\":7}"), TelegramError::RateLimited { retry_after_s: 7 }),
        (refusal(429, ""), TelegramError::RateLimited { retry_after_s: 1 }),
        (
            refusal(429, ",\"parameters\":{\"retry_after\":99999999}"),
            TelegramError::RateLimited { retry_after_s: RETRY_AFTER_S_MAX },
        ),
        (ScriptedResponse::Body(502, "<html>".to_owned()), TelegramError::ServerError(StatusCode::BAD_GATEWAY)),
    ] {
        let (url, _) = start(move |_| response.clone()).await;
        assert_eq!(bot(&url).send_message(1, "hello").await, Err(error));
    }
}

#[tokio::test]
async fn errors_distinguish_sent_from_unsent_and_never_show_the_token() {
    let unreachable = "http://127.0.0.1:9";
    let unsent = bot(unreachable).send_message(1, "hello").await.unwrap_err();
    assert!(matches!(unsent, TelegramError::Unreachable(_)), "{unsent}");
    let mut errors = vec![unsent];
    for response in [
        ScriptedResponse::NoResponse,
        ScriptedResponse::Bytes(Vec::new()),
        ScriptedResponse::Endless,
        ScriptedResponse::truncated("{\"ok\":true"),
        ScriptedResponse::ok("[]"),
        ScriptedResponse::ok("{\"ok\":true}"),
        ScriptedResponse::Body(403, "a wall in between".to_owned()),
    ] {
        let (url, _) = start(move |_| response.clone()).await;
        let error = bot(&url).send_message(1, "hello").await.unwrap_err();
        assert!(matches!(error, TelegramError::NoAnswer(_)), "{error}");
        errors.push(error);
    }
    assert!(errors.iter().all(|error| !format!("{error} {error:?}").contains("AAbb")), "{errors:?}");
    for token in ["", "123456", "123456:", ":AAbb", "12:AA/bb", "12:AA bb", "x12:AA", "12:AA\n"] {
        let setup = Telegram::new(Telegram::URL, &SecretString::from(token)).err();
        assert_eq!(setup, Some(TelegramSetupError::Token), "{token:?}");
    }
    let clear = Telegram::new("http://api.telegram.org", &SecretString::from(TOKEN)).err().unwrap();
    assert!(matches!(clear, TelegramSetupError::Url(_)) && !clear.to_string().contains(TOKEN), "{clear}");
}

#[tokio::test]
async fn updates_contain_messages_and_departures_of_private_chats() {
    let long = "x".repeat(1_000);
    let updates = json!({"ok": true, "result": [
        {"update_id": 5, "message": {"chat": {"id": 11, "type": "private"}, "text": "/start abc", "from": {"id": 11}}},
        {"update_id": 6, "message": {"chat": {"id": -12, "type": "group"}, "text": "/start abc"}},
        {"update_id": 7, "message": {"chat": {"id": 11, "type": "private"}, "sticker": {}}},
        {"update_id": 8, "my_chat_member": {"chat": {"id": 13, "type": "private"}, "new_chat_member": {"status": "kicked"}}},
        {"update_id": 9, "my_chat_member": {"chat": {"id": 13, "type": "private"}, "new_chat_member": {"status": "member"}}},
        {"update_id": 10, "poll": {}},
        {"update_id": 11, "message": {"chat": {"id": 11, "type": "private"}, "text": long}},
    ]});
    let (url, asked) = start(move |_| ScriptedResponse::ok(&updates)).await;
    let received = bot(&url).updates(5).await.unwrap();
    let body: Value = serde_json::from_str(&asked.lock().unwrap()[0].body).unwrap();
    assert_eq!((&body["offset"], &body["timeout"]), (&json!(5), &json!(0)));
    let said = |text: &str| Some(ChatEvent::Message { chat: 11, text: text.to_owned() });
    let news: Vec<Option<ChatEvent>> = received.iter().map(|update| update.event.clone()).collect();
    let cut = "x".repeat(RECEIVED_LENGTH_MAX);
    let expected = [said("/start abc"), None, None, Some(ChatEvent::Blocked { chat: 13 }), None, None, said(&cut)];
    assert_eq!((news, received.last().unwrap().id), (expected.to_vec(), 11));
}

#[tokio::test]
async fn the_name_of_the_bot_is_safe_in_a_url() {
    for (name, is_taken) in [("lienbook_bot", true), ("", false), ("a/b", false), ("ä", false)] {
        let (url, _) =
            start(move |_| ScriptedResponse::ok(&json!({"ok": true, "result": {"id": 1, "username": name}}))).await;
        assert_eq!(bot(&url).name().await.is_ok(), is_taken, "{name}");
    }
}
