interface Properties {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly change: (text: string) => void;
  /** Has the focus when the dialog around it opens. */
  readonly autofocus?: boolean;
}

/** Narrows a list while it is written in. */
export function SearchField({ label, placeholder, value, change, autofocus = false }: Properties) {
  return (
    <input
      type="search"
      autofocus={autofocus}
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => {
        change(currentTarget.value);
      }}
    />
  );
}
