/** As much of OpenAPI 3.1 as is used here. */
import type { z } from 'zod';

export type JsonSchema = Record<string, unknown>;

export interface Media {
  readonly schema?: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description?: string;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

export type HttpMethod = 'get' | 'post' | 'put' | 'delete';
export type PathItem = Partial<Readonly<Record<HttpMethod, Operation>>>;

/** What one group of routes adds to the document: a file under paths/, listed in its index.ts. */
export interface PathGroup {
  readonly tag: { readonly name: string; readonly description: string };
  readonly paths: Readonly<Record<string, PathItem>>;
  /** Schemas of what clients send, by the names under which they are referred to: see schemaRef. */
  readonly requests?: Readonly<Record<string, z.ZodType>>;
  /** Schemas of what is answered. */
  readonly answers?: Readonly<Record<string, z.ZodType>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly PathGroup['tag'][];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
