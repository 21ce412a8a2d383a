import { createHash } from "node:crypto";

/** The GUID that RFC 6455 appends to a client's key before hashing it. */
const HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 0x1;
const CLOSE = 0x8;
const FINAL = 0x80;

/** Accepts WebSockets on an HTTP server: text frames both ways, unfragmented, as browsers send them. */
export function acceptSockets(server, onSocket) {
  server.on("upgrade", (request, stream) => {
    const accept = createHash("sha1")
      .update(request.headers["sec-websocket-key"] + HANDSHAKE_GUID)
      .digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    stream.setNoDelay(true);
    stream.on("error", () => stream.destroy());
    const socket = { send: (text) => stream.writable && stream.write(frameOf(text)), onText: () => {}, onClose: () => {} };
    let unread = Buffer.alloc(0);
    stream.on("data", (chunk) => {
      unread = Buffer.concat([unread, chunk]);
      for (let frame = readFrame(unread); frame; frame = readFrame(unread)) {
        unread = unread.subarray(frame.size);
        if (frame.opcode === CLOSE) stream.end();
        else if (frame.opcode === TEXT) socket.onText(frame.payload.toString());
      }
    });
    stream.on("close", () => socket.onClose());
    onSocket(socket);
  });
}

function frameOf(text) {
  const payload = Buffer.from(text);
  if (payload.length < 126) return Buffer.concat([Buffer.from([FINAL | TEXT, payload.length]), payload]);
  const head = Buffer.alloc(payload.length < 65_536 ? 4 : 10);
  head[0] = FINAL | TEXT;
  if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(payload.length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The first complete frame of the received bytes; frames of clients are masked and, here, short. */
function readFrame(bytes) {
  if (bytes.length < 6) return null;
  let length = bytes[1] & 0x7f;
  let at = 2;
  if (length === 126) {
    length = bytes.readUInt16BE(2);
    at = 4;
  }
  const size = at + 4 + length;
  if (bytes.length < size) return null;
  const mask = bytes.subarray(at, at + 4);
  const payload = Buffer.from(bytes.subarray(at + 4, size)).map((byte, index) => byte ^ mask[index % 4]);
  return { opcode: bytes[0] & 0xf, payload, size };
}
