// Descriptors of tables: what the types refuse. The check of types fails where a line below an expected error compiles.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from './table.ts';

type Row = { id: string; organization_id: string; name: string; phone_e164: string | null };

test('a descriptor names columns of the migrated table, with their kinds', () => {
  const contacts = table<'contacts', Row>('contacts', { id: 'uuid', name: 'text', phone_e164: 'text' });
  assert.equal(contacts.name, 'contacts');
  // @ts-expect-error: there is no such table
  table<'contact', Row>('contact', { id: 'uuid' });
  // @ts-expect-error: the column has another kind
  table<'contacts', Row>('contacts', { id: 'text' });
  // @ts-expect-error: the table has no such column
  table<'contacts', Row & { nickname: string }>('contacts', { id: 'uuid', nickname: 'text' });
  // @ts-expect-error: a name that may be null does not fit the column
  table<'contacts', Omit<Row, 'name'> & { name: string | null }>('contacts', { id: 'uuid', name: 'text' });
});
