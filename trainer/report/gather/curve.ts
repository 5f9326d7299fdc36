import { testCurve, type CurvePoint } from '../../evaluation/seen-unseen-curve.js';
import type { ReportContext } from './report-context.js';

const maxPoints = 400;

/** The seen-unseen curve. It has a point for each test row, which are thinned for the page. */
export function thinnedCurve({ judged }: ReportContext): CurvePoint[] | null {
  const points = testCurve(judged)?.points;
  if (!points) return null;
  const step = Math.max(1, Math.ceil(points.length / maxPoints));
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
