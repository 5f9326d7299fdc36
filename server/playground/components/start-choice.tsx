import {
  startFromExamples,
  startFromKept,
  startFromNothing,
  startFromPicture,
  startFromUnknown,
  type ClassDraft,
} from '../state/class-draft.js';
import { classes, kindOf, type Kind } from '../state/classes.js';
import { answer } from '../state/picture.js';

const groups: readonly (readonly [Kind, string])[] = [
  ['added', 'Added classes'],
  ['unseen', 'Unseen classes'],
  ['seen', 'Seen classes'],
];

export function StartChoice({ draft }: { readonly draft: ClassDraft }) {
  return (
    <label class="field">
      Start from
      <select
        value={draft.start.value}
        onChange={({ currentTarget }) => void draft.startFrom(currentTarget.value)}
      >
        {draft.start.value === startFromKept && (
          <option value={startFromKept}>Your draft from before the page was reloaded</option>
        )}
        {answer.value?.explanation && (
          <option value={startFromPicture}>What was read from the picture</option>
        )}
        {draft.pictures.value.length > 0 && (
          <option value={startFromExamples}>What is read from its pictures</option>
        )}
        <option value={startFromUnknown}>Nothing is known: what you leave alone is filled in</option>
        <option value={startFromNothing}>Nothing: every attribute at its minimum</option>
        {groups.map(([kind, label]) => (
          <optgroup key={kind} label={label}>
            {classes.value
              ?.filter((one) => kindOf(one) === kind)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}
