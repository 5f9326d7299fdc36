/**
 * Type and colours of every page: playground, API page and reports take them from here, and nowhere else.
 * A colour is written once, for light and for dark; pages name it by its meaning.
 */
type LightAndDark = readonly [light: string, dark: string];

const colours: Readonly<Record<string, LightAndDark>> = {
  paper: ['#f6f5f1', '#14161a'],
  panel: ['#fffefb', '#1b1e23'],
  sunk: ['#eeece5', '#24282f'],
  line: ['#dcd8cd', '#343941'],
  'line-strong': ['#8b8677', '#7d8591'],
  ink: ['#1d1f22', '#eceae4'],
  'ink-soft': ['#5a5a55', '#a9aab0'],
  // Seen is cool and unseen is warm, with contrast between them for eyes that see no colours, too.
  seen: ['#2f5f86', '#8dbbe2'],
  'seen-soft': ['#dce8f1', '#203443'],
  unseen: ['#a8480a', '#f2a766'],
  'unseen-soft': ['#f8e4d3', '#3f2c1c'],
  good: ['#2c6e49', '#86cfa6'],
  fair: ['#8a5a00', '#e3c16f'],
  bad: ['#a32a2a', '#ff9d94'],
  'bad-soft': ['#f9e3e0', '#402321'],
  focus: ['#1f5fbf', '#9cc4ff'],
};

/** What a browser paints around a page before it has read the style sheet. */
export const [paperLight, paperDark] = colours.paper;

const declarations = Object.entries(colours).map(
  ([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`,
);

export const fontName = 'Instrument Sans';

export const lookTokens = `:root {
  color-scheme: light dark;
  ${declarations.join('\n  ')}
  --font: '${fontName}', ui-sans-serif, system-ui, sans-serif;
  --font-code: ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace;
  --radius: 0.75rem;
}
`;
