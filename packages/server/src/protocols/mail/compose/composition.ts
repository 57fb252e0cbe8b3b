// The fields and attachments of an email from which a MIME message is built.
import type { Readable } from 'node:stream';

export type Composition = {
  email_id: string;
  message_id: string;
  date: Date;
  from: { name: string; address: string };
  to: { name: string; address: string }[];
  cc: { name: string; address: string }[];
  reply_to: { name: string; address: string } | null;
  subject: string;
  text: string | null;
  html: string | null;
  in_reply_to: string | null;
  references: string[];
  headers: Record<string, string>;
  attachments: {
    filename: string;
    content_type: string;
    size_bytes: number;
    /** Of a file that the HTML body shows. */
    content_id?: string | null;
    open(): Promise<Readable>;
  }[];
};
