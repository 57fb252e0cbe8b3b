// JSON that is already text, such as a page written by PostgreSQL; it is sent as it is.

export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
