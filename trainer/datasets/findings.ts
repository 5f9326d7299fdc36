/** Something about a dataset that its owner should know. An error makes it unusable; a warning may be intended. */
export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly code: FindingCode;
  readonly message: string;
}

type FindingCode =
  | 'wrong-size' // parts that must agree in length do not
  | 'class-name' // an empty or a repeated class name, or none at all
  | 'not-finite' // NaN or infinity
  | 'label-out-of-range'
  | 'location-out-of-range'
  | 'splits-overlap' // a row in two splits, or twice in one
  | 'unseen-in-training' // a class of test-unseen rows has training rows
  | 'test-seen-without-training' // a class of test-seen rows has none
  | 'validation-classes' // validation classes that are not seen, or leave nothing to train on
  | 'class-order' // labels and class names, or class names and attributes, do not belong together
  | 'empty-split'
  | 'identical-attributes'
  | 'constant-attribute'
  | 'not-known-mark' // a number such as -1 that seems to stand for "not known"
  | 'few-training-rows'
  | 'zero-features'
  | 'negative-features';

export function errorFinding(code: FindingCode, message: string): Finding {
  return { severity: 'error', code, message };
}

export function warningFinding(code: FindingCode, message: string): Finding {
  return { severity: 'warning', code, message };
}

/** A finding as every command prints it. */
export function describeFinding({ severity, message }: Finding): string {
  return severity === 'error' ? message : `Warning: ${message}.`;
}

/** The first few of many, in words. */
export function someOf(items: readonly (string | number)[], max = 3): string {
  const named = items.slice(0, max).join(', ');
  return items.length > max ? `${named} and ${items.length - max} more` : named;
}
