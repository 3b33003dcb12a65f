# Needs BuildKit. Platforms: linux/amd64 and linux/arm64.
#   docker build -t stave .
#
# Node is a package from the npm registry (optionalDependencies in package.json): the same version as in
# the tests, pinned by its hash in package-lock.json. The first two stages are used only for their npm.

FROM --platform=$BUILDPLATFORM node:24.21.0-slim AS packages
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json ./
# node_modules contains links to these packages.
COPY packages packages
# No package runs a script or compiles code, so packages for another processor can be installed.
RUN case "$TARGETARCH" in arm64) cpu=arm64 ;; *) cpu=x64 ;; esac \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --cpu=$cpu --libc=glibc \
 && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share \
 && rm -rf node_modules/rolldown node_modules/@rolldown node_modules/preact node_modules/@preact

# Builds the explorer and the bundles, on the processor of the builder.
FROM --platform=$BUILDPLATFORM node:24.21.0-slim AS explorer
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY packages packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY bin bin
COPY scripts/ensure-built.mjs scripts/bundle-packages.mjs scripts/with-node scripts/
COPY web web
RUN node scripts/ensure-built.mjs --always

FROM debian:bookworm-slim
# The only library that Node needs besides the C library.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -m 700 -o 10001 -g 10001 /data \
 && ln -s /app/bin/main.mjs /usr/local/bin/stave
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=explorer /app/node_modules/.stave node_modules/.stave
# Links Node by the path of its package, because npm may not have linked its command.
RUN ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node
COPY LICENSE NOTICE package.json ./
COPY deploy/create-bucket.mjs deploy/
COPY bin bin
COPY packages packages
COPY src src
COPY --from=explorer /app/web/dist web/dist
# The guides that Stave serves at /docs.
COPY docs docs
# The limits on memory that bin/stave sets too.
ENV HOST=0.0.0.0 \
    PORT=8080 \
    STAVE_DATA=/data \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=262144
# A number, so that a cluster can verify that the user is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health-check').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# No shell, so that Stave receives signals. `docker run stave doctor` runs another command.
ENTRYPOINT ["node", "/app/bin/main.mjs"]
CMD ["serve"]
