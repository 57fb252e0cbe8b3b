// Asks for the operator key when the server says that only a person may do something, and shows that it is in use.
import { Button, PasswordInput } from '@mantine/core';
import { ApiError } from '@parley/sdk';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { canUseOperatorKey, onOperatorKey, operatorKey, setOperatorKey } from '../session/operator-key.ts';

const codes = new Set(['person_required', 'approval_not_yours', 'unauthenticated']);
const isNeeded = (error: unknown) => error instanceof ApiError && codes.has(error.code);

const useOperatorKey = () => useSyncExternalStore(onOperatorKey, operatorKey);

/** Part of a form: shown once the form failed for this reason, and then until it is closed. */
export function OperatorKeyField({ error }: { error: unknown }) {
  const key = useOperatorKey();
  const [is_asked, setAsked] = useState(false);
  const is_needed = isNeeded(error) && canUseOperatorKey();
  useEffect(() => {
    if (is_needed) setAsked(true);
  }, [is_needed]);
  if (!is_asked) return null;
  return (
    <PasswordInput
      label="Operator key"
      description="cat data/operator-key prints it on the server. This page keeps it until you close or reload it."
      value={key}
      onChange={(event) => setOperatorKey(event.currentTarget.value.trim())}
      autoComplete="off"
    />
  );
}

export function OperatorKeyInUse() {
  if (useOperatorKey() === '') return null;
  return (
    <Button variant="default" onClick={() => setOperatorKey('')}>
      Forget the operator key
    </Button>
  );
}
