/** The examples of all classes, in memory: what the store has of them, and what the fit is given. */
import { fromHalf } from '../../core/half.js';
import { matrix, type Matrix } from '../../core/matrix.js';
import type { ExampleChanges, ExampleContent } from './store/contract.js';

export class ExampleTable {
  private readonly byClass = new Map<string, Map<string, ExampleContent>>();
  /** Of all classes. */
  count = 0;
  /** Of their features. */
  bytes = 0;

  constructor(
    /** The network whose features the bundle takes; those of another are kept, and not used. */
    private readonly backbone: string,
    private readonly width: number,
  ) {}

  /** In the same order in every replica: sums in another order would differ in their last bits. */
  of(name: string): readonly ExampleContent[] {
    return [...(this.byClass.get(name)?.values() ?? [])].sort(byAge);
  }

  /** As `of` will answer once these changes are stored. */
  after(name: string, { added, removed }: ExampleChanges): readonly ExampleContent[] {
    const gone = new Set(removed.map(({ id }) => id));
    for (const { id } of added) gone.add(id); // replaced by itself
    const kept = this.of(name).filter(({ id }) => !gone.has(id));
    return [...kept, ...added.filter((one) => one.name === name)].sort(byAge);
  }

  isUsable({ backbone, features }: Pick<ExampleContent, 'backbone' | 'features'>): boolean {
    return backbone === this.backbone && features.length === this.width;
  }

  apply({ added, removed }: ExampleChanges): void {
    for (const { name, id } of removed) this.remove(name, id);
    for (const example of added) {
      this.remove(example.name, example.id);
      const examples = this.byClass.get(example.name) ?? new Map<string, ExampleContent>();
      this.byClass.set(example.name, examples.set(example.id, example));
      this.count += 1;
      this.bytes += example.features.byteLength;
    }
  }

  removeClass(name: string): void {
    for (const id of [...(this.byClass.get(name)?.keys() ?? [])]) this.remove(name, id);
  }

  replaceAll(examples: readonly ExampleContent[]): void {
    for (const name of [...this.byClass.keys()]) this.removeClass(name);
    this.apply({ added: examples, removed: [] });
  }

  private remove(name: string, id: string): void {
    const examples = this.byClass.get(name);
    const example = examples?.get(id);
    if (!examples || !example) return;
    examples.delete(id);
    if (examples.size === 0) this.byClass.delete(name);
    this.count -= 1;
    this.bytes -= example.features.byteLength;
  }
}

function byAge(a: ExampleContent, b: ExampleContent): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

/** (n, features); undefined where there is none. */
export function exampleMatrix(examples: readonly ExampleContent[]): Matrix | undefined {
  if (examples.length === 0) return undefined;
  const stacked = matrix(examples.length, examples[0].features.length);
  examples.forEach(({ features }, i) => {
    stacked.data.set(fromHalf(features), i * stacked.columns);
  });
  return stacked;
}
