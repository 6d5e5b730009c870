# SPDX-License-Identifier: Apache-2.0
"""``nttforge he`` on files: keys, encryption, expressions, decryption; and what is refused."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nttforge
from nttforge.cli import main
from nttforge_he.expression import parse

MATRIX = np.array([[1, 2, 0, 1], [0, 1, -1, 2]])
EXPRESSION = "roll(a*b, 1) + 3*c"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table, a plan, keys and encrypted columns."""
    folder = tmp_path_factory.mktemp("encrypted")
    random = np.random.default_rng(7)
    table = np.stack([random.integers(low, high, 100) for low, high in ((0, 50), (-5, 6), (0, 9))])
    lines = ["a,b,c", *(",".join(map(str, row)) for row in table.T.tolist())]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")
    before = Path.cwd()
    os.chdir(folder)
    try:
        inputs = ["--input", "a=100:0..50", "b=100:-5..5", "c=100:0..9"]
        assert main(["bfv", "parameters", "--for", EXPRESSION, *inputs, "--out", "plan.json"]) == 0
        assert main(["bfv", "keygen", "--plan", "plan.json", "--out", "keys"]) == 0
        command = ["bfv", "encrypt", "table.csv", "--keys", "keys/client", "--out", "in"]
        assert main([*command, "--bounds", "a=0..50", "b=-5..5", "c=0..9"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture(autouse=True)
def there(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)


def expected() -> list[int]:
    a, b, c = np.loadtxt("table.csv", delimiter=",", skiprows=1, dtype=int).T
    values: list[int] = (np.roll(a * b, 1) + 3 * c).tolist()
    return values


def test_the_whole_way(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = ["--keys", "keys/server", "--in", "in"]
    assert main(["bfv", "eval", EXPRESSION, *server, "--check"]) == 0
    assert "all keys are there, and the range fits" in capsys.readouterr().out
    assert main(["bfv", "eval", EXPRESSION, *server, "--out", "result.enc"]) == 0
    said = capsys.readouterr().out
    assert "result: shape (100,), scale 1, range [-250, 277]; noise budget" in said
    assert "4 operations" in said
    for name in ("result.csv", "result.npy"):
        command = ["bfv", "decrypt", "result.enc", "--keys", "keys/client", "--out", name]
        assert main(command) == 0
    assert np.load("result.npy").tolist() == expected()
    assert Path("result.csv").read_text().split() == ["result", *map(str, expected())]
    assert main(["bfv", "decrypt", "result.enc", "--keys", "keys/client"]) == 0
    assert capsys.readouterr().out == Path("result.csv").read_text()
    assert not any("secret" in path.name for path in (home / "keys/server").iterdir())
    assert stat.S_IMODE((home / "keys/client/secret.key").stat().st_mode) == 0o600


def test_a_plan_has_the_keys_of_a_product_that_comes_last() -> None:
    inputs = ["--input", "a=100:0..50", "b=100:-5..5"]
    assert main(["bfv", "parameters", "--for", "a*b", *inputs, "--out", "ab.json"]) == 0
    assert main(["bfv", "keygen", "--plan", "ab.json", "--out", "ab"]) == 0
    command = ["bfv", "encrypt", "table.csv", "--keys", "ab/client", "--out", "ab/in"]
    assert main([*command, "--bounds", "a=0..50", "b=-5..5", "c=0..9"]) == 0
    evaluate = ["bfv", "eval", "a*b", "--keys", "ab/server", "--in", "ab/in", "--out"]
    assert main([*evaluate, "ab.enc"]) == 0
    assert main(["bfv", "decrypt", "ab.enc", "--keys", "ab/client", "--out", "ab.npy"]) == 0
    a, b, _ = np.loadtxt("table.csv", delimiter=",", skiprows=1, dtype=int).T
    assert np.array_equal(np.load("ab.npy"), a * b)


def test_parameters_for_an_expression_take_a_given_t(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bfv", "parameters", "--for", "a*b", "--input", "a=100:0..50", "b=100:-5..5"]
    assert main([*command, "--t", "786433"]) == 0
    assert "t = 786433" in capsys.readouterr().out
    for more, said in (
        (["--t", "257"], "t = 257 has no slots: need a prime = 1 (mod 2n)"),
        (["--n", "8192"], "--n does not go with --for, which finds n and t; --t does"),
        (["--t-bits", "20"], "--t-bits does not go with --for"),
    ):
        assert main([*command, *more]) == 2
        assert said in capsys.readouterr().err


def test_results_are_shrunk_unless_they_are_needed_whole() -> None:
    evaluate = ["bfv", "eval", EXPRESSION, "--keys", "keys/server", "--in", "in", "--out"]
    assert main([*evaluate, "small.enc"]) == 0
    assert main([*evaluate, "roomy.enc", "--min-budget-bits", "9"]) == 0
    assert main([*evaluate, "whole.enc", "--no-shrink"]) == 0
    sizes = [Path(name).stat().st_size for name in ("small.enc", "roomy.enc", "whole.enc")]
    assert sizes[0] <= sizes[1] <= sizes[2] and 2 * sizes[0] < sizes[2]
    for name in ("small.enc", "roomy.enc", "whole.enc"):
        assert main(["bfv", "decrypt", name, "--keys", "keys/client", "--out", "r.npy"]) == 0
        assert np.load("r.npy").tolist() == expected()


def test_shared_answers_and_bytes_without_noise(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bfv", "eval", "3*c", "--keys", "keys/server", "--in", "in", "--no-noise"]
    assert main([*command, "--out", "quiet.enc"]) == 0
    assert main(["bfv", "decrypt", "quiet.enc", "--keys", "keys/client", "--out", "q.npy"]) == 0
    c = np.loadtxt("table.csv", delimiter=",", skiprows=1, dtype=int)[:, 2]
    assert np.load("q.npy").tolist() == (3 * c).tolist()
    shared = ["bfv", "decrypt", "in/c.enc", "--keys", "keys/client", "--out", "c.npy", "--shared"]
    for more in (["--proved-bits", "60"], ["--trust-maker"]):
        capsys.readouterr()
        assert main([*shared, "--security-bits", "20", *more]) == 0
        assert np.load("c.npy").tolist() == c.tolist()
    assert main([*shared, "--proved-bits", "60"]) == 2
    assert "its stated noise budget is 60.0 bits and an answer to be" in capsys.readouterr().err


def test_a_table_without_bounds_tells_no_range(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bfv", "encrypt", "table.csv", "--keys", "keys/client", "--out", "bare"]
    assert main([*command, "--columns", "a"]) == 0
    assert "shape (100,), no range told: give --bounds if" in capsys.readouterr().out
    assert main(["bfv", "inspect", "bare/a.enc", "--json"]) == 0
    (fact,) = json.loads(capsys.readouterr().out)
    assert (fact["low"], fact["high"]) != (0, 63) and fact["low"] < -(2**14)
    assert main(["bfv", "eval", "2*a", "a=bare/a.enc", "--keys", "keys/server", "--check"]) == 2
    assert "or say narrower bounds when encrypting" in capsys.readouterr().err


def test_arrow(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [0.5, 1.25], "y": [3.0, -4.0]})
    with pyarrow.ipc.new_file("table.arrow", table.schema) as writer:
        writer.write_table(table)
    command = ["bfv", "encrypt", "table.arrow", "--keys", "keys/client", "--out", "arrow"]
    assert main([*command, "--scale", "4", "--scale", "y=2"]) == 0
    names = ["arrow/x.enc", "arrow/y.enc"]
    assert main(["bfv", "decrypt", *names, "--keys", "keys/client", "--out", "back.arrow"]) == 0
    with pyarrow.OSFile("back.arrow") as file:
        assert pyarrow.ipc.open_file(file).read_all().equals(table)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["z=3"], "--scale 'z=3': need SCALE or NAME=SCALE, of one of a, b, c"),
        (["a=x"], "--scale 'a=x': "),
        (["2", "3"], "--scale '3': the scale of all is said twice"),
        (["a=2", "a=3"], "--scale 'a=3': a is said twice"),
    ],
)
def test_scales(capsys: pytest.CaptureFixture[str], given: list[str], said: str) -> None:
    command = ["bfv", "encrypt", "table.csv", "--keys", "keys/client", "--out", "x"]
    assert main(command + [part for text in given for part in ("--scale", text)]) == 2
    assert said in capsys.readouterr().err


def test_without_arrow(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    Path("some.arrow").touch()
    assert main(["bfv", "encrypt", "some.arrow", "--keys", "keys/client", "--out", "x"]) == 2
    assert capsys.readouterr().err == (
        "nttforge: error: some.arrow: Arrow files need one more package: pip install "
        "'pyarrow>=14,<27'\n"
    )


def test_matrices_and_npy(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["bfv", "encrypt", "table.csv", "--keys", "keys/client", "--out", "m"]
    assert main([*command, "--matrix", "m", "--bounds", "m=-5..50"]) == 0
    assert "m/m.enc: shape (100, 3), range [-5, 50]" in capsys.readouterr().out
    command = ["bfv", "eval", "m*2 - [1, 2, 3]", "m=m/m.enc", "--keys", "keys/server"]
    assert main([*command, "--out", "m2.enc"]) == 0
    assert main(["bfv", "decrypt", "m2.enc", "--keys", "keys/client", "--out", "m2.npy"]) == 0
    table = np.loadtxt("table.csv", delimiter=",", skiprows=1, dtype=int)
    assert np.array_equal(np.load("m2.npy"), table * 2 - [1, 2, 3])


def test_inspect(capsys: pytest.CaptureFixture[str]) -> None:
    found = ["keys/client/secret.key", "keys/server/evaluation.key", "in/b.enc", "plan.json"]
    assert main(["bfv", "inspect", *found, "keys/server/parameters.bin", "--json"]) == 0
    secret, evaluation, array, plan, parameters = json.loads(capsys.readouterr().out)
    assert secret["kind"] == "secret key" and "its owner alone" in secret["note"]
    assert evaluation["bytes"] == Path("keys/server/evaluation.key").stat().st_size
    assert (array["shape"], array["low"], array["high"]) == ([100], -5, 5)
    assert plan["expression"] == EXPRESSION and plan["relinearization"] is True
    assert parameters["fingerprint"] == secret["fingerprint"] == array["fingerprint"]
    assert main(["bfv", "inspect", "in/b.enc"]) == 0
    assert "  shape           [100]\n" in capsys.readouterr().out


def test_progress_of_long_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nttforge_he.server._QUIET_SECONDS", -1.0)
    command = ["bfv", "eval", EXPRESSION, "--keys", "keys/server", "--in", "in"]
    assert main([*command, "--out", "r.enc"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "eval: 1/4 a*b" and lines[-1] == f"eval: 4/4 {EXPRESSION}"


EVAL = ["--keys", "keys/server", "--in", "in", "--out", "r.enc"]
REFUSED: list[tuple[str, list[str], str]] = [
    (
        "secret beside",
        ["eval", EXPRESSION, "--keys", "keys/client", "--in", "in", "--out", "r.enc"],
        "keys/client/secret.key is a secret key: nothing is computed beside one, since whoever "
        "computes must not be able to decrypt; give the server's folder of keys, and take this "
        "file away from this machine if it is not its owner's",
    ),
    (
        "missing rotation",
        ["eval", "roll(a, 2)", *EVAL],
        "keys/server lacks rotation keys for the steps -960, -64: make them with nttforge he "
        "keygen --plan, with a plan of parameters --for this expression",
    ),
    ("range", ["eval", "a*b*c*a", *EVAL], "in 'a*b*c*a': *: integers in [-112500, 112500] may p"),
    (
        "noise",
        ["eval", "b*b*b*b*b*b", *EVAL],
        "bits, and decryption needs more than 0: choose parameters with nttforge he parameters "
        "--for this expression, and encrypt anew",
    ),
    ("no file", ["eval", "a*d", *EVAL], "no file is given for d: in/d.enc does not exist; add"),
    ("no out", ["eval", "a", "--keys", "keys/server"], "--out is missing: the file for the res"),
    ("unknown name", ["eval", "a", "z=in/a.enc", *EVAL], "'z=in/a.enc': the expression has the"),
    ("no equal", ["eval", "a", "in/a.enc", *EVAL], "'in/a.enc': need NAME=FILE"),
    ("shapes", ["eval", "a + [1, 2]", *EVAL], "in 'a + [1, 2]': +: shapes (100,) and (2,) do not"),
    ("no folder", ["eval", "a", "--keys", "no", *EVAL[2:]], "no is no folder: give the server's"),
    ("wrong file", ["eval", "a", "a=table.csv", *EVAL], "table.csv holds something else: need an"),
    ("a key", ["eval", "a", "a=keys/server/public.key", *EVAL], "public.key holds public key: nee"),
    (
        "keys twice",
        ["keygen", "--plan", "plan.json", "--out", "keys"],
        "keys/client/secret.key exists: what it encrypted could not be read without it; name "
        "another folder, or take it away first",
    ),
    ("no plan", ["keygen", "--plan", "table.csv", "--out", "k"], "table.csv is no JSON: need what"),
    (
        "plan and steps",
        ["keygen", "--plan", "plan.json", "--rotations", "1", "--out", "k"],
        "--rotations and --swap-columns go with --parameters: a plan has its own",
    ),
    (
        "decrypt without secret",
        ["decrypt", "in/a.enc", "--keys", "keys/server"],
        "keys/server/secret.key does not exist: only the client's folder of keygen has it, and "
        "only that can decrypt",
    ),
    (
        "decrypt names",
        ["decrypt", "in/a.enc", "./in/../in/a.enc", "--keys", "keys/client"],
        "two arrays have the name a: rename a file",
    ),
    (
        "shared",
        ["decrypt", "in/a.enc", "--keys", "keys/client", "--shared"],
        "--shared: files prove nothing of their noise; give --proved-bits, what",
    ),
    (
        "not shared",
        ["decrypt", "in/a.enc", "--keys", "keys/client", "--trust-maker"],
        "--proved-bits and --trust-maker go with --shared",
    ),
    (
        "npy of two",
        ["decrypt", "in/a.enc", "in/b.enc", "--keys", "keys/client", "--out", "x.npy"],
        "x.npy: an NPY file holds one array, and there are 2: write .csv or .arrow, or one file e",
    ),
    (
        "ending",
        ["decrypt", "in/a.enc", "--keys", "keys/client", "--out", "x.txt"],
        "x.txt ends in '.txt': need .csv, .npy or .arrow, which say how numbers are kept",
    ),
    (
        "bounds",
        ["encrypt", "table.csv", "--keys", "keys/client", "--out", "x", "--bounds", "a=0..3"],
        "bounds = (0.0, 3.0) do not hold all values and 0, which lie in [0,",
    ),
    (
        "bounds name",
        ["encrypt", "table.csv", "--keys", "keys/client", "--out", "x", "--bounds", "0..3"],
        "--bounds '0..3': need NAME=LOW..HIGH, of one of a, b, c",
    ),
    (
        "bounds text",
        ["encrypt", "table.csv", "--keys", "keys/client", "--out", "x", "--bounds", "a=0:3"],
        "--bounds a '0:3': need LOW..HIGH, two numbers",
    ),
    (
        "columns",
        ["encrypt", "table.csv", "--keys", "keys/client", "--out", "x", "--columns", "q"],
        "--columns: table.csv has no column 'q'; it has a, b, c",
    ),
    (
        "no keys",
        ["encrypt", "table.csv", "--keys", "no", "--out", "x"],
        "no/parameters.bin does not exist: give the folder that nttforge he keygen wrote",
    ),
    (
        "inputs",
        ["parameters", "--for", "a*b", "--input", "a=10:0..1"],
        "--input: the expression has the names a, b, and given are a",
    ),
    (
        "input form",
        ["parameters", "--for", "a", "--input", "a=10"],
        "--input 'a=10': need NAME=SHAPE:LOW..HIGH, such as a=1000:0..9 or b=20x16:-5..5",
    ),
    ("out alone", ["parameters", "--out", "x"], "--out goes with --for: the expression to choose"),
    ("inspect", ["inspect", "table.csv"], "table.csv is no object of the library: nothing is kno"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused(case: tuple[str, list[str], str], capsys: pytest.CaptureFixture[str]) -> None:
    files = {path: path.stat().st_mtime_ns for path in Path().rglob("*")}
    assert main(["bfv", *case[1]]) == 2
    error = capsys.readouterr().err
    assert error.startswith("nttforge: error: ") and error.count("\n") == 1
    assert case[2] in error
    assert files == {path: path.stat().st_mtime_ns for path in Path().rglob("*")}


TABLES = [
    ("", "is empty: need rows of numbers"),
    ("a,b\n", "has names of columns and no rows"),
    ("a,b\n1,2\n3\n", "line 3: 1 cells, and 2 in the first line"),
    ("a,b\n1,2\n3,x\n", "line 3, column b: 'x' is no number"),
    ("a,b\n1,\n", "line 2, column b: '' is no number"),
    ("a,a\n1,2\n", "line 1: two columns have one name, or one has none"),
    ("a\n1e400\n", "line 2, column a: '1e400' is no number"),
    ("a\n" + "9" * 350 + "\n", "999' is no number"),
    ("a\nnan\n", "is no number"),
    ("a\n1_0\n", "line 2, column a: '1_0' is no number"),
    ("a b\n1\n", "column 'a b' is no name for an expression: letters, digits and _; rename it"),
    ('"a\n1\n', "is no CSV: unexpected end of data"),
]


@pytest.mark.parametrize(("text", "message"), TABLES)
def test_bad_tables(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.csv").write_text(text)
    assert main(["bfv", "encrypt", "bad.csv", "--keys", "keys/client", "--out", "bad"]) == 2
    assert message in capsys.readouterr().err


AT = "expression, character {}, {}: "
ALLOWED = (
    "not allowed: an expression has names of arrays, numbers, + - * @ **, indices, and roll, sum, "
    "mean, dot, convolve, polynomial, precision"
)
EXPRESSIONS = [
    ("", "expression '' cannot be read at character 1: invalid syntax"),
    ("a +", "expression 'a +' cannot be read at character "),
    ("a; b", "expression 'a; b' cannot be read at character 2: invalid syntax"),
    ("1 + 2", AT.format(1, "'1 + 2'") + "both operands are plain numbers: write their result"),
    ("3", "expression '3' names no encrypted array: nothing to compute"),
    (
        "a / 2",
        AT.format(1, "'a / 2'") + "the operator is none of + - * @ **; to divide, multiply by the "
        "inverse with a scale, or divide what is decrypted",
    ),
    ("a.b", AT.format(1, "'a.b'") + ALLOWED),
    ("a if b else c", AT.format(1, "'a if b else c'") + ALLOWED),
    ("lambda: a", AT.format(1, "'lambda: a'") + ALLOWED),
    ("[x for x in a]", AT.format(1, "'[x for x in a]'") + ALLOWED),
    ("a < b", AT.format(1, "'a < b'") + ALLOWED),
    ("(a := 3)", AT.format(2, "'a := 3'") + ALLOWED),
    ("not a", AT.format(1, "'not a'") + "of one operand there are - and + only"),
    (
        "open(a)",
        AT.format(1, "'open(a)'")
        + "no such function; there are roll, sum, mean, dot, convolve, polynomial, "
        "precision",
    ),
    ("a.sum()", AT.format(1, "'a.sum()'") + "no such function; there are roll, sum, mean, dot, c"),
    ("roll(a)", AT.format(1, "'roll(a)'") + "write roll(x, shift)"),
    ("roll(a, shift=1)", AT.format(1, "'roll(a, shift=1)'") + "write roll(x, shift)"),
    ("roll(a, 1.5)", AT.format(9, "'1.5'") + "a shift is an integer"),
    ("roll(a, b)", AT.format(9, "'b'") + "need a number"),
    ("roll", AT.format(1, "'roll'") + "a function is called: roll(x, shift)"),
    ("sum(3)", AT.format(1, "'sum(3)'") + "the first argument is an encrypted array: sum(x), sum"),
    ("polynomial(a, 3)", AT.format(1, "'polynomial(a, 3)'") + "write polynomial(x, [c0, c1, ...]"),
    ("a + []", AT.format(5, "'[]'") + "the list is empty"),
    ("a + [1, b]", AT.format(9, "'b'") + "need a number"),
    ("a @ [[1], [2, 3]]", AT.format(5, "'[[1], [2, 3]]'") + "rows of a matrix have one length"),
    ("a * True", AT.format(5, "'True'") + "need a number"),
    ("a * 1e999", AT.format(5, "'1e999'") + "the number is not finite"),
    ("a * 99999999999999999999", "the number has more than 64 bits"),
    ("a ** b", AT.format(6, "'b'") + "need a number"),
    ("2 ** 3 * a", AT.format(1, "'2 ** 3'") + "a power of a plain number: write the number"),
    ("a['x']", 'expression has the character "\'": it is one line of names, numbers'),
    ("a[b]", AT.format(3, "'b'") + "need a number"),
    ("a[1:x]", AT.format(5, "'x'") + "need a number"),
    ("-[1] * a", AT.format(1, "'-[1]'") + "a sign of a list: write it at each number"),
    ("(" * 60 + "a" + ")" * 60, "expression is nested deeper than 50: compute it in parts"),
    ("-" * 60 + "a", "expression is nested deeper than 50: compute it in parts"),
    ("+".join(["a"] * 250), "nested deeper than 200: compute it in parts"),
    ("a" * 10_001, "expression has 10001 characters: at most 10000 are read; compute it in parts"),
    ("a +\n b", "expression has the character '\\n': it is one line"),
    ("1or2 + a", "cannot be read"),
]


@pytest.mark.parametrize(("text", "message"), EXPRESSIONS)
def test_expressions_that_are_none(text: str, message: str) -> None:
    with pytest.raises(nttforge.FormatError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "compute"),
    [
        ("a*b - -c", lambda a, b, c: a * b + c),
        ("sum(a*b) + 2*c", lambda a, b, c: (a * b).sum() + 2 * c),
        ("a[1:4] + b[-1]", lambda a, b, c: a[1:4] + b[-1]),
        (
            "[[1, 2, 0, 1], [0, 1, -1, 2]] @ a",
            lambda a, b, c: MATRIX @ a,
        ),
        ("precision(a, 0.01) * 0.125 + b", lambda a, b, c: a * 0.125 + b),
        ("dot(a, b) + polynomial(c, [1, 0, 2])", lambda a, b, c: a @ b + 1 + 2 * c**2),
        (
            "convolve(a, [1, 2])[0:2] + c[0:2]**2",
            lambda a, b, c: np.convolve(a, [1, 2])[:2] + c[:2] ** 2,
        ),
        ("roll(+a, -1) @ b", lambda a, b, c: np.roll(a, -1) @ b),
    ],
)
def test_expressions_as_numpy(text: str, compute: Callable[..., object]) -> None:
    arrays = {name: np.array(v) for name, v in (("a", [1, 2, 3, 4]), ("b", [2, -1, 0, 5]))}
    arrays["c"] = np.array([1, 1, 2, -3])
    expression = parse(text)
    specs = {name: nttforge.ArraySpec((4,), -9, 9, block=8) for name in expression.names}
    choice = nttforge.choose(lambda **given: expression.evaluate(given), specs)
    keys = choice.generate_keys(nttforge.bfv.Context(choice.parameters))
    inputs = {
        name: nttforge.EncryptedArray.encrypt(arrays[name], keys, block=8, bounds=(-9, 9))
        for name in expression.names
    }
    assert np.array_equal(expression.evaluate(inputs).decrypt(keys), compute(**arrays))


def test_real_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Floats in, floats out, with the precision; what is of noise budgets is refused."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(4)
    a, b = draw.uniform(0, 100, 50), draw.uniform(-5, 5, 50)
    rows = "\n".join(f"{x!r},{y!r}" for x, y in zip(a.tolist(), b.tolist(), strict=True))
    Path("t.csv").write_text(f"a,b\n{rows}\n", encoding="utf-8")
    text, inputs = "0.3*a + mean(b*b)", ["--input", "a=50:0..100", "b=50:-5..5"]
    words = ["he", "parameters", "--for", text, *inputs, "--out", "p.json", "--scheme", "ckks"]
    assert main([*words, "--precision", "15"]) == 0
    assert "bits behind the point of the results" in capsys.readouterr().out
    assert main(["he", "keys", "--plan", "p.json", "--out", "keys", "--scheme", "ckks"]) == 0
    bounds = ["--bounds", "a=0..100", "b=-5..5"]
    assert main(["he", "encrypt", "t.csv", "--keys", "keys/client", "--out", "in", *bounds]) == 0
    evaluate = ["he", "eval", text, "--keys", "keys/server", "--in", "in"]
    assert main([*evaluate, "--out", "r.enc"]) == 0
    assert "bits behind the point; " in capsys.readouterr().out
    decrypt = ["decrypt", "r.enc", "--keys", "keys/client", "--out", "r.csv"]
    for name in ("he", "bfv"):  # the name that the command had
        assert main([name, *decrypt]) == 0
        assert "r: off by at most" in capsys.readouterr().err
    found = np.loadtxt("r.csv", skiprows=1)
    assert np.abs(found - 0.3 * a - np.mean(b * b)).max() < 2**-13
    assert main(["he", "inspect", "p.json", "r.enc", "keys/client/parameters.bin"]) == 0
    shown = capsys.readouterr().out
    assert "CKKS" in shown and "scale" in shown
    for call, message in (
        ([*evaluate, "--check"], "--check is for noise budgets, of BFV"),
        (["he", *decrypt, "--scheme", "bfv"], "--scheme bfv: the keys in keys/client are of ckks"),
        (["he", "params", "--precision", "9"], "--precision goes with --for"),
        (["he", "eval", "a - roll(b, 1)", *evaluate[3:], "--out", "s.enc"], "rotation"),
    ):
        assert main(call) == 2
        assert message in capsys.readouterr().err
