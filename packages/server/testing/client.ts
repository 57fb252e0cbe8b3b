// Requests of one credential to a service under test.
import type { HttpAnswer } from './http-client.ts';

export type Answer<T = Record<string, unknown>> = Omit<HttpAnswer, 'content_type'> & { body: T };

export type Client = {
  organization_id: string;
  key: string;
  request<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
};
