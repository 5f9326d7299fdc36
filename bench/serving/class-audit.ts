/** After a restart: does every acknowledged class exist, and is every existing class complete? */
import type { ClassListResponse, ClassResponse } from '../../server/contract/class-schemas.js';
import { maxPredictions, type ClassifyResponse } from '../../server/contract/schemas.js';
import type { Expectation } from './class-churn.js';

interface AuditFindings {
  found: number;
  /** Examples of all classes. */
  examples: number;
  /** Acknowledged, but missing or different, or without an acknowledged example. */
  lost: string[];
  /** Removed and acknowledged, but back again; the examples of a class among them. */
  returned: string[];
  /** Present without attributes, without competing, with a part of a request's examples, or competing without being listed. */
  half: string[];
}

export async function audit(
  url: string,
  expected: Map<string, Expectation>,
  picture: Uint8Array,
  attributes: number,
): Promise<AuditFindings> {
  const findings: AuditFindings = { found: 0, examples: 0, lost: [], returned: [], half: [] };
  const listed = new Set<string>();
  for (let after = ''; ;) {
    const page = await get<ClassListResponse>(
      `${url}/classes?kind=runtime&limit=1000&after=${encodeURIComponent(after)}`,
    );
    for (const { name } of page.classes) listed.add(name);
    if (page.next === undefined) break;
    after = page.next;
  }
  const competing = await competingClasses(url, picture);
  findings.half.push(...[...competing].filter((name) => !listed.has(name)));
  for (const name of listed) {
    const { body, etag } = await read(url, name);
    const values = Object.values(body.attributes);
    const isWhole =
      values.length === attributes &&
      values.every(Number.isFinite) &&
      body.unusable === undefined &&
      body.unusableExamples === undefined;
    if (!isWhole || !competing.has(name) || etag !== `"${body.etag}"`) findings.half.push(name);
    const wanted = expected.get(name);
    if (wanted?.kind === 'there' && wanted.etag !== etag) findings.lost.push(name);
    if (wanted === undefined || wanted.kind === 'gone') findings.returned.push(name);
    const { examples } = body;
    const wantedExamples = wanted === undefined || wanted.kind === 'gone' ? examples : wanted.examples;
    const unanswered = wanted?.kind === 'there' ? (wanted.unanswered ?? 0) : 0;
    if (examples < wantedExamples) findings.lost.push(`examples of ${name}`);
    else if (examples > wantedExamples + unanswered) findings.returned.push(`examples of ${name}`);
    else if (examples !== wantedExamples && examples !== wantedExamples + unanswered)
      findings.half.push(`examples of ${name}`);
    expected.set(name, { kind: 'there', etag, examples }); // from now on it must stay like that
    findings.found += 1;
    findings.examples += examples;
  }
  for (const [name, { kind }] of expected) {
    if (listed.has(name)) continue;
    if (kind === 'there') findings.lost.push(name);
    expected.delete(name);
  }
  return findings;
}

async function competingClasses(url: string, picture: Uint8Array): Promise<Set<string>> {
  const response = await fetch(`${url}/classify?topK=${maxPredictions}`, {
    method: 'POST',
    headers: { 'content-type': 'image/jpeg' },
    body: picture as Uint8Array<ArrayBuffer>,
  });
  if (!response.ok) throw new Error(`POST /classify was answered ${response.status}`);
  const { predictions } = (await response.json()) as ClassifyResponse;
  return new Set(predictions.filter(({ runtime }) => runtime).map((prediction) => prediction.class));
}

async function read(url: string, name: string): Promise<{ body: ClassResponse; etag: string }> {
  const response = await fetch(`${url}/classes/${encodeURIComponent(name)}`);
  return { body: (await response.json()) as ClassResponse, etag: response.headers.get('etag') ?? '' };
}

async function get<T>(url: string): Promise<T> {
  return (await (await fetch(url)).json()) as T;
}
