import { spawnSync } from 'node:child_process';

/** 13 needs Node 22. */
const version = '12.8.2';

interface Report {
  readonly categories: Readonly<Record<string, { readonly title: string; readonly score: number | null }>>;
}

/** `mobile` is Lighthouse's own: a slow phone on a slow line, simulated. */
export function lighthouseScores(url: string, chromium: string, preset: 'mobile' | 'desktop'): string {
  const run = spawnSync(
    'npx',
    [
      ...['--yes', `lighthouse@${version}`, url, '--output=json', '--quiet', '--no-enable-error-reporting'],
      '--only-categories=performance,accessibility,best-practices',
      '--chrome-flags=--headless --no-sandbox --disable-gpu',
      ...(preset === 'desktop' ? ['--preset=desktop'] : []),
    ],
    { encoding: 'utf8', env: { ...process.env, CHROME_PATH: chromium }, maxBuffer: 64e6 },
  );
  if (run.status !== 0) return `not measured (npx: ${run.stderr.trim().split('\n').at(-1) ?? 'failed'})`;
  const { categories } = JSON.parse(run.stdout) as Report;
  return Object.values(categories)
    .map(({ title, score }) => `${title} ${Math.round((score ?? 0) * 100)}`)
    .join(', ');
}
