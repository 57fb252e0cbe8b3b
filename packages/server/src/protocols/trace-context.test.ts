// `traceparent` and `tracestate` are read as the W3C recommendation says, and everything else is ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTrace, joinTraceHeaders, parseTrace, traceHeaders } from './trace-context.ts';

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
const span_id = '00f067aa0ba902b7';

test('a valid header is read and written again', () => {
  for (const sampled of [true, false]) {
    const header = `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`;
    assert.deepEqual(parseTrace(header), { trace_id, span_id, sampled, tracestate: null });
    assert.equal(formatTrace({ trace_id, span_id, sampled, tracestate: null }), header);
  }
});

test('a later version may have more parts', () => {
  assert.equal(parseTrace(`01-${trace_id}-${span_id}-03-more`)?.sampled, true);
});

test('malformed headers are ignored', () => {
  const malformed = [
    undefined,
    '',
    `00-${trace_id}-${span_id}`,
    `00-${trace_id}-${span_id}-01-more`,
    `ff-${trace_id}-${span_id}-01`,
    `00-${trace_id.toUpperCase()}-${span_id}-01`,
    `00-${'0'.repeat(32)}-${span_id}-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `01-${trace_id}-${span_id}-01-${'x'.repeat(600)}`,
    [`00-${trace_id}-${span_id}-01`],
  ];
  for (const header of malformed) assert.equal(parseTrace(header), null, String(header));
});

const stateOf = (tracestate: string) =>
  parseTrace(joinTraceHeaders({ traceparent: `00-${trace_id}-${span_id}-01`, tracestate }))?.tracestate;

test('tracestate is passed on with its traceparent', () => {
  const headers = { traceparent: `00-${trace_id}-${span_id}-01`, tracestate: 'rojo=00f067,t61@vendor=a b' };
  const context = parseTrace(joinTraceHeaders(headers))!;
  assert.deepEqual(traceHeaders(formatTrace(context)), headers);
  assert.equal(joinTraceHeaders({ tracestate: 'rojo=1' }), null);
  assert.equal(stateOf('rojo=1 , , congo=2'), 'rojo=1,congo=2');
});

test('a malformed tracestate is dropped and the trace goes on', () => {
  for (const tracestate of ['', 'rojo', 'Rojo=1', 'rojo=1=2', 'rojo=\u00e9', 'a=1,'.repeat(33)])
    assert.equal(stateOf(tracestate), null, tracestate);
});

test('of a tracestate over 512 characters, long members go first and then the oldest', () => {
  const long = `long=${'x'.repeat(200)}`;
  const short = Array.from({ length: 30 }, (_, index) => `k${index}=${'y'.repeat(20)}`);
  const kept = stateOf([long, ...short].join(','))!.split(',');
  assert.ok(kept.join(',').length <= 512);
  assert.deepEqual(kept, short.slice(0, kept.length));
});
