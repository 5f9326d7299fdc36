// What HEALTHCHECK runs in the image, which has no curl: exit code 0 when the server reports that it is alive.
const port = process.env.UNSEEN_PORT || '8080';
const scheme = process.env.UNSEEN_TLS_CERTIFICATE ? 'https' : 'http';
// Its certificate is for the name that clients use, not for this address; nothing is sent that would be worth stealing.
if (scheme === 'https') process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
const answer = await fetch(`${scheme}://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4000) });
if (!answer.ok) throw new Error(`/healthz answered ${answer.status}: ${await answer.text()}`);
