# Two images from one file: --target server (the last, so the default) and --target trainer.
#
#   docker build -t unseen-server .
#   docker build -t unseen-trainer --target trainer .
#   docker build -t unseen-server:cuda --build-arg ACCELERATOR=cuda .
#
# Arguments, with what they are for, are at their ARG lines; docs/deploying.md has the rest.

# cpu or cuda (CUDA 12, cuDNN 9).
ARG ACCELERATOR=cpu
# Bases. Give them by digest for builds that can be repeated: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:22-bookworm-slim
ARG CPU_IMAGE=debian:bookworm-slim
ARG CUDA_IMAGE=nvidia/cuda:12.6.3-cudnn-runtime-ubuntu22.04

FROM ${NODE_IMAGE} AS node
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY scripts/onnxruntime-install scripts/onnxruntime-install

# The program: TypeScript in, JavaScript out. Needs the development dependencies, which stay behind.
FROM node AS build
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=cache,target=/root/.npm \
    npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json vite.config.ts LICENSE ./
COPY scripts/make-executable.js scripts/client-package.js scripts/
COPY bench bench
COPY cli cli
COPY client client
COPY core core
COPY demo demo
COPY fixtures fixtures
COPY server server
COPY trainer trainer
COPY models/backbones.json models/
RUN npm run build \
    && rm -r dist/bench dist/fixtures \
    && find dist -name '*.d.ts' -delete

# What the program needs at run time, without other platforms' binaries. Nothing of it has to be compiled or downloaded by
# scripts. /node_modules is for what only the CUDA trainer has: Node looks there after /app/node_modules.
FROM node AS dependencies
COPY scripts/image/prune.js /prune.js
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=cache,target=/root/.npm \
    npm ci --omit=dev --ignore-scripts \
    && node /prune.js node_modules \
    && mkdir /node_modules

# Weights to bake in: a name of the catalogue, or "none" when a volume with them will be mounted at /weights.
FROM dependencies AS weights
COPY models/backbones.json models/resnet50-imagenet-int8.ranges.json models/
COPY --from=build /app/dist dist
ARG BACKBONE=none
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=cache,target=/root/.npm \
    mkdir -p /weights \
    && if [ "$BACKBONE" != none ]; then UNSEEN_CACHE=/weights node dist/cli/main.js backbone pull "$BACKBONE"; fi

FROM dependencies AS server-dependencies-cpu

# ONNX Runtime's CUDA provider is too large for npm; its own script fetches it. Called without npm, so that "skip" in
# .npmrc does not reach it.
FROM dependencies AS server-dependencies-cuda
RUN ONNXRUNTIME_NODE_INSTALL=cuda12 node node_modules/onnxruntime-node/script/install.js

FROM server-dependencies-cpu AS trainer-dependencies-cpu

# The second engine. Its install script fetches TensorFlow 2.9.1, and compiles the binding if there is no ready one.
# That TensorFlow is built for CUDA 11.2: without those libraries it computes on the CPU (docs/deploying.md).
FROM server-dependencies-cuda AS trainer-dependencies-cuda
RUN apt-get update \
    && apt-get install -y --no-install-recommends g++ make python3 \
    && rm -rf /var/lib/apt/lists/*
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=cache,target=/root/.npm \
    npm install --prefix / --no-save --omit=dev @tensorflow/tfjs-node-gpu@4.22.0

FROM server-dependencies-${ACCELERATOR} AS server-dependencies
FROM trainer-dependencies-${ACCELERATOR} AS trainer-dependencies

FROM ${CPU_IMAGE} AS base-cpu
FROM ${CUDA_IMAGE} AS base-cuda
RUN find /usr -name 'libcudnn.so.9*' | grep -q . && find /usr -name 'libcublas.so.12*' | grep -q . \
    || { echo 'CUDA_IMAGE must have CUDA 12 and cuDNN 9.' >&2; exit 1; }

# Everything that both images have. Only Node itself is taken from its image, so that any Debian or Ubuntu base will do.
FROM base-${ACCELERATOR} AS runtime
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libjemalloc2 libstdc++6 tini \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/* \
    && install -d -o 10001 -g 10001 /data
COPY --from=node /usr/local/bin/node /usr/local/bin/node
WORKDIR /app
COPY package.json LICENSE ./
COPY models/backbones.json models/resnet50-imagenet-int8.ranges.json models/
COPY models/verification models/verification
COPY --from=build /app/dist dist
COPY --from=weights /weights /weights
# HOME: the user has none, and npm and CUDA want to write their caches somewhere; the root file system may be read-only.
# LD_PRELOAD: decoded pictures of all sizes fragment glibc's heap; jemalloc gives memory back.
ENV NODE_ENV=production \
    HOME=/tmp \
    LD_PRELOAD=libjemalloc.so.2 \
    UNSEEN_CACHE=/weights
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Unseen" \
      org.opencontainers.image.description="Recognises image classes it has no pictures of." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
VOLUME ["/data"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/dist/cli/main.js"]

# Reads from /data and writes there. Has npm, because it may have to fetch a backbone.
FROM runtime AS trainer
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
COPY --from=trainer-dependencies /app/node_modules node_modules
COPY --from=trainer-dependencies /node_modules /node_modules
WORKDIR /data
USER 10001:10001
CMD ["--help"]

# Serves /bundle, which is the demonstration unless another is baked in (BUNDLE: a folder of the build context) or mounted there.
FROM runtime AS server
COPY --from=server-dependencies /app/node_modules node_modules
COPY scripts/image/healthcheck.js ./
ARG BUNDLE=models/demo
COPY ${BUNDLE} /bundle
ENV UNSEEN_BUNDLE=/bundle \
    UNSEEN_HOST=0.0.0.0 \
    UNSEEN_REGISTRY=sqlite:/data/classes.db
EXPOSE 8080
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --retries=3 CMD ["node", "/app/healthcheck.js"]
CMD ["serve"]
