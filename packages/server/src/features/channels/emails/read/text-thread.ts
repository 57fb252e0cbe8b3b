// The thread that reads the texts and HTML of emails: strangers and tenants write them, and may make them slow to read.
import { handleTasks } from '../../../../platform/thread-pool.ts';
import { htmlToText } from '../../../../protocols/html/text.ts';
import { type PageLinks, readLinks } from '../tracking/tracked-html.ts';
import { type Bodies, extractedText, readableText } from './extracted-text.ts';

export type TextTask =
  | { kind: 'extracted'; bodies: Bodies }
  | { kind: 'readable'; html: string }
  /** The whole text of a page, with or without the URLs of its links. */
  | { kind: 'plain'; html: string; links: boolean }
  | { kind: 'page'; html: string; has_text: boolean };

/** What an outgoing email needs to know of its HTML. */
export type OutgoingPage = PageLinks & { text: string | null };
export type TextResult = string | null | OutgoingPage;

const plainText = (html: string, links: boolean) => htmlToText(html, { max_chars: html.length, links });

function read(task: TextTask): TextResult {
  switch (task.kind) {
    case 'extracted':
      return extractedText(task.bodies);
    case 'readable':
      return readableText(task.html);
    case 'plain':
      return plainText(task.html, task.links);
    case 'page':
      return { ...readLinks(task.html), text: task.has_text ? null : plainText(task.html, true) };
  }
}

handleTasks<TextTask, TextResult>(async (task) => ({ result: read(task) }));
