import { seenUnseenCurve, type CurvePoint } from '../../evaluation/seen-unseen-curve.js';
import type { ReportWorld } from './world.js';

const mostPoints = 400;

/** The seen-unseen curve. Each test row moves it by one point; a page has no use for thousands of them. */
export function thinnedCurve({ judged }: ReportWorld): CurvePoint[] {
  const { points } = seenUnseenCurve(judged);
  const step = Math.max(1, Math.ceil(points.length / mostPoints));
  return points.filter((_, i) => i % step === 0 || i === points.length - 1);
}
