// Builds a multipart/form-data body (RFC 7578) for the upload of one file to a carrier.
import { randomBytes } from 'node:crypto';

export type UploadedFile = {
  /** The name of the form field. */
  field: string;
  filename: string;
  content_type: string;
  content: Buffer;
};

/** A quote or line break in a name would end the header (HTML standard, multipart/form-data encoding). */
const quoted = (name: string) =>
  `"${name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`;

export function multipartBody(
  fields: Readonly<Record<string, string>>,
  file: UploadedFile,
): { content_type: string; body: Buffer } {
  const boundary = `parley-${randomBytes(18).toString('hex')}`;
  const head = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, text]) => `${head(name)}${text}\r\n`);
  const file_head = head(
    file.field,
    `; filename=${quoted(file.filename)}\r\nContent-Type: ${file.content_type}`,
  );
  return {
    content_type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(texts.join('') + file_head),
      file.content,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
