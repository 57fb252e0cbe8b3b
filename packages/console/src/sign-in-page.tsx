// The door: a key typed once and kept for this tab, or the login of a person.
import { Button, PasswordInput } from '@mantine/core';
import { ApiError, createParley } from '@parley/sdk';
import { type FormEvent, useState } from 'react';
import icon from './icon.svg?url';
import { Problem } from './parts/problem.tsx';
import { isStranger, signInWithKey } from './session/credential.ts';
import { facts } from './session/facts.ts';

export function Door() {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const enter = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await createParley({
        base_url: location.origin,
        api_key: key.trim(),
        max_retries: 0,
      }).identity.whoami();
      signInWithKey(key.trim());
    } catch (problem) {
      setError(
        problem instanceof ApiError && problem.status === 401
          ? new Error('This server does not know this key.')
          : problem,
      );
    } finally {
      setBusy(false);
    }
  };

  return (
    <main className="door">
      <div className="card stack">
        <div className="row">
          <img src={icon} alt="" width={34} height={34} />
          <h1 style={{ fontSize: 20, margin: 0, letterSpacing: '-0.01em' }}>Parley</h1>
        </div>
        {isStranger() && (
          <div className="problem" role="status">
            <strong>You are signed in, but in no organization yet.</strong>
            <p>
              Accept an invitation, or <a href="/auth">see your account</a>.
            </p>
          </div>
        )}
        {facts.is_managed && (
          <>
            <Button component="a" href="/auth/sign-in?next=/" fullWidth size="md">
              Sign in with your account
            </Button>
            <p className="muted small" style={{ margin: 0, textAlign: 'center' }}>
              or with a key
            </p>
          </>
        )}
        <form onSubmit={(event) => void enter(event)} className="stack">
          <PasswordInput
            label="API key"
            description={
              facts.is_managed
                ? 'A key of yours or the shared key. It stays in this tab.'
                : 'The first start prints it and keeps it in data/shared-key. It stays in this tab.'
            }
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            required
            autoFocus
            visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
          />
          {error !== null && <Problem error={error} />}
          <Button
            type="submit"
            loading={busy}
            variant={facts.is_managed ? 'default' : 'filled'}
            fullWidth
            size="md"
          >
            Open the console
          </Button>
        </form>
      </div>
    </main>
  );
}
