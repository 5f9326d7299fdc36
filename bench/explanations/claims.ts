/** What explanations call present or absent, held against the table of the class. */
import type { Manifest } from '../../core/bundle/manifest.js';
import { ClassStatistics } from '../../core/head/class-statistics.js';

/** Of each claim, whether it is true. */
export class Claims {
  private readonly statistics: ClassStatistics;
  private readonly indexOf: ReadonlyMap<string, number>;
  private readonly tableOf: ReadonlyMap<string, readonly number[]>;

  constructor({ attributes, classes }: Pick<Manifest, 'attributes' | 'classes'>) {
    this.statistics = new ClassStatistics(classes.map((one) => one.attributes));
    this.indexOf = new Map(attributes.map(({ name }, k) => [name, k]));
    this.tableOf = new Map(classes.map((one) => [one.name, one.attributes]));
  }

  knows(name: string): boolean {
    return this.tableOf.has(name);
  }

  /** Whether a class has more of it than usual. */
  has(name: string, attribute: string): boolean {
    return this.isAboveUsual(attribute, this.tableOf.get(name)![this.indexOf.get(attribute)!]);
  }

  isAboveUsual(attribute: string, value: number): boolean {
    return this.statistics.standardised(this.indexOf.get(attribute)!, value) > 0;
  }
}

/** Claims about pictures, counted. */
export class Tally {
  private right = 0;
  private all = 0;
  private empty = 0;
  private pictures = 0;

  /** Of one picture. */
  add(claims: readonly boolean[]): void {
    this.right += claims.filter(Boolean).length;
    this.all += claims.length;
    this.empty += claims.length === 0 ? 1 : 0;
    this.pictures += 1;
  }

  /** Of all claims, how many are true. */
  get share(): number {
    return this.right / this.all;
  }

  get perPicture(): number {
    return this.all / this.pictures;
  }

  line(label: string): string {
    const share = (100 * this.share).toFixed(1).padStart(6);
    const each = this.perPicture.toFixed(1).padStart(5);
    const none = ((100 * this.empty) / this.pictures).toFixed(0).padStart(3);
    return `${label.padEnd(44)} ${share} %   ${each} for each picture, none for ${none} %`;
  }
}
