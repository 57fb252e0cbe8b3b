// A response body that is JSON text already, such as a page that PostgreSQL serialized.

export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}
