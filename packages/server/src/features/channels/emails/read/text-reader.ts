// Reads the texts and HTML of emails in threads with a limit of processor time, so that none of them blocks the event loop.
import { createHash } from 'node:crypto';
import type { Log } from '../../../../platform/log.ts';
import { ThreadFailed, threadPool } from '../../../../platform/thread-pool.ts';
import { type Bodies, extractedText } from './extracted-text.ts';
import { max_chars, withoutInvisible } from './reply-text/lines.ts';
import type { OutgoingPage, TextResult, TextTask } from './text-thread.ts';

/** A short plain text takes less time to read than to pass to a thread. */
const small_chars = 2000;
/** The slowest page of a megabyte that we know takes a tenth of it; see decision 170. */
const default_cpu_ms = 2000;
const max_failures = 1000;

/** Stands for the text of an email whose HTML could not be read, where a person or a model reads it. */
export const unreadable_note = '[The HTML of this email could not be read as text.]';

type EmailBodies = Bodies & { organization_id: string };
export type EmailText = (email: EmailBodies & { direction: string }) => Promise<string>;

export type TextReader = {
  /** What the sender wrote, without quotations. The text part as it is, or null, if the email cannot be read in time. */
  extracted(email: EmailBodies): Promise<string | null>;
  /** What the sender wrote: of a received email without quotations, of a sent one everything. */
  written: EmailText;
  /** The text that a person sees in an HTML body, including quotations. */
  readable(organization_id: string, html: string): Promise<string>;
  /** The whole text of a page. */
  plain(organization_id: string, html: string): Promise<string>;
  /** For sending. Null if the page cannot be read in time: then it is sent as it is, without a text part. */
  page(organization_id: string, html: string, options: { has_text: boolean }): Promise<OutgoingPage | null>;
  close(): Promise<void>;
};

export function textReader({ log, cpu_ms = default_cpu_ms }: { log: Log; cpu_ms?: number }): TextReader {
  const pool = (name: string) =>
    threadPool<TextTask, TextResult>({
      name,
      file: new URL('./text-thread.ts', import.meta.url),
      threads: 2,
      max_waiting: 10_000,
      young_mb: 6,
      heap_mb: 256,
    });
  // Separate threads: what strangers send does not delay what tenants send.
  const received = pool('mail_texts_in');
  const outgoing = pool('mail_texts_out');
  const failures = failedTasks();

  /** Null if the task failed now or before: then it would fail again. */
  async function run(threads: typeof received, organization_id: string, task: TextTask) {
    if (failures.has(task)) return null;
    try {
      // One task per thread at a time, so a thread that is terminated takes no other task with it.
      return { result: await threads.run(task, { cpu_ms, turn: organization_id }) };
    } catch (error) {
      if (!isOfTask(error)) throw error;
      failures.add(task);
      log.warn({ organization_id, kind: task.kind, reason: error.reason }, 'email text not read, left out');
      return null;
    }
  }
  const text = async (threads: typeof received, organization_id: string, task: TextTask) =>
    ((await run(threads, organization_id, task))?.result ?? null) as string | null;
  const readable = async (organization_id: string, html: string) =>
    (await text(received, organization_id, { kind: 'readable', html })) ?? unreadable_note;

  async function extracted(email: EmailBodies): Promise<string | null> {
    const { organization_id, body_text, body_html, subject } = email;
    const bodies = { body_text, body_html, subject };
    if (body_html === null && (body_text ?? '').length <= small_chars) return extractedText(bodies);
    const reading = await run(received, organization_id, { kind: 'extracted', bodies });
    return reading ? (reading.result as string | null) : plainPart(body_text);
  }

  return {
    extracted,
    readable,
    async written({ direction, ...email }) {
      if (direction === 'inbound')
        return (await extracted(email)) ?? (email.body_html === null ? '' : unreadable_note);
      if (email.body_text !== null || email.body_html === null) return email.body_text ?? '';
      return readable(email.organization_id, email.body_html);
    },
    plain: async (organization_id, html) =>
      (await text(outgoing, organization_id, { kind: 'plain', html, links: false })) ?? unreadable_note,
    async page(organization_id, html, { has_text }) {
      const reading = await run(outgoing, organization_id, { kind: 'page', html, has_text });
      return reading && (reading.result as OutgoingPage);
    },
    async close() {
      await Promise.all([received.close(), outgoing.close()]);
    },
  };
}

const plainPart = (text: string | null) =>
  text === null ? null : withoutInvisible(text.slice(0, max_chars)).trim();

/** Whether the content of the task made it fail, and not the state of the process. */
const isOfTask = (error: unknown): error is ThreadFailed =>
  error instanceof ThreadFailed && ['stuck', 'thread_crashed', 'task_failed'].includes(error.reason);

/** The tasks that failed in this process, so that each costs its limit of processor time once. */
function failedTasks() {
  const hashes = new Set<string>();
  const hashOf = (task: TextTask) => createHash('sha256').update(JSON.stringify(task)).digest('base64');
  return {
    has: (task: TextTask) => hashes.size > 0 && hashes.has(hashOf(task)),
    add(task: TextTask): void {
      const [oldest] = hashes;
      if (hashes.size >= max_failures && oldest !== undefined) hashes.delete(oldest);
      hashes.add(hashOf(task));
    },
  };
}
