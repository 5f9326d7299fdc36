import { model } from '../state/model.js';
import { describeServer, server } from '../state/server.js';

export function Masthead() {
  return (
    <>
      <header class="masthead">
        <h1>Unseen</h1>
        <p class="masthead-model">{model.value && `model: ${model.value.model.name}`}</p>
        <p class="masthead-purpose">
          Show it a picture: it names the class and says why, also for classes that it has no pictures of,
          only a description in a table.{' '}
          <span class="masthead-users">
            For species, parts or defects that experts describe before anybody photographs them. For everyday
            things, CLIP is the better choice.
          </span>
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
