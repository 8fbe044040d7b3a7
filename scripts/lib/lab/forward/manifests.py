"""The YAML of the recipes: held against its schema, and as much of it run as can be without its service."""

import contextlib
import json
import os
import pathlib
import select
import subprocess
import sys
import time

import kubernetes_validate
import yaml

from .. import machine
from ..process import Child
from . import shell

READY_SECONDS = 10


def check(block, directory, kitchen):
    """What is wrong with the block; its file lies in `directory` already."""
    file = pathlib.Path(directory, block.argument)
    content = yaml.safe_load(block.text)
    yield from {"github": github, "gitlab": gitlab, "compose": compose, "kubernetes": kubernetes}[block.kind](
        file, content, directory, kitchen)


def against_schema(file, name, *more):
    program = pathlib.Path(sys.executable).with_name("check-jsonschema")
    done = subprocess.run([program, "--builtin-schema", f"vendor.{name}", *more, file], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if done.returncode:
        yield f"{file.name}: {done.stdout}{done.stderr}"


def github(file, content, directory, kitchen):
    """The steps one after another, with stand-ins for the actions that it uses."""
    yield from against_schema(file, "github-workflows")
    [job] = content["jobs"].values()
    place = pathlib.Path(directory, "github")
    place.mkdir()
    words = {"GITHUB_WORKSPACE": str(directory), "GITHUB_PATH": str(place / "path"), "RUNNER_TEMP": str(place),
             "CI": "true"}
    (place / "path").touch()
    for step in job["steps"]:
        if "run" in step:
            paths = reversed((place / "path").read_text().splitlines())
            environment = kitchen.bare_environment() | words
            environment["PATH"] = os.pathsep.join([*paths, environment["PATH"]])
            for text in shell.run(step["run"], directory, environment).complaints():
                yield f"step {step.get('name', step['run'])}: {text}"
        else:
            yield from action(step, directory)


def action(step, directory):
    name, given = step["uses"].partition("@")[0], step.get("with", {})
    if name == "actions/checkout":
        if "repository" in given:
            pathlib.Path(directory, given["path"]).symlink_to(machine.TOP)
    elif name == "actions/upload-artifact":
        if not list(pathlib.Path(directory).glob(given["path"])):
            yield f"upload-artifact: nothing matches {given['path']}"
    elif name != "actions/cache":
        yield f"{name}: nothing here stands in for this action"


def gitlab(file, content, directory, kitchen):
    yield from against_schema(file, "gitlab-ci", "--data-transform", "gitlab-ci")
    [job] = content.values()
    environment = kitchen.bare_environment() | {"HEADWIND_REPOSITORY": str(machine.TOP), "CI": "true"}
    lines = [*job["before_script"], *job["script"]]
    for text in shell.run("\n".join(lines), directory, environment).complaints():
        yield f"script: {text}"
    artifacts = job["artifacts"]
    for name in [*artifacts["paths"], artifacts["reports"]["junit"]]:
        if not pathlib.Path(directory, name).is_file():
            yield f"artifacts: there is no {name}"


def compose(file, content, directory, kitchen):
    yield from against_schema(file, "compose-spec")
    for name, service in content["services"].items():
        if "build" in service:
            entry = service.get("entrypoint", ["toxiproxy-server"])  # that of the Dockerfile
            with contextlib.ExitStack() as stack:
                yield from started(stack, name, [*entry, *service.get("command", [])], kitchen)


def kubernetes(_file, content, directory, kitchen):
    """A side-car is started, asked by its probe, and used with the environment of the container beside it."""
    try:
        version = kubernetes_validate.latest_version()
        kubernetes_validate.validate(content, version, strict=True)
    except (kubernetes_validate.ValidationError, kubernetes_validate.InvalidSchemaError) as problem:
        yield f"Kubernetes {version}: {problem}"
    spec = content["spec"]
    [sidecar], [app] = spec["initContainers"], spec["containers"]
    with contextlib.ExitStack() as stack:
        yield from started(stack, sidecar["name"], [*sidecar["command"], *sidecar["args"]], kitchen)
        probe = sidecar["startupProbe"]["exec"]["command"]
        environment = kitchen.environment() | {one["name"]: one["value"] for one in app["env"]}
        done = shell.run(" ".join(probe) + "\ncurl -sS --max-time 30 https://api.example.com/", directory, environment)
        yield from done.complaints()
        if "hello" not in done.output:
            yield f"through the side-car came: {done.output!r}"


def started(stack, name, command, kitchen):
    """Starts it as in the container, until the end of `stack`; complains when it doesn't get ready."""
    program = kitchen.program(command[0])
    log = pathlib.Path(kitchen.directory, f"{name}-{time.monotonic_ns()}.log")
    child = stack.enter_context(Child([program, *command[1:]], log, subprocess.PIPE, kitchen.environment()))
    readable, _, _ = select.select([child.process.stdout], [], [], READY_SECONDS)
    line = child.process.stdout.readline() if readable else b""
    try:
        if json.loads(line)["event"] == "ready":
            return
    except (ValueError, KeyError, TypeError):
        pass
    yield f"{name}: {' '.join(command)}: no ready line, but {line!r}; {log.read_text(errors='replace')[-1000:]}"
