// tsc writes files without the executable bit, which `npx unseen` in a checkout needs.
import { chmodSync } from 'node:fs';

chmodSync(new URL('../dist/cli/main.js', import.meta.url), 0o755);
