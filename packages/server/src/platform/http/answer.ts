// The JSON of responses. Nothing else writes it, so a stored response has the same bytes as the one that was sent.
export type Answer = { status: number; body: unknown };

export const writeAnswer = (body: unknown): string => JSON.stringify(body);

/** Of a response that was stored. */
export const readAnswer = (text: string): unknown => JSON.parse(text);
