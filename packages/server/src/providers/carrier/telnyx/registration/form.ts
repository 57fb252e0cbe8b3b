// Builds the forms of the kinds whose questions Telnyx does not list, with the choices that Telnyx does list.
import type { Requirement } from '@parley/contract/channels/numbers/verification-records';
import type { Answer } from '@parley/contract/channels/numbers/verifications';
import type { CarrierFailure } from '../../carrier-failure.ts';
import { textField } from '../../carrier-http.ts';
import type { RegistrationRequest } from '../../registration.ts';
import { refused, type TelnyxApi } from '../api.ts';

type Choices = NonNullable<Requirement['choices']>;

export const choicesOf = (values: readonly string[]): Choices =>
  values.map((value) => ({ value, label: value }));

/** Telnyx answers with a list of words, a list of objects, or an object by word; the words are the choices. */
export async function enumChoices(
  api: TelnyxApi,
  name: 'vertical' | 'entityType' | 'usecase' | 'stockExchange',
): Promise<{ outcome: 'found'; choices: Choices } | CarrierFailure> {
  const response = await api.get(`/10dlc/enum/${name}`);
  if (response.outcome !== 'response') return response;
  const { status, json } = response;
  if (status !== 200) return refused(status, json);
  const entries: [string, unknown][] = Array.isArray(json)
    ? json.map((each) => [wordOf(each), each])
    : Object.entries((json ?? {}) as Record<string, unknown>);
  const choices = entries
    .filter(([value]) => value !== '')
    .map(([value, each]) => ({ value, label: textField(each, 'displayName') ?? value }));
  return { outcome: 'found', choices };
}

const wordOf = (each: unknown): string =>
  typeof each === 'string' ? each : (textField(each, 'id') ?? textField(each, 'name') ?? '');

// ---- reading answers

const answerOf = ({ answers }: RegistrationRequest, key: string): Answer | undefined => answers[key];

export const textAnswer = (request: RegistrationRequest, key: string): string | undefined => {
  const answer = answerOf(request, key);
  return typeof answer === 'string' ? answer : undefined;
};

export const booleanAnswer = (request: RegistrationRequest, key: string): boolean | undefined => {
  const answer = answerOf(request, key);
  return typeof answer === 'boolean' ? answer : undefined;
};

export const listAnswer = (request: RegistrationRequest, key: string): string[] => {
  const answer = answerOf(request, key);
  return Array.isArray(answer) ? answer : [];
};

/** Without what was not answered: Telnyx refuses null in most fields. */
export const given = <T extends Record<string, unknown>>(body: T): Partial<T> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as Partial<T>;
