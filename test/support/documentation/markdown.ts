/** Markdown as the documentation's tests need it: code, links and anchors, each with its line number. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface Found {
  readonly line: number; // from 1
  readonly text: string;
}

export interface Markdown {
  /** Relative to the project's folder. */
  readonly path: string;
  readonly blocks: readonly (Found & { readonly language: string })[];
  /** Code within a line. */
  readonly spans: readonly Found[];
  /** Where links and pictures lead. */
  readonly links: readonly Found[];
  readonly anchors: ReadonlySet<string>;
  readonly lines: readonly string[];
}

/** README.md and everything under docs/. */
export function readDocumentation(root: string): Markdown[] {
  const below = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return ['README.md', ...below.sort()].map((path) =>
    parseMarkdown(path, readFileSync(join(root, path), 'utf8')),
  );
}

export function parseMarkdown(path: string, text: string): Markdown {
  const lines = text.split('\n');
  const blocks: { line: number; language: string; text: string }[] = [];
  const spans: Found[] = [];
  const links: Found[] = [];
  const anchors = new Set<string>();
  let block: { line: number; language: string; content: string[] } | null = null;
  lines.forEach((content, index) => {
    const line = index + 1;
    const fence = /^\s*```(\w*)/.exec(content);
    if (block) {
      if (!fence) block.content.push(content);
      else {
        blocks.push({ line: block.line, language: block.language, text: block.content.join('\n') });
        block = null;
      }
    } else if (fence) block = { line: line + 1, language: fence[1], content: [] };
    else {
      for (const [, code] of content.matchAll(/`([^`]+)`/g)) spans.push({ line, text: code });
      const prose = content.replace(/`[^`]+`/g, 'code');
      for (const [, target] of prose.matchAll(/!?\[[^\]]*\]\(([^)\s]+)\)/g))
        links.push({ line, text: target });
      const heading = /^#+ (.+)$/.exec(content);
      if (heading) anchors.add(freeAnchor(anchorOf(heading[1]), anchors));
    }
  });
  return { path, blocks, spans, links, anchors, lines };
}

/** As GitHub names headings: small letters, no punctuation, hyphens for spaces. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function freeAnchor(anchor: string, taken: ReadonlySet<string>): string {
  let free = anchor;
  for (let count = 1; taken.has(free); count++) free = `${anchor}-${count}`;
  return free;
}
