// Makes every line break CR LF, for messages that did not come over SMTP.

export function withCrLf(raw: Buffer): Buffer {
  const text = raw.toString('latin1');
  if (!/\r(?!\n)|(?<!\r)\n/.test(text)) return raw;
  return Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'latin1');
}
