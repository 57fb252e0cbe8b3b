// Shows an error: the message of the server, what to do next, and the request id.
import { ApiError } from '@parley/sdk';

export function Problem({ error }: { error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  const api = error instanceof ApiError ? error : null;
  return (
    <div className="problem" role="alert">
      <strong>{message}</strong>
      {api && api.errors.length > 0 && (
        <ul>
          {api.errors.map(({ path, message }) => (
            <li key={path + message}>
              <span className="mono">{path.replace(/^body\./, '')}</span>: {message}
            </li>
          ))}
        </ul>
      )}
      {api && <p>{api.fix}</p>}
      {api?.request_id && (
        <p className="muted small">
          <span className="mono">{api.code}</span> · request <span className="mono">{api.request_id}</span>
        </p>
      )}
    </div>
  );
}
