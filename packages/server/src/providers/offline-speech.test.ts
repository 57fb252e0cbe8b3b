// The engines that come with the packages keep their ports' promises; one instance of each, because loading is dear.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { joinPcm } from '../protocols/audio/join-pcm.ts';
import { samplesOf } from './media/media-session.ts';
import { sttConformance } from './stt/conformance.ts';
import { moonshineStt } from './stt/moonshine/index.ts';
import { quietestMoment } from './stt/moonshine/quietest-moment.ts';
import { spoken, ttsConformance } from './tts/conformance.ts';
import { fliteTts } from './tts/flite/index.ts';
import { vadConformance } from './vad/conformance.ts';
import { sileroVad } from './vad/silero/index.ts';

const tts = fliteTts();
const stt = moonshineStt({ threads: 1, most_lag_ms: 20 });
const vad = sileroVad();
before(() => Promise.all([tts.ready(), stt.ready(), vad.ready()]));
after(() => Promise.all([tts.close(), stt.close(), vad.close()]));

ttsConformance('flite', async () => tts);
sttConformance('moonshine', async () => ({
  stt,
  turns: {
    first: { pcm: await spoken(tts, 'I would like an appointment.', 'rms'), words: /appointment/i },
    second: { pcm: await spoken(tts, 'My name is Thomas.', 'kal16'), words: /thomas/i },
  },
}));
vadConformance('silero', async () => ({
  vad,
  speech: await spoken(tts, 'Good morning, how can I help you today?'),
}));

test('moonshine: a long turn is worked off in pieces and comes out whole', async () => {
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

test('moonshine: is behind while questions wait too long, and no longer afterwards', async () => {
  const [first, second] = [stt.open({ language: 'en' }), stt.open({ language: 'en' })];
  for (const session of [first, second]) session.push(new Int16Array(samplesOf(2000)).fill(100));
  assert.equal(stt.isBehind(), false);
  const texts = Promise.all([first.text(), second.text()]);
  // The second waits for as long as the first takes, which is more than this engine tolerates.
  let was_behind = false;
  while (!was_behind && (await Promise.race([texts.then(() => 'done'), nextTurn('waiting')])) === 'waiting') {
    was_behind = stt.isBehind();
  }
  await texts;
  assert.equal(was_behind, true);
  assert.equal(stt.isBehind(), false);
});

test('flite: voices differ', async () => {
  const [one, other] = await Promise.all([
    spoken(tts, 'Hello there.', 'kal16'),
    spoken(tts, 'Hello there.', 'rms'),
  ]);
  assert.notDeepEqual(one, other);
});

test('flite: a hostile text is only ever spoken', async () => {
  assert.ok((await spoken(tts, '-voice /etc/passwd\0 --help | rm `x` <ssml>')).length > 0);
});

test('a long turn is cut where the speaker paused', () => {
  const speech = new Int16Array(samplesOf(6000)).fill(3000);
  speech.fill(0, samplesOf(4000), samplesOf(4200));
  const cut = quietestMoment(speech, samplesOf(2500), samplesOf(5400));
  assert.ok(cut > samplesOf(4000) && cut < samplesOf(4200));
});
