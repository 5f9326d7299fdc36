/** A class in the making: its name, a value for each attribute, pictures of it, and the result of the dry run. */
import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { DryRunResponse, NewClass, UnseenProblem } from '../../../client/index.js';
import { ask, asProblem } from './api.js';
import { loadClasses } from './classes.js';
import type { Attribute } from './attribute-families.js';
import { attributesByName } from './model.js';
import { answer, classify } from './picture.js';
import { noteRevision } from './revision.js';

interface DraftContent {
  readonly described: NewClass;
  readonly pictures: readonly DraftPicture[];
}

type DraftedValues = Pick<DryRunResponse['previews'][number], 'filled' | 'certainty'>;
export type ClassPreview = DryRunResponse['previews'][number];
/** Why somebody may not want to save it. */
export type Doubt = 'implausible' | 'confused' | 'hardly-recognised';
type Doing = 'reading' | 'checking' | 'saving' | null;

/** Where values come from before they are changed: a class, the picture, or nowhere. */
export const startFromNothing = '';
export const startFromUnknown = '\u0000unknown';
export const startFromPicture = '\u0000picture'; // no class can have this name
export const startFromExamples = '\u0000examples';
export const startFromKept = '\u0000kept';

/** A draft as text can hold it: all but the pictures themselves. */
export interface KeptDraft {
  readonly editing: string | null;
  readonly name: string;
  readonly etag: string | undefined;
  readonly values: Readonly<Record<string, number>>;
  readonly origin: Readonly<Record<string, number>>;
  readonly certainty: Readonly<Record<string, number>>;
  /** How many there were. */
  readonly pictures: number;
}

/** As many as a server takes in one request. */
export const maxPictures = 16;

export interface DraftPicture {
  readonly name: string;
  readonly picture: Blob;
}

/** A class whose attributes are read before it has a name. */
const unnamed = '(a class without a name)';

/** Below this, more of its pictures are expected to go elsewhere than not. */
const hardlyRecognised = 0.5;
const muchConfused = 0.2;

export class ClassDraft {
  readonly name: Signal<string>;
  readonly start = signal(startFromNothing);
  readonly values: ReadonlyMap<string, Signal<number>>;
  /** What the values were at the start; others count as changed. */
  readonly origin = signal<ReadonlyMap<string, number>>(new Map());
  /** The attributes whose values are others than at the start: the same set until one more or one fewer is. */
  readonly changed: ReadonlySignal<ReadonlySet<string>>;
  /** Pictures that become examples of it when it is saved. */
  readonly pictures = signal<readonly DraftPicture[]>([]);
  /** How sure the values are that nobody has given: filled in, or read from the pictures. They are not sent unless they are changed. */
  readonly certainty = signal<ReadonlyMap<string, number>>(new Map());
  readonly doing = signal<Doing>(null);
  readonly problem = signal<UnseenProblem | null>(null);
  readonly preview: ReadonlySignal<ClassPreview | null>;
  /** Null also while there is no preview. */
  readonly doubt: ReadonlySignal<Doubt | null>;
  private readonly content: ReadonlySignal<DraftContent>;
  private readonly checked = signal<{
    readonly content: DraftContent;
    readonly preview: ClassPreview;
  } | null>(null);
  /** Of the state that is edited; undefined for a new class. */
  private etag: string | undefined;
  private turns = 0;

  constructor(readonly editing: string | null) {
    this.name = signal(editing ?? '');
    const attributes = attributesByName.peek();
    this.values = new Map(Array.from(attributes.values(), ({ name, minimum }) => [name, signal(minimum)]));
    this.origin.value = this.snapshot();
    let known: ReadonlySet<string> = new Set();
    this.changed = computed(() => {
      const now = Array.from(this.values.keys()).filter((name) => this.isChanged(name));
      if (now.length !== known.size || now.some((name) => !known.has(name))) known = new Set(now);
      return known;
    });
    this.content = computed(() => {
      const given = Array.from(this.values, ([name, value]) => [name, value.value] as const).filter(
        ([name]) => !this.certainty.value.has(name) || this.isChanged(name),
      );
      const described = { name: this.name.value.trim(), attributes: Object.fromEntries(given) };
      return { described, pictures: this.pictures.value };
    });
    this.preview = computed(() => {
      const checked = this.checked.value; // while there is none, no value is looked at
      return checked !== null && checked.content === this.content.value ? checked.preview : null;
    });
    this.doubt = computed(() => this.preview.value && doubtOf(this.preview.value));
  }

  /** What of it outlives a reload of the page. */
  kept(): KeptDraft {
    return {
      editing: this.editing,
      name: this.name.peek(),
      etag: this.etag,
      values: Object.fromEntries(this.snapshot()),
      origin: Object.fromEntries(this.origin.peek()),
      certainty: Object.fromEntries(this.certainty.peek()),
      pictures: this.pictures.peek().length,
    };
  }

  /** Attributes that the model does not have any more are left out. */
  static restored({ editing, name, etag, values, origin, certainty }: KeptDraft): ClassDraft {
    const made = new ClassDraft(editing);
    made.name.value = name;
    made.etag = etag;
    made.start.value = startFromKept;
    made.setValues((attribute) => valueIn(origin, attribute.name) ?? attribute.minimum);
    made.certainty.value = new Map(Object.entries(certainty).filter(([one]) => made.values.has(one)));
    for (const [attribute, value] of made.values) value.value = valueIn(values, attribute) ?? value.peek();
    return made;
  }

  isChanged(attribute: string): boolean {
    return this.values.get(attribute)!.value !== this.origin.value.get(attribute);
  }

  reset(attribute: string): void {
    this.values.get(attribute)!.value = this.origin.value.get(attribute)!;
  }

  async startFrom(start: string): Promise<void> {
    this.start.value = start;
    if (start === startFromNothing) this.setValues((attribute) => attribute.minimum);
    else if (start === startFromPicture) {
      const read = new Map(
        answer.value?.explanation?.attributes.map(({ attribute, value }) => [attribute, value]),
      );
      this.setValues(({ name, minimum, maximum }) =>
        Math.min(maximum, Math.max(minimum, read.get(name) ?? minimum)),
      );
    } else if (start === startFromUnknown) this.setUnknown();
    else if (start === startFromExamples) await this.readPictures();
    else if (start === startFromKept)
      return; // as it is
    else await this.read(start);
  }

  /** The class as it is now; for an edited one also the state that a change is made against. */
  async read(name: string): Promise<void> {
    await this.during('reading', async () => {
      const known = await ask((client) => client.class(name));
      if (name === this.editing) this.etag = known.etag;
      else if (this.start.peek() !== name) return; // another start was chosen meanwhile
      this.setKnown(known.attributes, known);
    });
  }

  /** Those that are no pictures are refused by the server when they are read. */
  async addPictures(files: readonly File[]): Promise<void> {
    const added = files.map((file) => ({ name: file.name || 'picture', picture: file }));
    const all = [...this.pictures.peek(), ...added].slice(0, maxPictures);
    if (all.length === this.pictures.peek().length) return;
    this.pictures.value = all;
    await this.onPicturesChanged();
  }

  async removePicture(picture: DraftPicture): Promise<void> {
    this.pictures.value = this.pictures.peek().filter((one) => one !== picture);
    await this.onPicturesChanged();
  }

  /** A new class starts from what is read from its pictures; one that is edited keeps its values. */
  private async onPicturesChanged(): Promise<void> {
    if (this.editing !== null) return;
    const isEmpty = this.pictures.peek().length === 0;
    if (isEmpty && this.start.peek() !== startFromExamples) return;
    await this.startFrom(isEmpty ? startFromNothing : startFromExamples);
  }

  /** What is read from the pictures, as a draft; what was changed before stays as it is. */
  private async readPictures(): Promise<void> {
    const changed = Array.from(this.changed.peek(), (name) => [name, this.values.get(name)!.peek()] as const);
    await this.during('reading', async () => {
      const content = { name: this.name.peek().trim() || unnamed };
      const pictures = this.pictures.peek();
      const { previews } = await ask((client) => client.previewClass(content, { pictures }));
      if (this.start.peek() !== startFromExamples) return;
      this.setKnown({}, previews[0]);
      batch(() => {
        for (const [name, value] of changed) this.values.get(name)!.value = value;
      });
    });
  }

  /** What is known of a class, and what is filled in of it. */
  private setKnown(attributes: Readonly<Record<string, number>>, drafted: DraftedValues): void {
    const { filled = {}, certainty = {} } = drafted;
    this.setValues(({ name, minimum }) => valueIn(attributes, name) ?? valueIn(filled, name) ?? minimum);
    this.certainty.value = new Map(Object.keys(filled).map((name) => [name, valueIn(certainty, name) ?? 0]));
  }

  /** Only what is changed from here on is given. Near the middle, but off the round values that people give: one that is left as it is counts as not known. */
  private setUnknown(): void {
    this.setValues(({ minimum, maximum }) => minimum + 0.47 * (maximum - minimum));
    this.certainty.value = new Map(Array.from(this.values.keys(), (name) => [name, 0]));
  }

  /** The dry run: nothing is changed. A class that could not be read is read first: what it has must not be replaced by what the sliders began with. */
  async check(): Promise<void> {
    if (this.editing !== null && this.etag === undefined) {
      await this.read(this.editing);
      return;
    }
    const content = this.content.peek();
    await this.during('checking', async () => {
      const { described, pictures } = content;
      const { previews } = await ask((client) => client.previewClass(described, { pictures }));
      this.checked.value = { content, preview: previews[0] };
    });
  }

  /** True when it is stored and recognised from now on. */
  save(): Promise<boolean> {
    const { described: content, pictures } = this.content.peek();
    return this.during('saving', async () => {
      const stored = await ask((client) => {
        if (this.editing === null) return client.createClass(content, { pictures });
        return client.replaceClass(content, this.etag!); // it is read before it can be tried out
      });
      if (this.editing !== null) this.etag = stored.etag; // should its pictures be refused, it is saved again
      let { registryRevision } = stored;
      if (this.editing !== null && pictures.length > 0)
        ({ registryRevision } = await ask((client) => client.addExamples(content.name, pictures)));
      noteRevision(registryRevision);
      await Promise.all([loadClasses(), classify()]);
    });
  }

  private async during(doing: Doing, work: () => Promise<void>): Promise<boolean> {
    const turn = ++this.turns; // another start may be chosen while the first is still being read
    this.doing.value = doing;
    this.problem.value = null;
    try {
      await work();
      return true;
    } catch (error) {
      if (turn === this.turns) this.problem.value = asProblem(error);
      return false;
    } finally {
      if (turn === this.turns) this.doing.value = null;
    }
  }

  private setValues(valueOf: (attribute: Attribute) => number): void {
    batch(() => {
      this.certainty.value = new Map();
      for (const attribute of attributesByName.peek().values())
        this.values.get(attribute.name)!.value = valueOf(attribute);
      this.origin.value = this.snapshot();
    });
  }

  private snapshot(): Map<string, number> {
    return new Map(Array.from(this.values, ([name, value]) => [name, value.peek()]));
  }
}

function valueIn(values: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** What held-out classes reached counts more than pictures as the model imagines them, which it mostly recognises too well. */
function doubtOf({ plausible, expected, recognised, confusedWith }: ClassPreview): Doubt | null {
  if (!plausible) return 'implausible';
  if ((confusedWith[0]?.probability ?? 0) >= muchConfused) return 'confused';
  return (expected ?? recognised) < hardlyRecognised ? 'hardly-recognised' : null;
}

/** The one that is open; null when none is. */
export const draft = signal<ClassDraft | null>(null);

export function addClass(start?: string): void {
  const opened = new ClassDraft(null);
  draft.value = opened;
  void opened.startFrom(start ?? answer.value?.predictions.at(0)?.class ?? startFromNothing);
}

export function editClass(name: string): void {
  const opened = new ClassDraft(name);
  draft.value = opened;
  void opened.read(name);
}
