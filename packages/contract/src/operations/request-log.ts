// The request log: requests of the last days, by the X-Request-Id of their response or by the object that they are about.
import { z } from 'zod';
import { defineOperations } from '../operation.ts';
import { pageOf, pageQuery, Timestamp, Uuid } from '../schema/fields.ts';
import { ExplanationVerdict } from './explain/explain.ts';

export const LoggedRequest = z
  .strictObject({
    request_id: z.string().describe('The X-Request-Id header of the response.'),
    at: Timestamp,
    method: z.string(),
    path: z.string().describe('Without the query.'),
    route: z.string(),
    operation: z.string(),
    status: z.int(),
    code: z.string().nullable().describe('The code of the error; null for a success.'),
    credential_kind: z.string(),
    credential_id: z.string().describe('Names the credential; never the credential itself.'),
    object_id: Uuid.nullable().describe('The record that the request created or named.'),
    duration_ms: z.number(),
    verdict: ExplanationVerdict.nullable().describe('Of a request with an error.'),
  })
  .meta({ id: 'LoggedRequest' });
export type LoggedRequest = z.infer<typeof LoggedRequest>;

const example: LoggedRequest = {
  request_id: 'req-1',
  at: '2026-06-06T12:00:00.000Z',
  method: 'POST',
  path: '/v1/sms',
  route: '/v1/sms',
  operation: 'sms.create',
  status: 201,
  code: null,
  credential_kind: 'api_key',
  credential_id: 'key:019a8c1e-7b2a-7c31-9d5e-3f1b2c4d5e70',
  object_id: '019a8c1e-6f70-7182-8394-0e1f20314253',
  duration_ms: 3.2,
  verdict: null,
};

export const requestLog = defineOperations('requests', 'The requests of the last days.', {
  get: {
    method: 'GET',
    path: '/v1/requests/{request_id}',
    summary: 'Read what became of a request',
    description:
      'For the number of days in PARLEY_REQUEST_LOG_DAYS. Requests without a valid credential are not stored, nor are GET requests that succeeded, unless PARLEY_REQUEST_LOG_READS is on. A request can be read about a second after its response.',
    params: z.strictObject({ request_id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) }),
    success: { status: 200, body: LoggedRequest, example },
  },
  list: {
    method: 'GET',
    path: '/v1/requests',
    summary: 'List requests, newest first',
    query: z.strictObject({
      ...pageQuery,
      object_id: Uuid.optional().describe('Only requests that created or named this record.'),
    }),
    success: {
      status: 200,
      body: pageOf(LoggedRequest, 'LoggedRequestPage'),
      example: { items: [example], next_cursor: null },
    },
  },
});
