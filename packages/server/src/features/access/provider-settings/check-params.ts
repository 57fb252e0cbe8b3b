// Checks the parameters of a provider against its manifest, and the URL against the address policy.
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl } from '../../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { overHttp } from '../../../providers/vendor-manifest.ts';

export function checkParams(
  manifest: ProviderManifest,
  params: Record<string, unknown>,
  policy: AddressPolicy,
): Record<string, unknown> {
  const unknown = Object.keys(params).filter((name) => !manifest.params.includes(name));
  if (unknown.length > 0) {
    throw validationError(
      unknown.map((name) => ({
        path: `body.params.${name}`,
        message: `This provider accepts ${manifest.params.join(', ')}`,
        code: 'unknown_field',
      })),
    );
  }
  if (params.base_url === undefined) return params;
  const verdict = typeof params.base_url === 'string' ? checkUrl(overHttp(params.base_url), policy) : null;
  if (!verdict?.ok) {
    throw new ApiError('target_not_allowed', {
      errors: [
        {
          path: 'body.params.base_url',
          message: `Expected a URL this server may contact (${verdict?.reason ?? 'url_invalid'})`,
          code: 'invalid',
        },
      ],
    });
  }
  return { ...params, base_url: String(params.base_url).replace(/\/+$/, '') };
}
