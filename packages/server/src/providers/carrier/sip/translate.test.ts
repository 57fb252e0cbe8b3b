// The table from SIP statuses to endings of a call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endingOfOurs, endingOfSipStatus, type OurReason } from './translate.ts';

const text = ({ trigger, end_reason }: { trigger: string; end_reason: string }) => `${trigger} ${end_reason}`;

test('every final SIP status has one ending', () => {
  const expected: Record<string, number[]> = {
    'declined busy': [486, 600],
    'declined rejected': [603, 607, 608, 699],
    'rang_out unreachable': [408, 480],
    'rang_out ring_timeout': [487],
    'broke unreachable': [404, 410, 484, 485, 604],
    'broke media_failure': [415, 488, 606],
    'broke setup_error': [300, 302, 400, 401, 403, 405, 407, 420, 482, 483, 491, 499],
    'broke trunk_failure': [500, 501, 502, 503, 504, 513, 580, 599],
  };
  for (const [ending, codes] of Object.entries(expected)) {
    for (const code of codes) assert.equal(text(endingOfSipStatus(code)), ending, String(code));
  }
});

test('every status has an ending that is allowed before the answer', () => {
  for (let code = 300; code < 700; code++) {
    assert.ok(['declined', 'rang_out', 'broke'].includes(endingOfSipStatus(code).trigger), String(code));
  }
});

test('before the answer our action decides the ending, not the status of the response', () => {
  const before = { answered: false, trunk_responded: true };
  assert.equal(text(endingOfOurs('canceled', before)), 'canceled canceled');
  assert.equal(text(endingOfOurs('api_hangup', before)), 'canceled canceled');
  assert.equal(text(endingOfOurs('agent_hangup', before)), 'canceled canceled');
  assert.equal(text(endingOfOurs('ring_timeout', before)), 'rang_out ring_timeout');
  assert.equal(text(endingOfOurs('force_closed', before)), 'broke force_closed');
});

test('a ring timeout without any response of the trunk is a trunk failure', () => {
  assert.equal(
    text(endingOfOurs('ring_timeout', { answered: false, trunk_responded: false })),
    'broke trunk_failure',
  );
});

test('after the answer our reason is the end reason', () => {
  const talking = { answered: true, trunk_responded: true };
  for (const reason of [
    'agent_hangup',
    'api_hangup',
    'max_duration',
    'silence_timeout',
    'voicemail',
  ] as OurReason[]) {
    assert.equal(text(endingOfOurs(reason, talking)), `hung_up ${reason}`);
  }
  assert.equal(text(endingOfOurs('media_failure', talking)), 'broke media_failure');
});
