"""Settings of the server, read from `BURRACO_*` environment variables (and a `.env` file if there is one).

Every setting has a unit and bounds; `shown()` prints them with secrets hidden.

>>> sorted(Settings(api_keys="one,two").keys)
['one', 'two']
>>> Settings(api_keys="one,two").shown()["api_keys"]
'**********'
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

MEBIBYTE = 1024 * 1024


class Settings(BaseSettings):
    """What a running server needs to know. Names of variables: `BURRACO_` and the field's name in capitals."""

    model_config = SettingsConfigDict(env_prefix="BURRACO_", env_file=".env", extra="ignore", frozen=True)

    host: str = Field(default="127.0.0.1", description="Address to listen on; 0.0.0.0 opens the server to others.")
    port: int = Field(default=8765, ge=0, le=65535, description="TCP port; 0 takes a free one.")
    workers: int = Field(default=1, ge=1, le=64, description="Server processes.")
    root_path: str = Field(default="", description="Path prefix that a proxy strips, such as /burraco.")
    forwarded_allow_ips: str = Field(
        default="127.0.0.1", description="Proxies whose X-Forwarded-* headers are believed."
    )
    allowed_hosts: str = Field(default="", description="Host names answered to, separated by commas; empty: any.")
    hsts: bool = Field(default=False, description="Send Strict-Transport-Security (only behind TLS).")

    api_keys: SecretStr = Field(
        default=SecretStr(""), description="Keys for /v1, separated by commas; empty: no key needed."
    )
    rate_limit: int = Field(
        default=0, ge=0, le=1_000_000, description="Requests a minute per key or address and process; 0: no limit."
    )
    rate_burst: int = Field(
        default=60, ge=1, le=100_000, description="Requests allowed at once before the rate counts."
    )
    cors_origins: str = Field(
        default="", description="Origins of other sites that may call, separated by commas; * for all."
    )

    max_body_bytes: int = Field(
        default=1_000_000, ge=1000, le=100 * MEBIBYTE, description="Bytes of a request, photos apart."
    )
    max_image_bytes: int = Field(default=25 * MEBIBYTE, ge=1000, le=200 * MEBIBYTE, description="Bytes of a photo.")
    max_image_megapixels: int = Field(
        default=60, ge=1, le=200, description="Million pixels of a photo, read from its header."
    )
    max_batch: int = Field(default=1000, ge=1, le=10_000, description="Items of a batch.")
    body_seconds: float = Field(
        default=20.0, gt=0, le=600, description="Seconds within which a request's body must arrive."
    )
    answer_seconds: float = Field(
        default=20.0, gt=0, le=600, description="Seconds of work for one batch or game action."
    )

    photo_workers: int = Field(
        default=1, ge=0, le=32, description="Processes that read photos (per server process); 0: none."
    )
    photo_queue: int = Field(default=4, ge=0, le=1000, description="Photos that may wait for a free process.")
    photo_seconds: float = Field(
        default=60.0, gt=0, le=600, description="Seconds to read one photo, then it is given up."
    )
    photo_threads: int = Field(default=1, ge=1, le=64, description="Threads of each photo process.")
    photo_nice: int = Field(
        default=10, ge=0, le=19, description="How far photo processes stand back for scoring (niceness)."
    )
    photo_memory_mb: int = Field(default=4096, ge=512, le=65536, description="Megabytes a photo process may allocate.")
    photo_module: str = Field(
        default="api.photo_reader", description="Module whose read_photo() reads a photo (tests replace it)."
    )

    data_dir: Path | None = Field(
        default=None, description="Folder of the local database; none: the user's data folder."
    )
    database_url: SecretStr | None = Field(
        default=None, description="Database of matches and games; none: SQLite in data_dir."
    )

    metrics: bool = Field(default=True, description="Serve Prometheus figures at /metrics.")
    page: bool = Field(default=True, description="Serve the phone page at /.")
    log_level: str = Field(
        default="info", pattern="^(debug|info|warning|error)$", description="Least level that is logged."
    )
    access_log: bool = Field(default=True, description="One JSON line for each request.")
    shutdown_seconds: int = Field(
        default=30, ge=0, le=600, description="Seconds to finish requests in flight after SIGTERM."
    )

    @cached_property
    def keys(self) -> frozenset[str]:
        """The API keys; empty when none is needed."""
        return frozenset(_split(self.api_keys.get_secret_value()))

    @cached_property
    def origins(self) -> tuple[str, ...]:
        """The origins allowed by CORS."""
        return tuple(_split(self.cors_origins))

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The host names answered to; empty for any."""
        return tuple(_split(self.allowed_hosts))

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in ("127.0.0.1", "::1", "localhost") or self.host.startswith("127.")

    def shown(self) -> dict[str, Any]:
        """Every setting as JSON values, secrets hidden by asterisks.

        A database address is hidden whole: its password may stand anywhere in it.
        """
        return self.model_dump(mode="json")

    def warnings(self) -> tuple[str, ...]:
        """What an operator should know before opening this server to others; stable codes of `scorer.messages`."""
        out: list[str] = []
        if not self.is_local and not self.keys:
            out.append("serve_open_without_keys")
        if not self.is_local and not self.rate_limit:
            out.append("serve_open_without_rate_limit")
        return tuple(out)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
