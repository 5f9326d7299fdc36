/** The schemas that validate, as JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1). */
import { z } from 'zod';
import type { JsonSchema, Parameter } from './openapi-types.js';

const place = (name: string): string => `#/components/schemas/${name}`;

/** A schema of the same document, by the name that its group gave it. */
export function schemaRef(name: string): JsonSchema {
  return { $ref: place(name) };
}

export function componentSchemas(
  schemas: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, { io, uri: place, override: adjusted(io) }).schemas;
  for (const schema of Object.values(made)) {
    delete schema.$id; // its place in the document says as much
    delete schema.$schema;
  }
  return made;
}

/** The fields of a query, each as a parameter. They arrive as text; a reader should see the number or truth value meant. */
export function queryParameters(query: z.ZodObject): Parameter[] {
  const options = { unrepresentable: 'any', override: adjusted('input') } as const;
  const given = z.toJSONSchema(query, { io: 'input', ...options });
  const meant = z.toJSONSchema(query, { io: 'output', ...options });
  return Object.entries(given.properties ?? {}).map(([name, property]) => {
    const { description, ...text } = property as JsonSchema;
    const absent = (query.shape[name] as z.ZodType).safeParse(undefined).data;
    const value = { ...(meant.properties?.[name] as JsonSchema) };
    delete value.description; // it stands beside the schema
    const schema = typeof absent === 'boolean' ? { type: 'boolean' } : 'type' in value ? value : text;
    return {
      name,
      in: 'query',
      required: given.required?.includes(name) ?? false,
      ...(typeof description === 'string' && { description }),
      schema: absent === undefined ? schema : { ...schema, default: absent },
    };
  });
}

function adjusted(io: 'input' | 'output') {
  return ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    if (jsonSchema.type !== 'string') delete jsonSchema.pattern; // that of the text in which a number arrives
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum; // says nothing to a reader
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    // Answers may gain fields: a client made from this document must not refuse them.
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  };
}
