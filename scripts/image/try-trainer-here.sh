#!/usr/bin/env bash
# Goes the way of k8s/jobs in the trainer's root file system that build-here.sh made: pictures to features in two shares, a
# dataset from them, and a bundle, with settings so small that it takes a minute. The pictures are flags that it draws.
#
#   scripts/image/try-trainer-here.sh [WEIGHTS|baked]      (default: models/weights, filled by "unseen backbone pull")
source "$(dirname "$0")/here.sh"

weights=$(find_weights "${1:-}")
open_image unseen-trainer
trap close_image EXIT
unseen() { (inside "${entrypoint[@]}" "$@"); }

echo 'Drawing flags with the image itself …'
(inside node --input-type=module -e '
  const at = (name) => import(`/app/dist/demo/flags/${name}.js`);
  const { mkdir, writeFile } = await import("node:fs/promises");
  const { Random } = await import("/app/dist/core/random.js");
  const [{ inventedFlags }, { renderFlag }, { attributesOf, attributeNames }] =
    await Promise.all(["invented", "render", "attributes"].map(at));
  const flags = inventedFlags.slice(0, 12);
  for (const flag of flags) {
    await mkdir(`/data/pictures/${flag.name}`, { recursive: true });
    for (let i = 0; i < 5; i++)
      await writeFile(`/data/pictures/${flag.name}/${i}.jpg`, await renderFlag(flag, Random.stream(i, flag.name)));
  }
  const rows = flags.map((flag) => [flag.name, ...attributesOf(flag)].join(","));
  await writeFile("/data/attributes.csv", [["class", ...attributeNames].join(","), ...rows, ""].join("\n"));
  await writeFile("/data/small.json", JSON.stringify({
    generator: { hidden: 64, predictorHidden: 32, members: 1, noiseWidth: 8, epochs: 4, batchSize: 16, transport: { iterations: 5 } },
    head: { samplesPerClass: 20, iterations: 20 },
    validation: { folds: 1 },
  }));
')

echo "npm $(inside npm --version) is there to fetch backbones."
extract=(extract --images /data/pictures --attributes /data/attributes.csv --out /data/dataset)
unseen "${extract[@]}" --shard 1/2
unseen "${extract[@]}" --shard 2/2
unseen extract merge --out /data/dataset
unseen train --data /data/dataset --out /data/bundles/first --config /data/small.json --resume
unseen inspect /data/bundles/first
