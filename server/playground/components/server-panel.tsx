import { model } from '../state/model.js';
import { describeServer, server } from '../state/server.js';

export function ServerPanel() {
  const serving = server.value?.serving;
  const shown = model.value?.model;
  return (
    <footer class="server" id="server" tabIndex={-1} aria-label="Server">
      <dl>
        <Fact name="Server" value={describeServer().text} />
        <Fact name="Runs on" value={serving?.provider} />
        <Fact name="Queue" value={serving && `${serving.queued} of ${serving.queueLimit}`} />
        <Fact name="Workers" value={serving && `${serving.workersReady} of ${serving.workers}`} />
        <Fact name="Class revision" value={serving && String(serving.registryRevision)} />
        <Fact name="Model" value={shown && `${shown.name} ${shown.version.slice(0, 8)}`} />
      </dl>
    </footer>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '–'}</dd>
    </div>
  );
}
