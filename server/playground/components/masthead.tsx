import { model } from '../state/model.js';
import { describeServer } from '../state/server.js';

/** What of the masthead changes; the rest is in index.html. */
export function ModelName() {
  return model.value && `model: ${model.value.model.name}`;
}

export function Links() {
  const { mood, text } = describeServer();
  return (
    <>
      <a class={`pill pill-${mood}`} href="#server">
        Server {text}
      </a>
      <a href="docs">API</a>
    </>
  );
}
