/** nginx in front of replicas, with the requests that it may retry on another replica. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from './program.js';

const configuration = (folder: string, port: number, replicas: readonly number[]): string => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log warn;
events { worker_connections 512; }
http {
  log_format tries '$request_method $uri $status [$upstream_addr] [$upstream_status] $request_time';
  access_log ${folder}/nginx-access.log tries;
  client_body_temp_path ${folder}/nginx-body;
  proxy_temp_path ${folder}/nginx-proxy;
  fastcgi_temp_path ${folder}/nginx-fastcgi;
  uwsgi_temp_path ${folder}/nginx-uwsgi;
  scgi_temp_path ${folder}/nginx-scgi;
  client_max_body_size 20m;

  upstream replicas {
    least_conn;
    # A replica that two requests could not reach is left alone for a second. nginx from Debian has no probes of its own;
    # what has (Kubernetes, HAProxy) asks /readyz, and then sends nothing to a replica that is about to stop.
    ${replicas.map((replica) => `server 127.0.0.1:${replica} max_fails=2 fail_timeout=1s;`).join('\n    ')}
    keepalive 16;
  }

  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_connect_timeout 1s;
    proxy_read_timeout 15s; # longer than the server's own deadline, which answers 504
    # Without non_idempotent no POST is repeated. 429 is never: a replica that refuses works, and in an overload
    # repeating what one refused would bring the load to the others, and count them all as failed.
    proxy_next_upstream error timeout;
    proxy_next_upstream_tries 3;

    location / { proxy_pass http://replicas; }

    # Classifying changes nothing: it may be repeated although it is a POST.
    location = /classify {
      proxy_next_upstream error timeout http_503 non_idempotent;
      proxy_pass http://replicas;
    }

    # Creating classes may be repeated when the caller gave a key, by which the other replica knows the first attempt.
    location = /classes {
      error_page 418 = @repeatable;
      if ($http_idempotency_key != "") { return 418; }
      proxy_pass http://replicas;
    }
    location @repeatable {
      proxy_read_timeout 60s; # fitting many classes takes its time, and asking another replica would not shorten it
      proxy_next_upstream error timeout non_idempotent;
      proxy_pass http://replicas;
    }
  }
}
`;

export class Nginx {
  private constructor(
    private readonly program: Program,
    private readonly folder: string,
    readonly url: string,
  ) {}

  static async start(folder: string, port: number, replicas: readonly number[]): Promise<Nginx> {
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, port, replicas));
    const url = `http://127.0.0.1:${port}`;
    const flags = ['-c', file, '-p', folder, '-e', join(folder, 'nginx-error.log')];
    return new Nginx(await Program.start('nginx', flags, `${url}/healthz`), folder, url);
  }

  /** Requests that were retried on another replica. */
  repeated(): number {
    const lines = readFileSync(join(this.folder, 'nginx-access.log'), 'utf8').split('\n');
    return lines.filter((line) => /\[[^\]]*, /.test(line)).length;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
