interface Properties {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly change: (text: string) => void;
}

/** Narrows a list while it is written in. */
export function SearchField({ label, placeholder, value, change }: Properties) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={({ currentTarget }) => {
        change(currentTarget.value);
      }}
    />
  );
}
