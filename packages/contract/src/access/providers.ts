// Providers: the LLM, speech-to-text and text-to-speech services of an organization, with its own keys.
import { z } from 'zod';
import { limits } from '../limits.ts';
import { defineOperations } from '../operation.ts';
import { Timestamp } from '../schema/fields.ts';

export const providerLayers = ['llm', 'stt', 'tts'] as const;
export type ProviderLayer = (typeof providerLayers)[number];

const ProviderName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'Expected the name of a provider in lower case')
  .describe('The provider; GET /v1/providers lists the available ones.');

export const ProviderConfiguration = z
  .strictObject({
    layer: z.enum(providerLayers),
    provider: z.string(),
    key_last4: z
      .string()
      .describe('The last four characters of the stored key; empty for a short key or none.'),
    key_set_at: Timestamp,
    params: z.record(z.string(), z.unknown()),
    fallback_enabled: z.boolean().describe('Whether to fall back to another provider when this one fails.'),
    is_active: z.boolean(),
  })
  .meta({ id: 'ProviderConfiguration' });
export type ProviderConfiguration = z.infer<typeof ProviderConfiguration>;

export const ProviderSet = z
  .strictObject({
    provider: ProviderName,
    api_key: z
      .string()
      .max(4096)
      .regex(/^[\x21-\x7e]*$/, 'Expected printable characters without spaces')
      .optional()
      .describe('Stored encrypted and never returned. A server of your own may need none: leave it out.'),
    params: z
      .record(z.string().max(100), z.unknown())
      .refine(
        (params) => JSON.stringify(params).length <= limits.metadata_bytes,
        'Expected at most 16 KiB of JSON',
      )
      .optional()
      .describe('Settings of the provider, such as model or base_url.'),
    fallback_enabled: z.boolean().optional().describe('Default: false.'),
  })
  .meta({ id: 'ProviderSet' });
export type ProviderSet = z.output<typeof ProviderSet>;

export const ProviderTest = z
  .strictObject({
    layer: z.enum(providerLayers),
    provider: z.string(),
    ok: z.boolean().describe('Whether the provider accepted the key.'),
    status_code: z
      .int()
      .nullable()
      .describe('The HTTP status of the provider’s response; null if there was none.'),
    error: z
      .string()
      .nullable()
      .describe(
        'key_refused, unexpected_status, timeout, dns_failed, connection_failed, tls_failed or target_not_allowed.',
      ),
    duration_ms: z.int(),
  })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.infer<typeof ProviderTest>;

const example: ProviderConfiguration = {
  layer: 'llm',
  provider: 'openai-compatible',
  key_last4: 'x9Qz',
  key_set_at: '2026-06-06T12:00:00.000Z',
  params: { model: 'gpt-5-mini' },
  fallback_enabled: false,
  is_active: true,
};

const Layer = z.string().max(40).describe('llm, stt or tts.');
const layer = { params: z.strictObject({ layer: Layer }) };

export const providers = defineOperations(
  'providers',
  'Your own LLM, speech-to-text and text-to-speech providers.',
  {
    list: {
      method: 'GET',
      path: '/v1/providers',
      summary: 'List configured and available providers',
      success: {
        status: 200,
        body: z
          .strictObject({
            items: z.array(ProviderConfiguration),
            next_cursor: z.null(),
            known: z
              .array(
                z.strictObject({
                  layer: z.enum(providerLayers),
                  provider: z.string(),
                  params: z.array(z.string()),
                }),
              )
              .describe('Providers that can be set on this server, with their supported params.'),
          })
          .meta({ id: 'ProviderConfigurationList' }),
        example: {
          items: [example],
          next_cursor: null,
          known: [{ layer: 'llm', provider: 'openai-compatible', params: ['base_url', 'model'] }],
        },
      },
    },
    set: {
      method: 'PUT',
      path: '/v1/providers/{layer}',
      summary: 'Set a provider and its key',
      description:
        'The first provider of a layer becomes active. Others stay inactive until you activate them.',
      ...layer,
      body: ProviderSet,
      body_example: {
        provider: 'openai-compatible',
        api_key: 'sk-0123456789abcdefx9Qz',
        params: { model: 'gpt-5-mini' },
      },
      success: { status: 200, body: ProviderConfiguration, example },
      errors: ['unknown_provider', 'target_not_allowed'],
    },
    activate: {
      method: 'POST',
      path: '/v1/providers/{layer}/activate',
      summary: 'Make a provider the active one of its layer',
      ...layer,
      body: z.strictObject({ provider: ProviderName }).meta({ id: 'ProviderChoice' }),
      body_example: { provider: 'openai-compatible' },
      success: { status: 200, body: ProviderConfiguration, example },
    },
    test: {
      method: 'POST',
      path: '/v1/providers/{layer}/test',
      summary: 'Check whether the provider accepts the key',
      description: 'Without a provider, the active one of the layer is checked.',
      ...layer,
      body: z.strictObject({ provider: ProviderName.optional() }).meta({ id: 'ProviderTestRequest' }),
      body_example: { provider: 'openai-compatible' },
      success: {
        status: 200,
        body: ProviderTest,
        example: {
          layer: 'llm',
          provider: 'openai-compatible',
          ok: true,
          status_code: 200,
          error: null,
          duration_ms: 120,
        },
      },
    },
    remove: {
      method: 'DELETE',
      path: '/v1/providers/{layer}/{provider}',
      summary: 'Delete a provider and its key',
      params: z.strictObject({ layer: Layer, provider: z.string().max(40) }),
      success: { status: 204 },
    },
  },
);
