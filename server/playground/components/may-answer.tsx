import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { ClassifyResponse } from '../../../client/index.js';
import { classes } from '../state/classes.js';
import { percentInWords } from '../state/figures.js';
import {
  allowAll,
  allowClass,
  allowedClasses,
  allowedGroup,
  groupFamilies,
  family,
  groups,
  leastPercent,
  loadGroups,
  restriction,
  restrictionWords,
} from '../state/may-answer.js';
import { classify } from '../state/picture.js';

/** Stays open when another picture is chosen. */
const isOpen = signal(false);

/** Probabilities are over those that may answer. */
export function MayAnswerChoice() {
  return (
    <details
      class="may-answer"
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
        if (currentTarget.open && groups.peek() === null) void loadGroups();
      }}
    >
      <summary>
        Which classes may answer <span class="fine">{restrictionWords()}</span>
      </summary>
      <div class="may-answer-fields">
        <ClassPicker />
        <div class="may-answer-choices">
          <Choice
            label="Classes of a group"
            none="any"
            value={allowedGroup}
            names={(groups.value ?? []).map(({ name }) => name)}
          />
          <Choice label="Also sum by family" none="no" value={family} names={groupFamilies.value} />
          <label class="field">
            Minimum probability, in percent
            <input
              type="number"
              min={0}
              max={99}
              value={leastPercent.value}
              onChange={({ currentTarget }) => {
                leastPercent.value = Math.min(99, Math.max(0, currentTarget.valueAsNumber || 0));
                void classify();
              }}
            />
          </label>
        </div>
        {Object.keys(restriction.value).length > 0 && (
          <button
            type="button"
            class="button"
            onClick={() => {
              allowAll();
              void classify();
            }}
          >
            Allow all classes
          </button>
        )}
      </div>
    </details>
  );
}

function ClassPicker() {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const add = (): void => {
    const found = allowClass(text.trim());
    setProblem(found);
    if (found !== null) return;
    setText('');
    void classify();
  };
  return (
    <div class="may-answer-classes">
      <label class="field" for="may-answer-class">
        Only these classes
      </label>
      <input
        id="may-answer-class"
        type="text"
        list="may-answer-names"
        placeholder="Name of a class"
        value={text}
        aria-describedby={problem === null ? undefined : 'may-answer-problem'}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
        }}
      />
      <datalist id="may-answer-names">
        {(classes.value ?? []).slice(0, 1000).map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <button type="button" class="button" disabled={text.trim() === ''} onClick={add}>
        Allow this class
      </button>
      {problem !== null && (
        <p id="may-answer-problem" class="may-answer-problem" role="alert">
          {problem}
        </p>
      )}
      {allowedClasses.value.length > 0 && (
        <ul aria-label="Classes that may answer">
          {allowedClasses.value.map((name) => (
            <li key={name}>
              {name}{' '}
              <button
                type="button"
                class="link"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  allowedClasses.value = allowedClasses.value.filter((one) => one !== name);
                  void classify();
                }}
              >
                remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ChoiceProperties {
  readonly label: string;
  /** What nothing is called. */
  readonly none: string;
  readonly value: { value: string };
  readonly names: readonly string[];
}

function Choice({ label, none, value, names }: ChoiceProperties) {
  return (
    <label class="field">
      {label}
      <select
        value={value.value}
        disabled={names.length === 0}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.value;
          void classify();
        }}
      >
        <option value="">{none}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

export function RolledUp({ rollUp }: { readonly rollUp: NonNullable<ClassifyResponse['rollUp']> }) {
  return (
    <dl class="rolled-up" aria-label={`Summed by ${rollUp.family}`}>
      {rollUp.groups.map(({ group, probability }) => (
        <div key={group}>
          <dt>{group}</dt>
          <dd>{percentInWords(probability)}</dd>
        </div>
      ))}
      {rollUp.ungrouped > 0 && (
        <div>
          <dt>in no group</dt>
          <dd>{percentInWords(rollUp.ungrouped)}</dd>
        </div>
      )}
    </dl>
  );
}
