# SPDX-License-Identifier: Apache-2.0
"""Thieves of the secret key: one that connects to what runs here, and one who runs a worker."""

from __future__ import annotations

import http.client
import json
import os
import pickle
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_tables import Home, listening, make_home, outside_cluster, processes_below, slow

from nttforge import _secrecy, bfv
from nttforge.errors import ClusterError, FormatError, UnsupportedError
from nttforge_cluster import EncryptedDataset, connected, local_workers
from nttforge_cluster.inert import Stranger, loads
from nttforge_cluster.scheduler import dask_client, scheduled

#: Asks a server of Dask at each port who it is: in the clear, and with a certificate of its own.
STRANGER = """
import asyncio, sys
from distributed import Security
from distributed.core import rpc

async def asked(port, scheme, arguments):
    try:
        remote = rpc(f"{scheme}://127.0.0.1:{port}", connection_args=arguments, timeout=4)
        print("ANSWERED", port, scheme, await asyncio.wait_for(remote.identity(), 4))
    except Exception as error:
        print("refused", type(error).__name__)

async def main():
    tls = Security.temporary().get_connection_args("client")
    plain = Security().get_connection_args("client")
    tried = [(p, *w) for p in sys.argv[1:] for w in (("tcp", plain), ("tls", tls))]
    await asyncio.gather(*(asked(*words) for words in tried))

asyncio.run(main())
"""
#: What runs where the answer of a dishonest worker is unpickled: it looks for keys, and says where.
PAYLOAD = """
import gc, os, pathlib
if "DISHONEST" not in os.environ:
    keys = [o for o in gc.get_objects() if type(o).__name__ == "SecretKey"]
    pathlib.Path({marks!r}, str(os.getpid())).write_text(str(len(keys)))
"""
#: A worker that answers with the payload instead of computing.
DISHONEST = """
import os, pathlib, pickle
from distributed import get_worker
from nttforge_cluster import work

os.environ["DISHONEST"] = "here"

class Stolen(Exception):
    def __reduce__(self):
        return eval, ("exec(" + repr({payload!r}) + ") or RuntimeError('stolen')",)

def run_task(job, task):
    way = pathlib.Path({way!r}).read_text()
    if way == "answer":
        return Stolen()
    if way == "error":
        raise Stolen()
    if way == "event":
        get_worker().log_event("warn", {{"message": pickle.dumps(Stolen())}})
    said = {{"name": task.name, "worker": "honest", "records": task.records, "bytes": 1}}
    return said | {{"sha256": "0" * 64, "kept": False, "loads": 0}}

work.run_task = run_task
"""
#: A client of Dask that unpickles what the worker answers.
VICTIM = """
import sys
from distributed import Client
from nttforge_cluster import work

with Client(sys.argv[1], timeout=20) as client:
    try:
        client.submit(work.run_task, None, None).result()
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return make_home(tmp_path_factory.mktemp("thief"), parts=2)


def python(program: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def memory_has(pid: int, wanted: bytes) -> bool:
    """Whether a process has these bytes anywhere in its memory."""
    maps = Path(f"/proc/{pid}/maps").read_text().splitlines()
    with Path(f"/proc/{pid}/mem").open("rb") as memory:
        for line in maps:
            place, mode = line.split()[:2]
            begin, end = (int(x, 16) for x in place.split("-"))
            if mode.startswith("rw"):
                try:
                    memory.seek(begin)
                    if wanted in memory.read(end - begin):
                        return True
                except (OSError, ValueError, OverflowError):
                    continue
    return False


def test_nobody_without_the_certificate_reaches_local_workers(home: Home, tmp_path: Path) -> None:
    data = home.keys.secret.to_bytes()
    window = data[32 + 128 : 32 + 128 + 64]
    with local_workers(1) as workers:
        result = home.dataset.map(slow(0)).persist(tmp_path / "out", client=workers)
        assert workers.address.startswith("tls://127.0.0.1:")
        assert workers.dashboard == ""
        below = processes_below(os.getpid())
        places = listening(below)
        assert len(places) >= 3  # scheduler, nanny, worker
        assert {host for host, _ in places} == {"127.0.0.1"}
        for _, port in places:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            with pytest.raises((http.client.HTTPException, OSError)):
                connection.request("GET", "/info/main/workers.html")
                connection.getresponse()
        said = python(STRANGER, *(str(port) for _, port in places))
        assert "ANSWERED" not in said
        assert said.count("refused") == 2 * len(places)
        try:
            assert memory_has(os.getpid(), window)
        except PermissionError:
            pytest.skip("this system shows no memory of processes")
        assert len(below) >= 2
        assert [pid for pid in below if memory_has(pid, window)] == []
    assert (result.decrypt(home.keys.secret)["c"] == 3 * home.table["a"] - home.table["b"]).all()


def test_the_dashboard_is_for_this_machine(home: Home) -> None:
    with local_workers(1, dashboard=True) as workers:
        places = listening(processes_below(os.getpid()))
        assert {host for host, _ in places} == {"127.0.0.1"}
        assert workers.dashboard.startswith("http://127.0.0.1:")


def test_a_dishonest_worker_runs_nothing_here(home: Home, tmp_path: Path) -> None:
    marks, preload, way = (tmp_path / name for name in ("marks", "dishonest.py", "way"))
    marks.mkdir()
    payload = PAYLOAD.format(marks=str(marks))
    preload.write_text(DISHONEST.format(payload=payload, way=str(way)))
    way.write_text("answer")

    def said() -> str:
        with pytest.raises((ClusterError, FormatError)) as caught:
            home.dataset.map(slow(0)).persist(tmp_path / "out", client=workers)
        return str(caught.value)

    with outside_cluster(tmp_path, preload=preload) as (address, _):
        python(VICTIM, address)  # the thief can do it: a client of Dask runs the payload
        assert [path.read_text() for path in marks.iterdir()] == ["0"]
        next(marks.iterdir()).unlink()
        with connected(address, seconds=30) as workers:
            assert re.search("the answer to part-00000. is none .* does not run nttforge", said())
            way.write_text("error")
            assert "eval: exec" in said()  # the name of what it wanted to be, which did nothing
            way.write_text("event")
            assert "part-000000.enc does not exist, and the worker honest said" in said()
    assert list(marks.iterdir()) == []
    assert not (tmp_path / "out" / "dataset.json").exists()


def test_pickles_are_read_as_data(tmp_path: Path) -> None:
    for value in (1, "text", [1, (2.5, None)], {"a": {1, 2}}, b"bytes", range(3)):
        assert loads(pickle.dumps(value)) == value
    for _ in range(2):
        assert repr(loads(pickle.dumps(KeyError("x")))) == "KeyError('x')"
        pytest.importorskip("tblib.pickling_support").install()  # as Dask does in every process

    class Evil:
        def __reduce__(self) -> Any:
            return os.system, (f"touch '{tmp_path}/mark'",)

    class Getter:
        def __reduce__(self) -> Any:
            return getattr, ("text", "upper")

    for thing in (Evil(), Getter(), np.arange(3), bfv.Parameters.preset(4096)):
        assert isinstance(loads(pickle.dumps(thing)), Stranger)
    assert not (tmp_path / "mark").exists()
    for data in (b"", b"\x80", b"cos\nsystem\n(S'true'\ntR.", pickle.dumps([1])[:-1]):
        assert isinstance(loads(data), Stranger)


def test_who_had_a_secret_key_does_not_speak_to_dask(home: Home, tmp_path: Path) -> None:
    steps = home.dataset.map(slow(0))
    message = "is refused here: this process made or read .* nttforge_cluster.local_workers"
    with pytest.raises(UnsupportedError, match=f"a client of Dask {message}"):
        steps.persist(tmp_path / "out", client=object())
    with pytest.raises(UnsupportedError, match=f"a client of Dask {message}"):
        steps.reduce(tmp_path / "out", client=object())
    with (
        pytest.raises(UnsupportedError, match=f"a connection to tcp://127.0.0.1:9 {message}"),
        dask_client("tcp://127.0.0.1:9"),
    ):
        pass
    with pytest.raises(UnsupportedError, match=message), scheduled("tcp://127.0.0.1:9"):
        pass
    with pytest.raises(UnsupportedError, match=message):
        _secrecy.refuse_secrets("work", "a reason")


def test_who_speaks_to_dask_makes_and_reads_no_secret_key(home: Home, tmp_path: Path) -> None:
    files = {"secret": home.keys.secret.to_bytes(), "pickle": pickle.dumps(home.keys.secret)}
    files["parameters"] = home.keys.context.parameters.to_bytes()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    program = """
        import pathlib, pickle, sys
        from nttforge import bfv, seal
        from nttforge_cluster.scheduler import begin_dask
        from nttforge.errors import UnsupportedError

        secret, sneaked, parameters = (
            (pathlib.Path(sys.argv[1]) / name).read_bytes()
            for name in ("secret", "pickle", "parameters")
        )
        context = bfv.Context(bfv.Parameters.from_bytes(parameters))
        begin_dask("a test")
        for call in (
            lambda: bfv.SecretKey.from_bytes(context, secret),
            lambda: pickle.loads(sneaked),
            lambda: bfv.KeyGenerator(context),
            lambda: context.generate_keys(),
            lambda: seal.import_secret_key(context, b""),
        ):
            try:
                print("GOT", call())
            except UnsupportedError as error:
                print(str(error).partition(" is refused here: this process speaks to Dask")[0])
    """
    said = python(textwrap.dedent(program), str(tmp_path))
    assert said.splitlines() == [
        "a secret key",
        "a secret key",
        "a key generator",
        "a key generator",
        "a secret key of SEAL",
    ]


def test_a_coordinator_that_lies_is_refused(home: Home, tmp_path: Path) -> None:
    """Whatever it says, its lines are compared field by field."""
    from nttforge_cluster import session

    ready = '{"ready": {"address": "tls://a:1", "workers": 1, "dashboard": ""}}'
    plan = '{"plan": {"keys": 0, "ciphertext": 9, "at_once": 1}}'
    right = {"name": "part-000000", "worker": "w", "records": 8192, "bytes": 1, "kept": False}
    right |= {"sha256": "0" * 64, "loads": 0}

    def told(*answers: str) -> str:
        text = "".join(answer + "\n" for answer in answers)
        program = f"import sys; sys.stdout.write({text!r}); sys.stdout.flush(); sys.stdin.read()"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(session, "_PROGRAM", program)
            with (
                pytest.raises((ClusterError, FormatError)) as caught,
                local_workers(1) as workers,
            ):
                home.dataset.map(slow(0)).persist(tmp_path / "out", client=workers)
        return str(caught.value)

    def said(**fields: Any) -> str:
        return json.dumps({"said": right | fields})

    assert "said a line that is none" in told("no JSON")
    assert "said a line that is none" in told("[" * 9000)
    assert "said a line that is none" in told('{"ready": "' + "x" * 70000 + '"}')
    assert "said no ready" in told('{"ready": 3}')
    assert "workers is no number" in told('{"ready": {"workers": "many"}}')
    assert "need the numbers keys, ciphertext, at_once" in told(ready, '{"plan": {"keys": 1}}')
    assert "said an answer to no task" in told(ready, plan, said(name="../x"))
    assert "said an answer to no task" in told(ready, plan, said(), said())
    assert "records in the answer to part-000000" in told(ready, plan, said(records=-1))
    assert "sha256 in the answer to part-000000" in told(ready, plan, said(sha256="../../etc"))
    assert "said nothing of part-000000" in told(ready, plan, '{"done": 2}')
    steering = json.dumps({"error": "SystemExit", "text": "a\x1b[2Jb"})
    assert told(ready, steering) == "a\\x1b[2Jb"
    assert not (tmp_path / "out" / "dataset.json").exists()
    assert EncryptedDataset.open(home.dataset.store.address).records == home.dataset.records
