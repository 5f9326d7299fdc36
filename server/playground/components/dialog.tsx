import { useLayoutEffect, useRef } from 'preact/hooks';

interface Properties {
  readonly label: string;
  readonly class?: string;
  readonly close: () => void;
  readonly children: preact.ComponentChildren;
}

/** Native: it keeps the focus inside, gives it back afterwards, and closes by Escape. Mounted means open. */
export function Dialog({ label, class: name = '', close, children }: Properties) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => {
      dialog.close(); // before it goes: only a dialog that is closed gives the focus back
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={`dialog ${name}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
    >
      {children}
    </dialog>
  );
}
