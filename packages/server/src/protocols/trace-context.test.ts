// `traceparent` is read as the W3C recommendation says, and everything else is ignored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTraceparent, parseTraceparent } from './trace-context.ts';

const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736';
const span_id = '00f067aa0ba902b7';

test('a valid header is read and written again', () => {
  for (const sampled of [true, false]) {
    const header = `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`;
    assert.deepEqual(parseTraceparent(header), { trace_id, span_id, sampled });
    assert.equal(formatTraceparent({ trace_id, span_id, sampled }), header);
  }
});

test('a later version may have more parts', () => {
  assert.equal(parseTraceparent(`01-${trace_id}-${span_id}-03-more`)?.sampled, true);
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
    `00-${trace_id}-${span_id}-01${' '.repeat(600)}`,
    [`00-${trace_id}-${span_id}-01`],
  ];
  for (const header of malformed) assert.equal(parseTraceparent(header), null, String(header));
});
