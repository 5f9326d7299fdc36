import { Failure } from '../core/failures.js';
import {
  flagOf,
  secretSettings,
  serverConfigurationSchema,
  serverSettings,
  variableOf,
  type ServerConfiguration,
  type ServerSetting,
} from './configuration.js';

/** Settings from flags and the environment; what is wrong is refused by the name under which it was given. */
export function readServerConfiguration(
  flags: Readonly<Partial<Record<ServerSetting, unknown>>>,
  environment: NodeJS.ProcessEnv,
): ServerConfiguration {
  const given: Record<string, unknown> = {};
  const origin: Partial<Record<string, string>> = {};
  for (const setting of serverSettings) {
    const variable = variableOf(setting);
    const value = flags[setting] ?? fromEnvironment(environment[variable]);
    if (value === undefined) continue;
    given[setting] = value;
    origin[setting] = flags[setting] === undefined ? variable : flagOf(setting);
  }
  const parsed = serverConfigurationSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const setting = String(path[0]);
    const shown = secretSettings.includes(setting as ServerSetting)
      ? ''
      : ` ${JSON.stringify(given[setting])}`;
    return `${origin[setting] ?? setting}${shown}: ${message}`;
  });
  throw new Failure(
    'config-invalid',
    `The server cannot start with these settings:\n  ${problems.join('\n  ')}`,
  );
}

/**
 * An empty variable counts as not set, as is usual in containers. Kubernetes gives every pod NAME_PORT=tcp://… for each
 * Service called NAME: with a Service called "unseen" that is our own UNSEEN_PORT, and means nothing here.
 */
function fromEnvironment(value: string | undefined): string | undefined {
  return value === '' || value?.startsWith('tcp://') ? undefined : value;
}
