// HTML templates that escape every value, and the layout that all account pages share.

/** Text that is already HTML and is not escaped again. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (char) => escapes[char]!);

type Value = string | number | Html | null | false | readonly Html[];

const render = (value: Value): string => {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map((each: Html) => each.text).join('') : escapeHtml(String(value));
};

export const html = (strings: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(strings.reduce((text, part, index) => text + render(values[index - 1]!) + part));

/** The icon of the console; inline, because these pages may load no images. */
const icon = html`<svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3b3fb6"/><path d="M9 9.5h14a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-7.5L11 23.6V19.5H9a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2z" fill="#fff"/><circle cx="12.2" cy="14.5" r="1.4" fill="#3b3fb6"/><circle cx="16" cy="14.5" r="1.4" fill="#3b3fb6"/><circle cx="19.8" cy="14.5" r="1.4" fill="#3b3fb6"/></svg>`;

export const document = (title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Parley</title>
<link rel="stylesheet" href="/auth/style.css">
</head>
<body>
<main>
<p class="brand">${icon}Parley</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
