import { useState } from 'preact/hooks';

interface Properties {
  readonly address: string;
  readonly alt: string;
  readonly class?: string;
  /** Shown in place of a file that the browser cannot show, instead of its broken picture. */
  readonly otherwise: preact.ComponentChildren;
}

/** A file that somebody chose: it may be no picture at all. */
export function PictureImage({ address, alt, class: name, otherwise }: Properties) {
  const [unreadable, setUnreadable] = useState<string | null>(null);
  if (address === unreadable) return otherwise;
  return (
    <img
      class={name}
      src={address}
      alt={alt}
      loading="lazy"
      decoding="async"
      onError={() => {
        setUnreadable(address);
      }}
    />
  );
}
