// Silero passes the conformance suite of the VAD port, with speech from flite.
import { after, before } from 'node:test';
import { spoken } from '../../tts/conformance.ts';
import { fliteTts } from '../../tts/flite/index.ts';
import { vadConformance } from '../conformance.ts';
import { sileroVad } from './index.ts';

const tts = fliteTts();
const vad = sileroVad();
before(() => Promise.all([tts.ready(), vad.ready()]));
after(() => Promise.all([tts.close(), vad.close()]));

vadConformance('silero', async () => ({
  vad,
  speech: await spoken(tts, 'Good morning, how can I help you today?'),
}));
