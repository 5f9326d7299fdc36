/** 0.4257 as 43 %, never broken across lines; a value above zero is never shown as 0 %. */
export function percent(share: number): string {
  const hundredths = share * 100;
  if (hundredths > 0 && hundredths < 1) return '<\u00a01\u00a0%';
  return `${Math.round(hundredths)}\u00a0%`;
}

/** Three significant figures are the resolution of a slider; whole numbers are never rounded. */
export function figure(value: number, figures = 3): string {
  const before = Math.trunc(Math.abs(value)).toString().length;
  return String(Number(value.toPrecision(Math.max(figures, before))) + 0); // + 0: there is no -0 for readers
}

/** The position of a value between two others, from 0 to 1. */
export function place(value: number, minimum: number, maximum: number): number {
  if (maximum <= minimum) return 0;
  return Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum)));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
