/** The thread that holds a SQLite connection, because its calls block until the disk has answered. Started by thread.ts. */
import { serveRequests } from '../../../../core/channel/serve.js';
import { parentThread } from '../../../../core/channel/threads.js';
import type { Fields } from '../database.js';
import { SqliteConnection } from './connection.js';
import { troubleOf } from './problems.js';
import type { ConnectionRequests, ConnectionResult } from './protocol.js';

let connection: SqliteConnection | undefined;

serveRequests<ConnectionRequests>(parentThread(), {
  open: (start) =>
    attempt('open', () => {
      connection = SqliteConnection.open(start);
      return [];
    }),
  query: ({ sql, parameters }) => attempt(sql, () => connection!.query(sql, parameters)),
  close: () => {
    connection!.close();
  },
});

function attempt(sql: string, work: () => Fields[]): ConnectionResult {
  try {
    return { rows: work() };
  } catch (error) {
    return { problem: troubleOf(error, sql) };
  }
}
