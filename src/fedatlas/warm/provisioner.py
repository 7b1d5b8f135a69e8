"""Kernels of notebooks that start warm."""

from __future__ import annotations

import os
import signal
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner
from traitlets import Unicode

from fedatlas.warm.client import WarmProcess, start
from fedatlas.warm.protocol import Request


class WarmProvisioner(LocalProvisioner):
    """Starts a kernel in a warm process, or as ever where there can be none."""

    preload = Unicode(help="a Python file that the server of such kernels runs first, for what it imports").tag(config=True)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        process = self._start(cmd, kwargs) if self.preload else None
        if process is None:
            return await super().launch_kernel(cmd, **kwargs)
        self.process, self.pid, self.pgid = process, process.pid, process.pid
        return self.connection_info

    def _start(self, cmd: list[str], options: dict[str, Any]) -> WarmProcess | None:
        python, *arguments = cmd
        # Not this process is the kernel's parent but the server; the lease ends the kernel when this process ends.
        environment = {name: value for name, value in options["env"].items() if name != "JPY_PARENT_PID"}
        folder = str(options.get("cwd") or os.getcwd())
        return start(python, Request(arguments, environment, folder, signal.SIGKILL), self.preload)
