/** Sky, clouds, sea and pole, drawn as SVG from seeded choices. */
import type { Random } from '../../core/random.js';
import type { Pose } from './cloth.js';

export const pictureWidth = 320;
export const pictureHeight = 240;

type Rgb = readonly [number, number, number];

/** Colours of the sky overhead and at the horizon, and of the sea, in weathers that a signal is read in. */
const weathers: readonly { overhead: Rgb; horizon: Rgb; sea: Rgb }[] = [
  { overhead: [72, 128, 196], horizon: [186, 212, 232], sea: [38, 84, 116] },
  { overhead: [120, 166, 210], horizon: [226, 232, 234], sea: [62, 110, 126] },
  { overhead: [150, 158, 166], horizon: [198, 202, 204], sea: [88, 102, 108] },
  { overhead: [108, 116, 128], horizon: [164, 168, 172], sea: [56, 66, 74] },
  { overhead: [112, 130, 172], horizon: [238, 196, 158], sea: [70, 78, 98] },
];

export function drawScene(pose: Pose, random: Random): string {
  const between = (low: number, high: number): number => low + (high - low) * random.uniform();
  const weather = weathers[random.integer(weathers.length)];
  const vary = (colour: Rgb): string =>
    `rgb(${colour.map((value) => Math.round(value * between(0.9, 1.1))).join(',')})`;
  const horizon = pictureHeight * between(0.6, 1.15); // below the frame: sky only
  const clouds = Array.from({ length: random.integer(9) }, () => {
    const shade = Math.round(between(190, 250));
    return (
      `<ellipse cx="${between(0, pictureWidth)}" cy="${between(0, horizon)}" rx="${between(20, 90)}" ` +
      `ry="${between(6, 24)}" fill="rgb(${shade},${shade},${shade})" opacity="${between(0.2, 0.8)}"/>`
    );
  });
  const swell = Array.from({ length: 30 }, () => {
    const y = horizon + (pictureHeight - horizon) * between(0.02, 1);
    const x = between(-20, pictureWidth);
    const bright = random.uniform() < 0.5 ? '255,255,255' : '0,0,0';
    return `<path d="M${x},${y}q${between(8, 30)},${between(-3, 3)} ${between(20, 60)},0" stroke="rgb(${bright})"/>`;
  });
  const lean = pose.roll + between(-0.02, 0.02);
  const [hoistX, hoistY] = hoistMiddle(pose);
  const grey = Math.round(between(40, 220));
  const thickness = between(2, 6);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pictureWidth}" height="${pictureHeight}"><defs>` +
    `<linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${vary(weather.overhead)}"/>` +
    `<stop offset="1" stop-color="${vary(weather.horizon)}"/></linearGradient>` +
    `<linearGradient id="sea" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="${vary(weather.horizon)}"/>` +
    `<stop offset="0.15" stop-color="${vary(weather.sea)}"/><stop offset="1" stop-color="${vary(weather.sea)}"/>` +
    `</linearGradient><filter id="soft"><feGaussianBlur stdDeviation="9"/></filter></defs>` +
    `<rect width="100%" height="${horizon}" fill="url(#sky)"/><g filter="url(#soft)">${clouds.join('')}</g>` +
    `<rect y="${horizon}" width="100%" height="${Math.max(1, pictureHeight - horizon)}" fill="url(#sea)"/>` +
    `<g fill="none" opacity="${between(0.1, 0.35)}">${swell.join('')}</g>` +
    `<rect x="${hoistX - thickness}" y="-400" width="${thickness}" height="1000" fill="rgb(${grey},${grey},${grey})" ` +
    `transform="rotate(${(lean * 180) / Math.PI} ${hoistX} ${hoistY})"/></svg>`
  );
}

function hoistMiddle({ centre, height, yaw, roll, distance }: Pose): [number, number] {
  const half = (2 / 3) * Math.cos(yaw);
  const scale = (height * distance) / (distance + (2 / 3) * Math.sin(yaw));
  return [centre[0] - half * Math.cos(roll) * scale, centre[1] - half * Math.sin(roll) * scale];
}
