# The HTTP server in a slim image: no compiler, no root, nothing written outside /data and /tmp.
#   docker build -t burraco .
#   docker run --rm -p 127.0.0.1:8765:8765 --read-only --tmpfs /tmp -v burraco:/data burraco
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY scorer scorer
COPY vision vision
COPY api api
COPY models models
RUN python -m venv /opt/burraco \
 && /opt/burraco/bin/pip install --no-cache-dir --disable-pip-version-check ".[vision,api,postgres]"

FROM python:3.12-slim
RUN useradd --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin burraco
COPY --from=build /opt/burraco /opt/burraco
ENV PATH=/opt/burraco/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    BURRACO_HOST=0.0.0.0 \
    BURRACO_PORT=8765 \
    BURRACO_DATA_DIR=/data
USER burraco
WORKDIR /data
VOLUME /data
EXPOSE 8765
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=2)"]
CMD ["burraco", "serve"]
