// Values to copy: ids, secrets, blocks of code.
import { ActionIcon, Button, CopyButton } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

export function CopyIcon({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={label}
          title={copied ? 'Copied' : label}
          onClick={copy}
        >
          {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
        </ActionIcon>
      )}
    </CopyButton>
  );
}

/** An id or address on one line, with a copy button. */
export function CopyText({ text, label }: { text: string; label: string }) {
  return (
    <span className="row" style={{ gap: '0.25rem', flexWrap: 'nowrap' }}>
      <span className="mono break">{text}</span>
      <CopyIcon text={text} label={`Copy ${label}`} />
    </span>
  );
}

export function CodeBlock({ code, label = 'code' }: { code: string; label?: string }) {
  return (
    <div className="code">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what may scroll must be reachable without a mouse */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className="copy">
        <CopyIcon text={code} label={`Copy ${label}`} />
      </div>
    </div>
  );
}

export const JsonView = ({ value, label = 'JSON' }: { value: unknown; label?: string }) => (
  <CodeBlock code={JSON.stringify(value, null, 2)} label={label} />
);

/** A secret that is shown once and cannot be read again. */
export function SecretOnce({ title, secret, done }: { title: string; secret: string; done(): void }) {
  return (
    <section className="card stack tight" aria-label={title}>
      <strong>{title}</strong>
      <p className="muted" style={{ margin: 0 }}>
        Copy it now: it is shown only once.
      </p>
      <CodeBlock code={secret} label="the secret" />
      <div className="row end">
        <Button variant="default" onClick={done}>
          I have stored it
        </Button>
      </div>
    </section>
  );
}
