// Every vendor manifest works with defaults and refuses wrong parameters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loopbackAgent } from '../../testing/loopback-agent.ts';
import { manifest as anthropic } from './llm/anthropic/manifest.ts';
import { manifest as openAiLlm, presets } from './llm/openai-compatible/manifest.ts';
import { manifest as deepgram } from './stt/deepgram/manifest.ts';
import { manifest as openAiStt } from './stt/openai-compatible/manifest.ts';
import { manifest as cartesia } from './tts/cartesia/manifest.ts';
import { manifest as elevenLabs } from './tts/elevenlabs/manifest.ts';
import { manifest as openAiTts } from './tts/openai-compatible/manifest.ts';

const agent = loopbackAgent();

for (const manifest of [
  openAiLlm,
  ...presets,
  anthropic,
  openAiStt,
  deepgram,
  openAiTts,
  elevenLabs,
  cartesia,
]) {
  test(`${manifest.layer}/${manifest.provider}: an API key is enough to open it, and a misspelled parameter is refused`, () => {
    const params = manifest.params.parse({});
    const engine = manifest.open({ agent }, { api_key: 'key', params: params as never });
    assert.equal(engine.name, manifest.provider);
    assert.equal(manifest.params.safeParse({ modell: 'x' }).success, false);
    for (const base_url of ['file:///etc/passwd', 'not a url', 'javascript:alert(1)']) {
      assert.equal(manifest.params.safeParse({ base_url }).success, false, base_url);
    }
  });
}
