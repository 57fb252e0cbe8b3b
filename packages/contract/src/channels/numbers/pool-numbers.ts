// Pool numbers: numbers shared by all organizations and assigned to one call at a time; visible to superadmins only.
import { z } from 'zod';
import { defineOperations } from '../../operation.ts';
import {
  E164,
  PhoneNumber as PhoneNumberText,
  pageOf,
  pageQuery,
  Timestamp,
  Uuid,
} from '../../schema/fields.ts';
import { numberCapabilities, numberTypes } from './numbers.ts';

export const poolNumberStates = ['active', 'failed'] as const;

export const PoolNumber = z
  .strictObject({
    id: Uuid,
    provider: z.string(),
    e164: E164,
    country_code: z.string(),
    number_type: z.enum(numberTypes),
    capabilities: z.array(z.enum(numberCapabilities)),
    provisioning_state: z.enum(poolNumberStates).describe('failed: in quarantine, not assigned to calls.'),
    is_dedicated: z.literal(false),
    bound_call_id: Uuid.nullable().describe('The call that uses the number right now.'),
    bound_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'PoolNumber' });
export type PoolNumber = z.infer<typeof PoolNumber>;

export const PoolNumberCreate = z
  .strictObject({
    e164: PhoneNumberText,
    provider: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('The carrier of the number. Default: the active carrier.'),
    number_type: z.enum(numberTypes).optional().describe('Default: local.'),
  })
  .meta({ id: 'PoolNumberCreate' });
export type PoolNumberCreate = z.output<typeof PoolNumberCreate>;

export const PoolNumberPatch = z
  .strictObject({ provisioning_state: z.enum(poolNumberStates) })
  .meta({ id: 'PoolNumberPatch' });

const example: PoolNumber = {
  id: '019a8c1e-4d5e-7f60-8172-8c9d0e1f2031',
  provider: 'sandbox',
  e164: '+15005550100',
  country_code: 'US',
  number_type: 'local',
  capabilities: ['voice'],
  provisioning_state: 'active',
  is_dedicated: false,
  bound_call_id: null,
  bound_at: null,
  created_at: '2026-06-06T12:00:00.000Z',
  updated_at: '2026-06-06T12:00:00.000Z',
};

const one = { params: z.strictObject({ pool_number_id: Uuid }) };

export const poolNumbers = defineOperations('pool_numbers', 'Shared numbers; superadmins only.', {
  create: {
    method: 'POST',
    path: '/v1/admin/pool-numbers',
    summary: 'Add a number to the pool',
    description: 'The number must already belong to the carrier account of this server.',
    access: 'superadmin',
    body: PoolNumberCreate,
    body_example: { e164: '+15005550103' },
    success: { status: 201, body: PoolNumber, example },
    errors: ['number_taken', 'carrier_not_configured'],
  },
  list: {
    method: 'GET',
    path: '/v1/admin/pool-numbers',
    summary: 'List pool numbers, newest first',
    access: 'superadmin',
    query: z.strictObject(pageQuery),
    success: {
      status: 200,
      body: pageOf(PoolNumber, 'PoolNumberPage'),
      example: { items: [example], next_cursor: null },
    },
  },
  update: {
    method: 'PATCH',
    path: '/v1/admin/pool-numbers/{pool_number_id}',
    summary: 'Put a pool number in quarantine or take it out',
    access: 'superadmin',
    ...one,
    body: PoolNumberPatch,
    body_example: { provisioning_state: 'failed' },
    success: { status: 200, body: PoolNumber, example: { ...example, provisioning_state: 'failed' } },
  },
});
