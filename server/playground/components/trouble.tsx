import { server } from '../state/server.js';

/** What keeps the server from working as it should, above everything else. */
export function Trouble() {
  const state = server.value;
  const away = 'The server cannot be reached. Is it still running? This page tries again every few seconds.';
  const lines = state?.reachable === false ? [away] : (state?.reasons ?? []);
  return (
    <div class="trouble" role="alert">
      {lines.map((line) => (
        <p key={line} class="problem">
          {line}
        </p>
      ))}
    </div>
  );
}
