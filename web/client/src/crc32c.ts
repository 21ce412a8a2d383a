const POLYNOMIAL = 0x82f63b78;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = remainder & 1 ? (remainder >>> 1) ^ POLYNOMIAL : remainder >>> 1;
  }
  return remainder >>> 0;
});

/** CRC32C (Castagnoli) of a text's UTF-8 bytes, as an unsigned number. */
export function crc32c(text: string): number {
  let remainder = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    remainder = (remainder >>> 8) ^ (TABLE[(remainder ^ byte) & 0xff] ?? 0);
  }
  return (remainder ^ 0xffffffff) >>> 0;
}
