/** The script of the page at /docs: a file of its own, because the page allows none inside itself. */
export const docsScript = `const key = document.querySelector('#key');
key.hidden = false;

for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

// A link to an operation or a schema opens it, and what it is folded into.
const openTarget = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target; part; part = part.parentElement) if (part instanceof HTMLDetailsElement) part.open = true;
  target?.scrollIntoView();
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
