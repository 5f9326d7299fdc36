import { useState } from 'preact/hooks';
import { counted, figure, percentInWords } from '../state/figures.js';
import { gallery } from '../state/gallery.js';
import {
  dismissSearch,
  findMissingClasses,
  saveGroup,
  search,
  searchProblem,
  type ShownGroup,
} from '../state/missing-classes.js';
import { ProblemNotice } from './problem-notice.js';

const shownPictures = 12;
const shownAttributes = 6;
const fewest = 3;

/** Groups of the pictures above that are none of the known classes, each to be named. */
export function MissingClasses() {
  const { value } = search;
  const isBusy = value.step === 'sending' || value.step === 'asking';
  if (gallery.value.length < fewest) return null;
  return (
    <section class="missing-classes" aria-labelledby="missing-title" aria-busy={isBusy}>
      <div class="missing-head">
        <h3 id="missing-title">Missing classes</h3>
        <button type="button" class="button" disabled={isBusy} onClick={() => void findMissingClasses()}>
          Find missing classes
        </button>
        {value.step === 'shown' && (
          <button type="button" class="link" onClick={() => void dismissSearch()}>
            Done
          </button>
        )}
      </div>
      <p role="status">{wordsOf()}</p>
      {searchProblem.value && <ProblemNotice problem={searchProblem.value} />}
      {value.step === 'shown' && (
        <ol>
          {value.groups.map((group) => (
            <li key={group.members[0]}>
              <Group group={group} files={value.files} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function wordsOf(): string {
  const { value } = search;
  if (value.step === 'sending') return `Sending pictures: ${value.sent} of ${value.total}`;
  if (value.step === 'asking') return 'Looking for groups';
  if (value.step === 'idle')
    return 'Finds groups of pictures that belong to none of the known classes, for you to name.';
  const among = `among ${counted(value.pictures, 'picture')}`;
  if (value.groups.length === 0) return `No group ${among} looks like a missing class. ${value.advice}`;
  return `${counted(value.groups.length, 'group')} ${among} may be a missing class. ${value.advice}`;
}

function Group({ group, files }: { readonly group: ShownGroup; readonly files: ReadonlyMap<string, File> }) {
  const [name, setName] = useState('');
  const [isSaving, setSaving] = useState(false);
  const pictures = group.members.slice(0, shownPictures).flatMap((id) => addressOf(files.get(id)) ?? []);
  const sure = Object.keys(group.attributes)
    .sort((a, b) => group.certainty[b] - group.certainty[a])
    .slice(0, shownAttributes);
  return (
    <form
      class="missing-group"
      onSubmit={(event) => {
        event.preventDefault();
        setSaving(true);
        void saveGroup(group, name.trim()).finally(() => {
          setSaving(false);
        });
      }}
    >
      <div class="missing-pictures">
        {pictures.map((address) => (
          <img key={address} src={address} alt="" loading="lazy" />
        ))}
      </div>
      <p>
        {counted(group.pictures, 'picture')}, taken for{' '}
        {group.nearest.map((one) => `${one.name} (${percentInWords(one.probability)})`).join(', ')}.
      </p>
      <p class="fine">
        Read from them:{' '}
        {sure
          .map(
            (one) => `${one} ${figure(group.attributes[one])} (${percentInWords(group.certainty[one])} sure)`,
          )
          .join(', ')}
      </p>
      {group.doubts.map((doubt) => (
        <p key={doubt}>
          <strong>{doubt}</strong>
        </p>
      ))}
      <div class="missing-head">
        <label>
          Name of the class{' '}
          <input
            required
            value={name}
            onInput={({ currentTarget }) => {
              setName(currentTarget.value);
            }}
          />
        </label>
        <button type="submit" class="button" disabled={isSaving || name.trim() === ''}>
          Save as a class
        </button>
      </div>
    </form>
  );
}

/** The grid has one for each of its pictures already. */
function addressOf(file: File | undefined): string | undefined {
  return gallery.value.find(({ content }) => content === file)?.address;
}
