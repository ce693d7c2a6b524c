FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY . .
RUN npm ci --omit=dev

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends git openssh-client ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 1000 --create-home ingot \
 && mkdir /data && chown ingot /data \
 && ln -s /app/src/ingot.js /usr/local/bin/ingot
WORKDIR /app
COPY --from=build --chown=root:root /app /app
ENV PATH=/app/node_modules/.bin:$PATH NODE_COMPILE_CACHE=/data/cache/compiled INGOT_DATA_DIR=/data INGOT_SERVER_HOST=0.0.0.0 INGOT_SSH_HOST=0.0.0.0
USER ingot
VOLUME /data
EXPOSE 3000 2222
HEALTHCHECK --interval=30s --timeout=5s CMD ["node", "-e", "fetch('http://127.0.0.1:3000/api/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "src/ingot.js", "serve"]
