# The image of a real-money server and of its scheduled pipeline: compose.yaml starts both from it. It has no package of
# the sandbox, the tests or a browser. docs/deploying.md says how to build and run it.

FROM node:22-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY lib/install.mjs lib/
# As make setup PRODUCTION=1. The package `node` has the Node that the project runs on; npm of the image only installs.
RUN node lib/install.mjs --omit=dev

FROM debian:trixie-slim
# libatomic1 and libstdc++6 are Node's libraries.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends bash ca-certificates libatomic1 libstdc++6 tzdata \
  && rm -rf /var/lib/apt/lists/*
# BROWSER=1 adds Chromium, for sites that build their lists with a script.
ARG BROWSER=0
RUN if [ "$BROWSER" = 1 ]; then \
    apt-get update && apt-get install --yes --no-install-recommends chromium && rm -rf /var/lib/apt/lists/*; \
  fi
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin dealfeed \
  && install -d -o dealfeed -g dealfeed -m 700 /data /backups
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json CHANGELOG.md LICENSE NOTICE ./
COPY docs/runbook.md docs/runbook.md
COPY api api
COPY clients clients
COPY deploy deploy
COPY ledger ledger
COPY lib lib
COPY models models
COPY pipelines pipelines
COPY queries queries
COPY sandbox sandbox
COPY sources sources
ENV PATH=/app/node_modules/.bin:$PATH \
  NODE_ENV=production \
  NODE_COMPILE_CACHE=/tmp/compiled \
  UV_THREADPOOL_SIZE=16 \
  DATA_DIR=/data \
  HOST=0.0.0.0 \
  PORT=4021
USER dealfeed
VOLUME ["/data", "/backups"]
EXPOSE 4021
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["node", "deploy/health.ts"]
ENTRYPOINT ["deploy/with_secrets.sh"]
CMD ["node", "api/server.ts"]
