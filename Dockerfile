# Built with BuildKit, for linux/amd64 and linux/arm64:
#   docker build -t stave .
#
# Node comes from the npm registry like every other package (package.json, optionalDependencies): the
# one that the tests ran on, held by its hash in package-lock.json. The first stage only lends its npm.

FROM --platform=$BUILDPLATFORM node:24.21.0-slim AS packages
ARG TARGETARCH
WORKDIR /app
COPY package.json package-lock.json ./
# No package runs a script or compiles, so those for another processor install just as well.
RUN case "$TARGETARCH" in arm64) cpu=arm64 ;; *) cpu=x64 ;; esac \
 && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --cpu=$cpu --libc=glibc \
 && rm -rf node_modules/node-linux-*/include node_modules/node-linux-*/share

FROM debian:bookworm-slim
# Node's one need beyond the C library.
RUN apt-get update \
 && apt-get install -y --no-install-recommends libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -m 700 -o 10001 -g 10001 /data \
 && ln -s /app/src/main.ts /usr/local/bin/stave
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY LICENSE package.json ./
COPY deploy/create-bucket.mjs deploy/
COPY src src
ENV PATH=/app/node_modules/.bin:/usr/local/bin:/usr/bin:/bin \
    HOST=0.0.0.0 \
    PORT=8080 \
    STAVE_DATA=/data
# By number, so that a cluster can see that it is not root.
USER 10001:10001
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health-check').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The process itself, no shell before it: signals reach it. `docker run stave doctor` runs another command.
ENTRYPOINT ["node", "/app/src/main.ts"]
CMD ["serve"]
