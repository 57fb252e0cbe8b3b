// The steps of a verification over the API, and the proof that nothing of its documents is left.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Verification } from '@parley/contract/channels/numbers/verification-records';
import { sql } from '../src/platform/db/sql.ts';
import type { Client, TestApp } from './app.ts';

/** The content of every document; nothing that is stored may contain it. */
export const document_marker = 'SECRET-CONTENT-OF-A-DOCUMENT';

type Ref = { id: string };
type Upload = { requirement: string; document_type: string; fields?: Record<string, string> };

export function verificationJourney({ app, db, url, data_dir }: TestApp) {
  const path = ({ id }: Ref) => `/v1/verifications/${id}`;
  const read = async (of: Client, ref: Ref): Promise<Verification> =>
    (await of.request<Verification>('GET', path(ref))).body;
  return {
    read,
    /** After everything that is due has run. */
    async settled(of: Client, ref: Ref): Promise<Verification> {
      await app.jobs.drain();
      return read(of, ref);
    },
    async create(of: Client, body: object): Promise<Verification> {
      const made = await of.request<Verification>('POST', '/v1/verifications', body);
      assert.equal(made.status, 201, made.text);
      return made.body;
    },
    submit: (of: Client, ref: Ref) =>
      of.request<Verification & { code: string; errors?: { path: string }[] }>('POST', `${path(ref)}/submit`),
    patch: (of: Client, ref: Ref, body: object) => of.request<Verification>('PATCH', path(ref), body),
    async upload(of: Client, ref: Ref, { requirement, document_type, fields }: Upload): Promise<void> {
      const form = new FormData();
      form.append('file', new Blob([`%PDF-1.4 ${document_marker}`]), 'passport of Jane.pdf');
      form.append('requirement', requirement);
      form.append('document_type', document_type);
      if (fields) form.append('fields', JSON.stringify(fields));
      const headers = { authorization: `Bearer ${of.key}` };
      const answer = await fetch(`${url}${path(ref)}/documents`, { method: 'POST', headers, body: form });
      assert.equal(answer.status, 201, await answer.text());
    },
    /** No object in storage, and no row that contains the documents, their names or one of the texts. */
    async assertNothingLeft(...texts: string[]): Promise<void> {
      const folder = join(data_dir, 'objects', 'verifications');
      const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      assert.deepEqual(
        files.filter((each) => each.isFile()).map(({ name }) => name),
        [],
      );
      const tables = await db.rows<{ name: string }>(sql`
        select table_schema || '."' || table_name || '"' as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`);
      for (const text of [document_marker, 'passport of Jane', ...texts])
        for (const { name } of tables) {
          const row = await db.maybe(
            sql`select 1 from ${sql.raw(name)} t where t::text like ${`%${text}%`} limit 1`,
          );
          assert.equal(row, null, `${name} contains ${text}`);
        }
      const keys = await db.rows(sql`select id from verification_documents where sealed_key is not null`);
      assert.deepEqual(keys, [], 'no key of a document is left');
    },
  };
}
