// Seals the key of a model that a request named, bound to its organization and call, so that it opens for no other call.
import type { Sealer } from '../../../platform/crypto.ts';

export type LlmKeys = ReturnType<typeof llmKeys>;

export function llmKeys(sealer: Sealer) {
  // The text is authenticated with the sealed key. Changing it makes stored keys unreadable.
  const context = (organization_id: string, call_id: string) =>
    `call brain key ${organization_id} ${call_id}`;
  return {
    seal: (organization_id: string, call_id: string, key: string): string =>
      sealer.seal(key, context(organization_id, call_id)),

    open: (call: { organization_id: string; id: string; llm_key_sealed: string | null }): string | null =>
      call.llm_key_sealed &&
      sealer.open(call.llm_key_sealed, context(call.organization_id, call.id)).toString(),
  };
}
