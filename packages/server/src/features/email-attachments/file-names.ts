// Cleans the file name and media type that a client sends with an upload.

/** The last part of a path, without characters that file systems and mail headers cannot hold. */
export function cleanFilename(filename: string | null): string {
  const name = (filename ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^.*[\\/]/, '')
    .trim();
  return [...name].slice(0, 200).join('') || 'file';
}

/** A known-safe media type. Not multipart or message: mail programs would parse such a part as a tree of parts. */
export function mediaType(content_type: string): string {
  const type = content_type.toLowerCase().split(';')[0]!.trim();
  return /^(?!multipart\/|message\/)[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/.test(
    type,
  )
    ? type
    : 'application/octet-stream';
}
