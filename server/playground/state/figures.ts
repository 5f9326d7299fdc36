/** 0.4257 as 43 %; what is not nothing never reads as 0 %. */
export function percent(share: number): string {
  const hundredths = share * 100;
  if (hundredths > 0 && hundredths < 1) return '< 1 %';
  return `${Math.round(hundredths)} %`;
}

/** Three figures are all that a slider can tell apart. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(3)) + 0); // + 0: there is no -0 for readers
}

/** Where a value lies between two others, from 0 to 1. */
export function place(value: number, minimum: number, maximum: number): number {
  if (maximum <= minimum) return 0;
  return Math.min(1, Math.max(0, (value - minimum) / (maximum - minimum)));
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
