// A phone in the page: it rings when an agent calls your own number, and you answer by typing or by voice.
import { Button, TextInput } from '@mantine/core';
import type { CallTurn, SandboxPhoneCall } from '@parley/sdk';
import { IconMicrophone, IconPhone, IconPhoneOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { StatusBadge } from '../../parts/badge.tsx';
import { LinkButton, PageLink } from '../../parts/link.tsx';
import { Problem } from '../../parts/problem.tsx';
import { parley } from '../../session/client.ts';
import { own_phone } from '../../state/examples.ts';
import { useAction } from '../../state/use-action.tsx';
import { Transcript } from '../calls/call-transcript.tsx';
import { openMicrophone, type Talk } from './phone-sound.ts';

const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];

export const usePhoneCalls = () =>
  useQuery({
    queryKey: ['phone'],
    queryFn: async () => (await parley.sandboxPhone.list()).items,
    // The event stream reports changes; polling covers a broken stream.
    refetchInterval: 5000,
  });

const changes = ['phone', 'calls'];

function Ringing({ call }: { call: SandboxPhoneCall }) {
  const answer = useAction(() => parley.sandboxPhone.answer(call.call_id), { changes, toast_error: true });
  const decline = useAction(() => parley.sandboxPhone.decline(call.call_id), { changes, toast_error: true });
  return (
    <div className="row">
      <Button
        color="green.9"
        leftSection={<IconPhone size={16} />}
        loading={answer.busy}
        onClick={() => answer.run(undefined)}
      >
        Answer
      </Button>
      <Button
        variant="default"
        leftSection={<IconPhoneOff size={16} />}
        loading={decline.busy}
        onClick={() => decline.run(undefined)}
      >
        Decline
      </Button>
    </div>
  );
}

function Voice({ call_id }: { call_id: string }) {
  const talk = useRef<Talk | null>(null);
  const [is_on, setOn] = useState(false);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => () => talk.current?.close(), []);
  const toggle = async () => {
    setError(null);
    if (is_on) {
      talk.current?.close();
      return setOn(false);
    }
    try {
      const { url } = await parley.sandboxPhone.openSound(call_id);
      talk.current = await openMicrophone(url, () => setOn(false));
      setOn(true);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Button
        variant={is_on ? 'filled' : 'default'}
        leftSection={<IconMicrophone size={16} />}
        onClick={() => void toggle()}
        aria-pressed={is_on}
      >
        {is_on ? 'Microphone is on' : 'Use the microphone'}
      </Button>
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** Shows the newest words. */
function Words({ turns }: { turns: readonly CallTurn[] }) {
  const scroller = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn makes it higher
  useEffect(() => {
    scroller.current!.scrollTop = scroller.current!.scrollHeight;
  }, [turns.length]);
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable without a mouse
      tabIndex={0}
      aria-label="Words on the phone"
      style={{ maxHeight: '16rem', overflow: 'auto' }}
    >
      <Transcript turns={turns} is_final={false} />
    </section>
  );
}

function Talking({ call }: { call: SandboxPhoneCall }) {
  const { call_id } = call;
  const [text, setText] = useState('');
  const say = useAction((text: string) => parley.sandboxPhone.say(call_id, { text }), {
    done: () => setText(''),
  });
  const press = useAction((digits: string) => parley.sandboxPhone.press(call_id, { digits }), {
    toast_error: true,
  });
  const hangUp = useAction(() => parley.sandboxPhone.hangUp(call_id), { changes, toast_error: true });
  const transcript = useQuery({
    queryKey: ['calls', call_id, 'transcript'],
    queryFn: () => parley.calls.transcript(call_id),
    refetchInterval: 1000,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) say.run(text.trim());
  };
  return (
    <div className="stack tight">
      <Words turns={transcript.data?.turns ?? []} />
      <form onSubmit={send} className="row" style={{ flexWrap: 'nowrap', alignItems: 'flex-end' }}>
        <TextInput
          label="Say"
          placeholder="Type what you say"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          style={{ flex: 1 }}
          autoFocus
        />
        <Button type="submit" loading={say.busy}>
          Speak
        </Button>
      </form>
      {say.error && <Problem error={say.error} />}
      <div className="row">
        <Voice call_id={call_id} />
        <Button
          color="red.9"
          leftSection={<IconPhoneOff size={16} />}
          loading={hangUp.busy}
          onClick={() => hangUp.run(undefined)}
        >
          Hang up
        </Button>
        <PageLink to={`/calls/${call_id}`}>Open the call</PageLink>
      </div>
      <details>
        <summary>Keys</summary>
        <div className="keypad" style={{ marginTop: '0.5rem' }}>
          {keys.map((digits) => (
            <Button
              key={digits}
              variant="default"
              px={0}
              onClick={() => press.run(digits)}
              aria-label={`Press ${digits}`}
            >
              {digits}
            </Button>
          ))}
        </div>
      </details>
    </div>
  );
}

export function PhoneCall({ call }: { call: SandboxPhoneCall }) {
  const is_ringing = call.status === 'ringing';
  return (
    <section className={is_ringing ? 'phone ringing' : 'phone'} aria-label="Phone" aria-live="polite">
      <div className="stack tight">
        <div className="row spread">
          <strong>
            {is_ringing
              ? `${call.from} is calling you`
              : `On the phone with ${call.direction === 'outbound' ? call.from : call.to}`}
          </strong>
          <StatusBadge status={call.status} />
        </div>
        {is_ringing ? <Ringing call={call} /> : <Talking call={call} />}
      </div>
    </section>
  );
}

export function Phone() {
  const calls = usePhoneCalls();
  const open = (calls.data ?? []).filter(({ status }) => status !== 'ended');
  if (open.length > 0)
    return (
      <div className="stack">
        {open.map((call) => (
          <PhoneCall key={call.call_id} call={call} />
        ))}
      </div>
    );
  return (
    <section className="phone" aria-label="Phone">
      <div className="stack tight">
        <div className="row spread">
          <strong>Your phone</strong>
          <span className="mono muted">{own_phone}</span>
        </div>
        <p className="muted" style={{ margin: 0 }}>
          It rings on every page when an agent calls this number.
        </p>
        {calls.error && <Problem error={calls.error} />}
        <div>
          <LinkButton to="/compose" search={{ channel: 'call', to: own_phone }} variant="default">
            Have an agent call me
          </LinkButton>
        </div>
      </div>
    </section>
  );
}

/** On other pages: shown only during a call. */
export function FloatingPhone() {
  const calls = usePhoneCalls();
  const open = (calls.data ?? []).filter(({ status }) => status !== 'ended');
  if (open.length === 0) return null;
  return (
    <div className="floating-phone">
      {open.map((call) => (
        <PhoneCall key={call.call_id} call={call} />
      ))}
    </div>
  );
}
