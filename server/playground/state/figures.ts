/** 0.4257 as 43 %, never broken across lines; a value above zero is never shown as 0 %. */
export function percentInWords(share: number): string {
  const hundredths = share * 100;
  if (hundredths > 0 && hundredths < 1) return '<\u00a01\u00a0%';
  return `${Math.round(hundredths)}\u00a0%`;
}

/** Three significant figures are the resolution of a slider; whole numbers are never rounded. */
export function figure(value: number, figures = 3): string {
  const before = Math.trunc(Math.abs(value)).toString().length;
  return String(Number(value.toPrecision(Math.max(figures, before))) + 0); // + 0: there is no -0 for readers
}

/** The step of a slider: a power of ten, a hundred to a thousand of them in the range. */
export function resolution(minimum: number, maximum: number): number {
  return maximum > minimum ? 10 ** (Math.floor(Math.log10(maximum - minimum)) - 2) : 0.01;
}

/** A value that a slider was moved to, without the noise of pixels and floating point: 0.5641025641025641 is 0.564. */
export function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toPrecision(12));
}

/** The position of a value between two others, from 0 to 1. */
export function place(value: number, minimum: number, maximum: number): number {
  if (maximum <= minimum) return 0;
  return Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum)));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
