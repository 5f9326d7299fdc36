import { model } from '../state/model.js';
import { describeServer, server } from '../state/server.js';

export function Masthead() {
  return (
    <>
      <header class="masthead">
        <h1>Unseen</h1>
        <p class="masthead-model">{model.value?.model.name}</p>
        <p class="masthead-purpose">
          Recognises what is in a picture, also classes it has only been told about: show it one, see why,
          describe a class of your own.
        </p>
        <nav aria-label="More">
          <StatePill />
          <a href="docs">API</a>
        </nav>
      </header>
      <Trouble />
    </>
  );
}

function StatePill() {
  const { mood, text } = describeServer();
  return (
    <a class={`pill pill-${mood}`} href="#server">
      Server {text}
    </a>
  );
}

function Trouble() {
  const state = server.value;
  const away = 'The server cannot be reached. Is it still running? This page looks for it every few seconds.';
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
