import { useState } from 'preact/hooks';
import { addClass, editClass } from '../state/class-draft.js';
import {
  classes,
  classesProblem,
  kindOf,
  loadClasses,
  type Kind,
  type ListedClass,
} from '../state/classes.js';
import { counted } from '../state/figures.js';
import { model } from '../state/model.js';
import { plainWords } from '../state/plain-words.js';
import { removing } from '../state/removing.js';
import { KindMark } from './kind-mark.js';
import { ProblemNotice } from './problem-notice.js';
import { SearchField } from './search-field.js';

const kinds: readonly (Kind | 'all')[] = ['all', 'seen', 'unseen', 'added'];
/** More than this at a time only when asked for: there may be thousands. */
const shownAtFirst = 24;

export function ClassesPanel() {
  const [search, setSearch] = useState('');
  const [kind, setKind] = useState<Kind | 'all'>('all');
  const wanted = search.trim().toLowerCase();
  const found = classes.value?.filter(
    (one) => (kind === 'all' || kindOf(one) === kind) && one.name.toLowerCase().includes(wanted),
  );
  return (
    <section class="panel classes-panel" aria-labelledby="classes-title">
      <header class="classes-head">
        <h2 id="classes-title">Classes</h2>
        <button
          type="button"
          class="button button-main"
          disabled={!model.value}
          onClick={() => {
            addClass();
          }}
        >
          Add a class
        </button>
      </header>
      <p class="fine">
        What the model can answer. Describe another class, and it is recognised from the next picture on.
      </p>
      <div class="classes-tools">
        <SearchField label="Search classes" placeholder="Search by name" value={search} change={setSearch} />
        <div class="choice" role="group" aria-label="Kind of class">
          {kinds.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === kind}
              onClick={() => {
                setKind(one);
              }}
            >
              {one}
            </button>
          ))}
        </div>
        <p class="fine" role="status">
          {found && counted(found.length, 'class', 'classes')}
        </p>
      </div>
      {classesProblem.value && <ProblemNotice problem={classesProblem.value} retry={loadClasses} />}
      {found ? (
        <ClassList key={`${kind} ${wanted}`} list={found} />
      ) : (
        !classesProblem.value && (
          <div class="placeholder" data-busy>
            Reading the classes
          </div>
        )
      )}
    </section>
  );
}

function ClassList({ list }: { readonly list: readonly ListedClass[] }) {
  const [isWhole, setWhole] = useState(false);
  if (list.length === 0) return <div class="placeholder">No class has this name.</div>;
  return (
    <>
      <ul class="class-list">
        {(isWhole ? list : list.slice(0, shownAtFirst)).map((one) => (
          <ClassItem key={one.name} known={one} />
        ))}
      </ul>
      {!isWhole && list.length > shownAtFirst && (
        <button
          type="button"
          class="link"
          onClick={() => {
            setWhole(true);
          }}
        >
          Show the other {list.length - shownAtFirst}
        </button>
      )}
    </>
  );
}

function ClassItem({ known }: { readonly known: ListedClass }) {
  const { name, unusable, runtime, examples } = known;
  const actions: readonly (readonly [label: string, act: () => void])[] = runtime
    ? [
        [
          'Edit',
          () => {
            editClass(name);
          },
        ],
        [
          'Remove',
          () => {
            removing.value = known;
          },
        ],
      ]
    : [
        [
          'Use as start',
          () => {
            addClass(name);
          },
        ],
      ];
  return (
    <li class="class-item">
      <span class="class-name">
        {name}
        {examples > 0 && <span class="fine">{counted(examples, 'picture')}</span>}
        {unusable !== undefined && <span class="fine">does not compete: {plainWords(unusable)}</span>}
      </span>
      <KindMark kind={kindOf(known)} />
      <span class="class-actions">
        {actions.map(([label, act]) => (
          <button key={label} type="button" class="link" aria-label={`${label}: ${name}`} onClick={act}>
            {label}
          </button>
        ))}
      </span>
    </li>
  );
}
