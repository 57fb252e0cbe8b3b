// Moonshine passes the conformance suite of the STT port, with speech from flite.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { joinPcm } from '../../../protocols/audio/join-pcm.ts';
import { samplesOf } from '../../media/media-session.ts';
import { spoken } from '../../tts/conformance.ts';
import { fliteTts } from '../../tts/flite/index.ts';
import { sttConformance } from '../conformance.ts';
import { moonshineStt } from './index.ts';
import { quietestMoment } from './quietest-moment.ts';

const tts = fliteTts();
const stt = moonshineStt({ threads: 1, max_lag_ms: 20 });
before(() => Promise.all([tts.ready(), stt.ready()]));
after(() => Promise.all([tts.close(), stt.close()]));

sttConformance('moonshine', async () => ({
  stt,
  turns: {
    first: { pcm: await spoken(tts, 'I would like an appointment.', 'rms'), text: /appointment/i },
    second: { pcm: await spoken(tts, 'My name is Thomas.', 'kal16'), text: /thomas/i },
  },
}));

test('moonshine: a long turn is recognized in pieces and comes out complete', async () => {
  const sentences = [
    'I am calling about the order from last week.',
    'The box arrived on Monday morning.',
    'Two of the glasses were broken.',
    'Please send me two new glasses.',
  ];
  const session = stt.open({ language: 'en' });
  const pause = new Int16Array(samplesOf(250));
  for (const sentence of sentences) session.push(joinPcm([await spoken(tts, sentence, 'rms'), pause]));
  const text = await session.text();
  for (const word of [/order/i, /monday/i, /broken/i, /new glasses/i]) assert.match(text, word);
  session.close();
});

test('moonshine: it reports that it is behind while tasks wait too long, and not afterwards', async () => {
  const [first, second] = [stt.open({ language: 'en' }), stt.open({ language: 'en' })];
  for (const session of [first, second]) session.push(new Int16Array(samplesOf(2000)).fill(100));
  assert.equal(stt.isBehind(), false);
  const texts = Promise.all([first.text(), second.text()]);
  // The second task waits until the first is done, which takes longer than `max_lag_ms`.
  let was_behind = false;
  while (!was_behind && (await Promise.race([texts.then(() => 'done'), nextTurn('waiting')])) === 'waiting') {
    was_behind = stt.isBehind();
  }
  await texts;
  assert.equal(was_behind, true);
  assert.equal(stt.isBehind(), false);
});

test('a long turn is cut where the speaker paused', () => {
  const speech = new Int16Array(samplesOf(6000)).fill(3000);
  speech.fill(0, samplesOf(4000), samplesOf(4200));
  const cut = quietestMoment(speech, samplesOf(2500), samplesOf(5400));
  assert.ok(cut > samplesOf(4000) && cut < samplesOf(4200));
});
