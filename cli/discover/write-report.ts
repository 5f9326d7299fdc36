/** The folder that `unseen discover` writes, published by one rename. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { squareThumbnail } from '../../core/backbone/thumbnail.js';
import { ungroupedAdvice, type Discovery } from '../../core/discovery/discovery.js';
import { writeDirectory } from '../../core/atomic-directory.js';
import {
  classesTable,
  groupsTable,
  maxExamples,
  reportedGroups,
  type ReportedGroup,
} from './group-report.js';
import { discoveryPage, groupsWithPictures, picturesPerGroup, thumbnailSide } from './page.js';

export interface ReportedDiscovery {
  readonly groups: readonly ReportedGroup[];
  /** Pictures or rows that look like no known class, but belong to no group. */
  readonly ungrouped: readonly string[];
  /** What to make of these; empty where there are none. */
  readonly advice: string;
}

/** `images`: the folder that the names are files of; null where they are rows of a dataset. */
export async function writeDiscovery(
  out: string,
  discovery: Discovery,
  names: readonly string[],
  images: string | null,
): Promise<ReportedDiscovery> {
  const groups = reportedGroups(discovery, names);
  const { pictures } = discovery;
  const ungrouped = discovery.ungrouped.map((row) => names[row]);
  const advice = ungroupedAdvice(ungrouped.length, pictures);
  const thumbnails = images === null ? new Map<string, Buffer>() : await thumbnailsOf(groups, images);
  await writeDirectory(
    out,
    {
      'groups.json': `${JSON.stringify({ pictures, groups, ungrouped }, null, 2)}\n`,
      'groups.csv': groupsTable(groups),
      'classes.csv': classesTable(groups, images !== null),
      'groups.html': discoveryPage(groups, { pictures, advice }, thumbnails),
    },
    { beforePublishing: (folder) => copyExamples(folder, groups, images) },
  );
  return { groups, ungrouped, advice };
}

async function thumbnailsOf(groups: readonly ReportedGroup[], images: string): Promise<Map<string, Buffer>> {
  const made = new Map<string, Buffer>();
  for (const { members } of groups.slice(0, groupsWithPictures))
    for (const file of members.slice(0, picturesPerGroup)) {
      const small = await squareThumbnail(await readFile(join(images, file)), thumbnailSide);
      if (small) made.set(file, small);
    }
  return made;
}

/** Copies, so that the folder is whole when the pictures move; numbered, because files of several folders may have one name. */
async function copyExamples(
  folder: string,
  groups: readonly ReportedGroup[],
  images: string | null,
): Promise<void> {
  if (images === null) return;
  for (const { name, members } of groups) {
    const target = join(folder, 'examples', name);
    await mkdir(target, { recursive: true });
    for (const [i, file] of members.slice(0, maxExamples).entries())
      await copyFile(join(images, file), join(target, `${String(i + 1).padStart(2, '0')}${extname(file)}`));
  }
}
