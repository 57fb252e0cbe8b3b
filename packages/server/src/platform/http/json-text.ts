// A response body that is JSON text already, such as a page that PostgreSQL serialized.

export class JsonText {
  readonly text: string;
  /** What the record in the text waits for, for the header Parley-Hold; null when nothing holds it back. */
  readonly hold_kind: string | null;
  constructor(text: string, hold_kind: string | null = null) {
    this.text = text;
    this.hold_kind = hold_kind;
  }
}
