import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readBundle } from '../../core/bundle/read.js';
import { asTrained } from '../preparation/take-few-shot.js';
import { gatherReport, type ReportRequest } from './gather/gather.js';
import { renderReport } from './render/page.js';

interface WriteReportRequest extends Omit<ReportRequest, 'bundle' | 'refitSeconds'> {
  readonly bundlePath: string;
  readonly out: string;
}

const refitSeconds = 120;

/** The report of a saved model, as one HTML file; an older one in its place is replaced. */
export async function writeReport({ bundlePath, out, ...request }: WriteReportRequest): Promise<void> {
  const bundle = await readBundle(bundlePath);
  const dataset = asTrained(bundle.manifest, request.dataset);
  const page = renderReport(await gatherReport({ ...request, dataset, bundle, refitSeconds }));
  await mkdir(dirname(out), { recursive: true });
  const partial = `${out}.partial-${process.pid}`;
  try {
    await writeFile(partial, page);
    await rename(partial, out);
  } finally {
    await rm(partial, { force: true });
  }
}
