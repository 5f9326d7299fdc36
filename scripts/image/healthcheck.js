// What HEALTHCHECK runs in the image, which has no curl: exit code 0 when the server says that it is alive.
const port = process.env.UNSEEN_PORT || '8080';
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) });
if (!answer.ok) throw new Error(`/healthz answered ${answer.status}: ${await answer.text()}`);
