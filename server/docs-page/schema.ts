/** JSON Schema for readers: what a value is in a few words, and the fields of an object as a table. */
import type { JsonSchema } from '../contract/openapi-types.js';
import { escape, inline } from './html.js';

interface SchemaShape extends JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

const alternatives = ['oneOf', 'anyOf', 'allOf'] as const;
const limits = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'above'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'below'],
  ['minLength', 'characters: at least'],
  ['maxLength', 'characters: at most'],
  ['minItems', 'items: at least'],
  ['maxItems', 'items: at most'],
  ['format', ''],
  ['pattern', 'like'],
  ['default', 'default'],
] as const;

export function schemaWords(schema: JsonSchema): string {
  const shape = schema as SchemaShape;
  const facts = limits
    .filter(([name]) => name in shape)
    .map(([name, words]) => `${words} ${shown(shape[name])}`.trim());
  return [typeWords(shape), ...facts].join(', ');
}

function typeWords(shape: SchemaShape): string {
  if (shape.$ref !== undefined) {
    const name = escape(shape.$ref.split('/').at(-1)!);
    return `<a href="#schema-${name}">${name}</a>`;
  }
  for (const kind of alternatives) {
    const parts = shape[kind];
    if (Array.isArray(parts))
      return parts.map((part) => schemaWords(part as JsonSchema)).join(kind === 'allOf' ? ' and ' : ' or ');
  }
  if (shape.const !== undefined) return shown(shape.const);
  if (shape.enum) return shape.enum.map(shown).join(' or ');
  if (shape.items) return `list of: ${schemaWords(shape.items)}`;
  return escape([shape.type ?? 'anything'].flat().join(' or '));
}

function shown(value: unknown): string {
  return `<code>${escape(typeof value === 'string' ? value : JSON.stringify(value))}</code>`;
}

/** Fields of objects, of the items of lists and of alternatives, in tables one after another. */
export function schemaTables(schema: JsonSchema): string {
  const shape = schema as SchemaShape;
  const own = shape.properties ? fieldTable(shape) : '';
  const inner = [
    shape.items,
    ...alternatives.flatMap((kind) => (shape[kind] as JsonSchema[] | undefined) ?? []),
  ];
  return own + inner.map((part) => (part ? schemaTables(part) : '')).join('');
}

function fieldTable({ properties = {}, required = [] }: SchemaShape): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const { description } = field as SchemaShape;
    const mark = required.includes(name) ? ' <em>required</em>' : '';
    const text = description === undefined ? '' : inline(description);
    return `<tr><th scope="row"><code>${escape(name)}</code>${mark}</th><td>${schemaWords(field)}</td><td>${text}${schemaTables(field)}</td></tr>`;
  });
  return `<table><thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}
