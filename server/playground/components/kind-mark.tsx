import type { Kind } from '../state/classes.js';

const explanations: Readonly<Record<Kind, string>> = {
  seen: 'training had pictures of it',
  unseen: 'training had no pictures of it',
  added: 'described while serving, by attributes, pictures, or both',
};

export const allKinds = Object.keys(explanations) as readonly Kind[];

/** Distinguished by word, by pattern and by colour. */
export function KindMark({ kind }: { readonly kind: Kind }) {
  return (
    <span class={`kind kind-${kind}`} title={explanations[kind]}>
      {kind}
    </span>
  );
}

export function explainKind(kind: Kind): string {
  return explanations[kind];
}
