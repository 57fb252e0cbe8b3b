// The recording of a call as a waveform, to play and to seek in.
import { Button } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import WaveSurfer from 'wavesurfer.js';
import { Problem } from '../../parts/problem.tsx';
import { parley } from '../../session/client.ts';
import { style_nonce } from '../../session/facts.ts';

export type Player = { seek(ms: number): void };

export function Recording({ call_id, player }: { call_id: string; player: RefObject<Player | null> }) {
  const container = useRef<HTMLDivElement>(null);
  const surfer = useRef<WaveSurfer | null>(null);
  const [is_playing, setPlaying] = useState(false);
  const [at_seconds, setAt] = useState(0);
  const sound = useQuery({
    queryKey: ['recordings', call_id],
    queryFn: async () => (await parley.request('GET', `/v1/calls/${call_id}/recording`)).blob(),
    staleTime: Number.POSITIVE_INFINITY,
  });

  useEffect(() => {
    if (!sound.data || !container.current) return;
    const wave = WaveSurfer.create({
      container: container.current,
      height: 64,
      waveColor: '#8f97d8',
      progressColor: '#3b44ac',
      cursorColor: '#c98a12',
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      splitChannels: [{}, { waveColor: '#8fc7ab', progressColor: '#16784a' }],
      cspNonce: style_nonce,
    });
    wave.on('play', () => setPlaying(true));
    wave.on('pause', () => setPlaying(false));
    wave.on('timeupdate', setAt);
    void wave.loadBlob(sound.data);
    surfer.current = wave;
    player.current = {
      seek(ms) {
        wave.setTime(ms / 1000);
        void wave.play();
      },
    };
    return () => {
      player.current = null;
      surfer.current = null;
      wave.destroy();
    };
  }, [sound.data, player]);

  if (sound.error) return <Problem error={sound.error} />;
  return (
    <div className="stack tight">
      <div ref={container} role="img" aria-label="Waveform: the person above, the agent below" />
      <div className="row">
        <Button
          variant="default"
          size="xs"
          disabled={!sound.data}
          leftSection={is_playing ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
          onClick={() => void surfer.current?.playPause()}
        >
          {is_playing ? 'Pause' : 'Play'}
        </Button>
        <span className="mono muted">{at_seconds.toFixed(1)} s</span>
        <span className="small muted">Choose a line of the transcript to jump to it.</span>
      </div>
    </div>
  );
}
