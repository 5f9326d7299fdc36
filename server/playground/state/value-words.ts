/** What the value of an attribute means: how it compares with the classes of the training, and as a share where it may be one. */
import { figure, percentInWords, place } from './figures.js';

interface ValueRange {
  readonly minimum: number;
  readonly maximum: number;
}

const thirds = ['low', 'medium', 'high'] as const;

/** "low, 9 %" of 0.0856 between 0 and 0.788. */
export function valueWords(value: number, range: ValueRange): string {
  const compared = comparedWords(value, range);
  return isShare(value, range) ? `${compared}, ${percentInWords(value)}` : compared;
}

/** The same in a sentence that stands alone, for those who hear it. */
export function spokenValue(value: number, range: ValueRange): string {
  return `${figure(value)}, ${valueWords(value, range)}; ${rangeWords(range)}`;
}

function rangeWords({ minimum, maximum }: ValueRange): string {
  return `classes in training have ${figure(minimum)} to ${figure(maximum)}`;
}

function comparedWords(value: number, { minimum, maximum }: ValueRange): string {
  if (value < minimum) return 'below every class in training';
  if (value > maximum) return 'above every class in training';
  if (value === minimum) return 'lowest';
  if (value === maximum) return 'highest';
  return thirds[Math.min(2, Math.floor(3 * place(value, minimum, maximum)))];
}

/** Where no class has more than 1, a value between 0 and 1 is a part of a whole. */
function isShare(value: number, { minimum, maximum }: ValueRange): boolean {
  return minimum >= 0 && maximum <= 1 && value > 0 && value < 1;
}
