/** The style sheet and the script of the page at /docs; files of their own, because the page allows neither inside itself. */
export const docsStyle = `:root { color-scheme: light dark; --line: light-dark(#d9d5c8, #3c3a34); --soft: light-dark(#f4f2ea, #24231f);
  --accent: light-dark(#2f5f86, #8dbbe2); }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fdfcf8, #191815); color: light-dark(#24221c, #e9e6dc); }
h1 small { font-size: 1rem; font-weight: normal; }
h2 { margin: 2.5rem 0 0; }
h4 { margin: 1.25rem 0 0.5rem; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; padding: 0.75rem 0; border-bottom: 1px solid var(--line); }
code, pre, textarea { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { overflow: auto; max-height: 28rem; padding: 0.75rem; background: var(--soft); border-radius: 0.4rem; }
.operation, .schema { border: 1px solid var(--line); border-radius: 0.5rem; margin: 0.5rem 0; }
.operation > summary, .schema > summary { padding: 0.6rem 0.8rem; cursor: pointer; overflow-wrap: anywhere; }
.body { padding: 0 1rem 1rem; border-top: 1px solid var(--line); overflow-x: auto; }
.answer > summary, .example > summary { cursor: pointer; }
.method { display: inline-block; min-width: 4.2rem; text-align: center; border-radius: 0.3rem; color: #fff; background: #2f5f86; }
.method.post { background: #2c6e49; }
.method.put { background: #8a5a00; }
.method.delete { background: #a32a2a; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-size: 0.85em; }
.try label, #key { display: block; margin: 0.4rem 0; }
.try input:not([type=file]), .try textarea, #key input { display: block; box-sizing: border-box; width: 100%; padding: 0.4rem; font-size: 1rem; }
button { margin-top: 0.5rem; padding: 0.45rem 1.2rem; font: inherit; cursor: pointer; }
@media (max-width: 40rem) {
  thead { display: none; }
  tr, th, td { display: block; }
  th, td { border: 0; padding: 0.1rem 0; }
  tr { border-bottom: 1px solid var(--line); padding: 0.4rem 0; }
}
[hidden] { display: none !important; }
`;

export const docsScript = `const key = document.querySelector('#key');
key.hidden = false;

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

// A link to an operation or a schema opens it.
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();

async function send(form) {
  const { method } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') path = path.replace('{' + name + '}', encodeURIComponent(value));
    else if (value !== '' && dataset.in === 'query') query.set(name, value);
    else if (value !== '') headers.set(name, value);
  }
  const given = key.querySelector('input').value;
  if (given !== '') headers.set('Authorization', 'Bearer ' + given);
  const field = form.querySelector('[data-body]');
  const body = field?.type === 'file' ? field.files[0] : field?.value;
  if (field && field.type !== 'file') headers.set('Content-Type', 'application/json');
  const result = form.querySelector('.result');
  result.hidden = false;
  result.textContent = '…';
  try {
    // Relative, without the slash in front: the server may be behind a prefix.
    const address = path.slice(1) + (query.size > 0 ? '?' + query : '');
    const started = performance.now();
    const response = await fetch(address || './', { method, headers, body });
    const text = await response.text();
    const milliseconds = Math.round(performance.now() - started);
    result.textContent = response.status + ' ' + response.statusText + ', ' + milliseconds + ' ms\\n\\n' + pretty(text);
  } catch (error) {
    result.textContent = String(error);
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
`;
