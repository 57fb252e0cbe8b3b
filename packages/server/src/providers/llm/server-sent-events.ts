// Reads the data of server-sent events (WHATWG HTML, section 9.2) from the body of a vendor's response. The input is not trusted.

/** The `data` field of each event. `notAStream` makes the error for a body that has no event at all. */
export async function* eventData(
  body: AsyncIterable<Buffer>,
  notAStream: (text: string) => Error,
): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let is_stream = false;
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r\n|\n|\r/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line.startsWith('data:')) {
        is_stream = true;
        yield line.slice(5).trim();
      }
    }
  }
  if (rest.startsWith('data:')) {
    is_stream = true;
    yield rest.slice(5).trim();
  }
  if (!is_stream) throw notAStream(rest);
}

/** Null when the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The beginning of a response, for the text of an error. */
export const quoted = (text: string): string => JSON.stringify(text.slice(0, 120).toWellFormed());
