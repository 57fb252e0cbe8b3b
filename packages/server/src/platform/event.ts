// An event as a feature writes it, and as it is stored.
import type { EventEnvelope } from '@parley/contract/event';
import { webhook_api_version } from '@parley/contract/limits';

export type NewEvent = {
  organization_id: string;
  type: string;
  /** The record the event is about; lists of events filter by it. */
  resource_id: string;
  data: Record<string, unknown>;
  /** The address or domain the event came through: a subscription may be limited to one of them. */
  source_id?: string | null;
  /** The name of that address or domain, for display. */
  source_name?: string | null;
  /** The trace that the event belongs to. */
  traceparent?: string;
};

/** What subscribers, streams and lists get of an event. */
export const envelopeOf = (
  { type, organization_id, data }: Pick<NewEvent, 'type' | 'organization_id' | 'data'>,
  { id, created_at }: { id: string; created_at: string },
): EventEnvelope => ({ id, type, api_version: webhook_api_version, created_at, organization_id, data });

export type StoredEvent = {
  id: string;
  organization_id: string;
  type: string;
  resource_id: string;
  source_id: string | null;
  source_name: string | null;
  created_at: string;
  /** The exact text that every subscriber receives. */
  payload: string;
  /** Only while tracing is on. */
  traceparent?: string | null;
};
