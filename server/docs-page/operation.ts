/** One operation: what it takes, what it answers, and a form to try it. */
import type { ResponseObject, Media, HttpMethod, Operation, Parameter } from '../contract/openapi-types.js';
import { escape, inline, json, prose } from './html.js';
import { schemaTables, schemaWords } from './schema.js';

export function renderOperation(path: string, method: HttpMethod, operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return `<details class="operation" id="${escape(operationId)}">
<summary><b class="method ${method}">${method.toUpperCase()}</b> <code>${escape(path)}</code> <span>${escape(summary)}</span></summary>
<div class="body">
${prose(description)}
${parameters.length > 0 ? `<h3>Parameters</h3>${parameterTable(parameters)}` : ''}
${requestBody ? `<h3>Body</h3>${prose(requestBody.description)}${renderContent(requestBody.content)}` : ''}
<h3>Answers</h3>
${renderAnswers(responses)}
${tryForm(path, method, operation)}
</div>
</details>`;
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><th scope="row"><code>${escape(name)}</code>${required ? ' <em>required</em>' : ''}</th><td>${place}</td><td>${schemaWords(schema)}</td><td>${inline(description)}</td></tr>`,
  );
  return `<table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function renderContent(content: Readonly<Record<string, Media>>): string {
  return Object.entries(content)
    .map(([type, { schema = {}, example, examples = {} }]) => {
      const all = [...(example === undefined ? [] : [{ value: example }]), ...Object.values(examples)];
      const shown = all.map(
        ({ summary = 'Example', value }: { summary?: string; value: unknown }) =>
          `<details class="example"><summary>${escape(summary)}</summary><pre>${json(value)}</pre></details>`,
      );
      return `<p><code>${escape(type)}</code>: ${schemaWords(schema)}</p>${schemaTables(schema)}${shown.join('')}`;
    })
    .join('\n');
}

/** Refusals look alike and are many: they are folded into one line, without their examples, which say nothing more. */
function renderAnswers(responses: Operation['responses']): string {
  const [answers, refusals] = [true, false].map((isGood) =>
    Object.entries(responses).filter(([status]) => Number(status) < 400 === isGood),
  );
  const rows = refusals.map(
    ([status, { description }]) =>
      `<tr><th scope="row"><b>${escape(status)}</b></th><td>${inline(description)}</td></tr>`,
  );
  const statuses = refusals.map(([status]) => status).join(', ');
  const folded = `<details class="answer"><summary>Refusals: ${escape(statuses)}</summary><table><tbody>${rows.join('\n')}</tbody></table></details>`;
  return (
    answers.map(([status, answer]) => renderAnswer(status, answer)).join('\n') +
    (rows.length > 0 ? folded : '')
  );
}

function renderAnswer(status: string, { description, content = {} }: ResponseObject): string {
  return `<details class="answer"><summary><b>${escape(status)}</b> ${inline(description)}</summary>${renderContent(content)}</details>`;
}

/** Shown only where the script runs; what it sends goes to this server alone. */
function tryForm(path: string, method: HttpMethod, { parameters = [], requestBody }: Operation): string {
  const fields = (isRequired: boolean): string[] =>
    parameters
      .filter(({ required }) => required === isRequired)
      .map(
        ({ name, in: place, required, example = '' }) =>
          `<label>${escape(name)} <input name="${escape(name)}" data-in="${place}" value="${escape(String(example))}"${required ? ' required' : ''}></label>`,
      );
  const optional = fields(false);
  return `<form class="try" data-method="${method.toUpperCase()}" data-path="${escape(path)}" hidden>
<h3>Try it</h3>
${fields(true).join('\n')}
${optional.length > 0 ? `<details class="optional"><summary>Options: ${optional.length}</summary>${optional.join('\n')}</details>` : ''}
${requestBody ? bodyField(requestBody.content) : ''}
<button>Send</button>
<pre class="result" role="status" hidden></pre>
</form>`;
}

function bodyField(content: Readonly<Record<string, Media>>): string {
  const media = content['application/json'] as Media | undefined;
  if (!media)
    return '<label>Picture <input type="file" data-body accept="image/jpeg,image/png,image/webp"></label>';
  const example = media.example ?? Object.values(media.examples ?? {})[0]?.value ?? {};
  return `<label>Body <textarea data-body rows="8" spellcheck="false">${json(example)}</textarea></label>`;
}
