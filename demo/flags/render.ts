/**
 * A synthetic photograph of a flag: cloth in the wind before sky and sea, through an imperfect camera. The same seed
 * gives the same bytes.
 */
import sharp from 'sharp';
import { Random } from '../../core/random.js';
import { drawWind, placeCloth, type Pose } from './cloth.js';
import type { Colour, FlagDescription } from './description.js';
import { drawFlat, standardDyes, type Dyes } from './drawing.js';
import { paintCloth, type Texture } from './paint.js';
import { drawScene, pictureHeight, pictureWidth } from './scene.js';

const textureHeight = 240;
/** Supersampling factor: the cloth is painted larger and averaged down, for smooth edges. */
const oversampling = 2;

export async function renderFlag(flag: FlagDescription, random: Random): Promise<Buffer> {
  const pose = drawPose(random);
  const texture = await drawTexture(flag, drawDyes(random));
  const cloth = paintCloth(
    placeCloth(drawWind(random), enlarged(pose), drawLight(random)),
    texture,
    pictureWidth * oversampling,
    pictureHeight * oversampling,
  );
  const scene = await pixelsOf(drawScene(pose, random));
  return photograph(layOver(scene.data, cloth), random);
}

function drawPose(random: Random): Pose {
  const between = betweenOf(random);
  const height = between(120, 185);
  return {
    yaw: between(-0.5, 0.5),
    pitch: between(-0.2, 0.2),
    roll: between(-0.14, 0.14),
    height,
    centre: [pictureWidth * between(0.46, 0.54), pictureHeight * between(0.45, 0.55)],
    distance: between(3, 8),
  };
}

function enlarged(pose: Pose): Pose {
  const [x, y] = pose.centre;
  return { ...pose, height: pose.height * oversampling, centre: [x * oversampling, y * oversampling] };
}

/** Toward the light: mostly from the camera's side, so that a signal can be read. */
function drawLight(random: Random): readonly [number, number, number] {
  const between = betweenOf(random);
  const [x, y, z] = [between(-0.8, 0.8), between(-0.8, 0.2), 1];
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** No two makers dye alike, and flags fade. */
function drawDyes(random: Random): Dyes {
  const between = betweenOf(random);
  const fade = between(0, 0.15);
  const dye = (hex: string): string => {
    const channels = [1, 3, 5].map((at) => {
      const value = parseInt(hex.slice(at, at + 2), 16) + between(-12, 12);
      return Math.round(Math.max(0, Math.min(255, value + (200 - value) * fade)));
    });
    return `rgb(${channels.join(',')})`;
  };
  return Object.fromEntries(
    Object.entries(standardDyes).map(([colour, hex]) => [colour, dye(hex)]),
  ) as Record<Colour, string>;
}

async function drawTexture(flag: FlagDescription, dyes: Dyes): Promise<Texture> {
  return pixelsOf(drawFlat(flag, textureHeight, dyes));
}

async function pixelsOf(svg: string): Promise<Texture> {
  const { data, info } = await sharp(Buffer.from(svg))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}

/** The cloth, averaged down, over the scene: RGB, 0..255. */
function layOver(scene: Uint8Array, cloth: Uint8Array): Float32Array {
  const picture = new Float32Array(pictureWidth * pictureHeight * 3);
  const stride = pictureWidth * oversampling;
  const samples = oversampling * oversampling;
  for (let y = 0; y < pictureHeight; y++) {
    for (let x = 0; x < pictureWidth; x++) {
      let [red, green, blue, cover] = [0, 0, 0, 0];
      for (let sample = 0; sample < samples; sample++) {
        const row = y * oversampling + Math.floor(sample / oversampling);
        const from = (row * stride + x * oversampling + (sample % oversampling)) * 4;
        red += cloth[from];
        green += cloth[from + 1];
        blue += cloth[from + 2];
        cover += cloth[from + 3];
      }
      const open = 1 - cover / (255 * samples); // the cloth leaves this much of the scene in view
      const at = y * pictureWidth + x;
      picture[at * 3] = red / samples + open * scene[at * 4];
      picture[at * 3 + 1] = green / samples + open * scene[at * 4 + 1];
      picture[at * 3 + 2] = blue / samples + open * scene[at * 4 + 2];
    }
  }
  return picture;
}

/** Exposure, white balance, sensor noise, an imperfect lens, and JPEG. */
async function photograph(picture: Float32Array, random: Random): Promise<Buffer> {
  const between = betweenOf(random);
  const exposure = between(0.8, 1.15);
  const warmth = between(-0.06, 0.06);
  const gains = [exposure * (1 + warmth), exposure, exposure * (1 - warmth)];
  const noise = between(0, 10);
  const [blur, quality] = [between(0.3, 1.4), Math.round(between(70, 95))];
  const exposed = new Uint8ClampedArray(picture.length);
  for (let i = 0; i < picture.length; i++) {
    const word = random.word(); // the sum of its four bytes is near enough to normal, and quick
    const deviate = ((word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255) + (word >>> 24) - 510) / 148;
    exposed[i] = picture[i] * gains[i % 3] + deviate * noise;
  }
  const raw = { width: pictureWidth, height: pictureHeight, channels: 3 } as const;
  return sharp(exposed, { raw }).blur(blur).jpeg({ quality }).toBuffer();
}

function betweenOf(random: Random): (low: number, high: number) => number {
  return (low, high) => low + (high - low) * random.uniform();
}
