import { normalisedName } from '../../core/class-name.js';

/** Names that are not in the normal form (of a dataset, or stored by an earlier version), by that form. */
export class OtherForms {
  private byNormalForm: ReadonlyMap<string, string> | null = null;

  constructor(private readonly names: () => Iterable<string>) {}

  /** The names have changed. */
  reset(): void {
    this.byNormalForm = null;
  }

  /** Of a name in its normal form. */
  of(normalised: string): string | undefined {
    this.byNormalForm ??= new Map(
      [...this.names()].flatMap((name) => {
        const form = normalisedName(name);
        return form === name ? [] : [[form, name] as const];
      }),
    );
    return this.byNormalForm.get(normalised);
  }
}
