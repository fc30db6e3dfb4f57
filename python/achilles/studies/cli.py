"""The commands sweep, converge and sensitivity.

  python -m achilles.studies sweep STUDY -o FOLDER
  python -m achilles.studies sweep show FOLDER
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from typing import Any

import achilles

from .cluster import ClusterError
from .convergence import converge, sensitivity
from .page import write_page, write_summary
from .plan import list_runs, read_all_scenes
from .run_one import record
from .runner import sweep
from .schema import schema
from .store import STUDY, StoreError, open_results
from .study import Study, StudyError

DONE, OTHER, BAD_INPUT = 0, 1, 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["sweep"] and arguments[1:2] in (["show"], ["replay"]):
        arguments = arguments[1:]  # as the program achilles spells it
    options = _make_parser().parse_args(arguments)
    try:
        return options.chosen(options)
    except (StudyError, achilles.SceneError) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except (StoreError, ClusterError, OSError) as error:
        print(f"achilles: error: {error}", file=sys.stderr)
        return OTHER
    except KeyboardInterrupt:
        print("\nachilles: interrupted; the same command continues", file=sys.stderr)
        return INTERRUPTED


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="achilles", description="Many runs of one scene")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_sweep(commands)
    _add_show(commands)
    _add_replay(commands)
    _add_converge(commands)
    _add_sensitivity(commands)
    commands.add_parser("schema", help="print the JSON Schema of study files").set_defaults(chosen=_print_schema)
    return parser


def _add_sweep(commands: Any) -> None:
    command = commands.add_parser("sweep", help="run a study, or continue it")
    command.add_argument("study", metavar="STUDY", help="study file (YAML)")
    command.add_argument("-o", "--output", required=True, help="folder of the results; one that exists is continued")
    command.add_argument("--workers", type=_positive, help="processes on this machine; default: one per core")
    command.add_argument("--cluster", metavar="ADDRESS", help="hand the runs to this Dask scheduler")
    command.add_argument("--retry", action="store_true", help="do those again that crashed or went beyond a limit")
    command.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    command.set_defaults(chosen=_sweep)


def _add_show(commands: Any) -> None:
    command = commands.add_parser("show", help="print what a sweep found, or write its page")
    command.add_argument("results", metavar="FOLDER", help="folder of a sweep")
    command.add_argument("--report", metavar="DIR", help="write a page into this folder")
    command.set_defaults(chosen=_show)


def _add_replay(commands: Any) -> None:
    command = commands.add_parser("replay", help="run one run of a sweep again and record it")
    command.add_argument("results", metavar="FOLDER", help="folder of a sweep")
    command.add_argument("run", metavar="RUN", help="identity of the run, or how it begins")
    command.add_argument("-r", "--record", metavar="FILE", help="recording; default RUN.h5")
    command.set_defaults(chosen=_replay)


def _add_converge(commands: Any) -> None:
    command = commands.add_parser("converge", help="halve the step until a figure settles")
    command.add_argument("scene", metavar="SCENE")
    command.add_argument("--figure", required=True, help="expression on the report, e.g. energy.final")
    command.add_argument("--methods", type=lambda text: text.split(","), help="M1,M2,...; default: the scene's")
    command.add_argument("--levels", type=_positive, default=6, help="steps to try at most (default 6)")
    command.add_argument("--tolerance", type=float, default=1e-3, help="relative change that counts as settled")
    _add_common(command)
    command.set_defaults(chosen=_converge)


def _add_sensitivity(commands: Any) -> None:
    command = commands.add_parser("sensitivity", help="rank parameters by what they do to a figure")
    command.add_argument("scene", metavar="SCENE")
    command.add_argument("--figure", required=True, help="expression on the report, e.g. energy.final")
    command.add_argument("--over", required=True, action="append", type=_range, metavar="PATH=LOW:HIGH")
    command.add_argument("--method", "-m", help="method in place of the scene's")
    _add_common(command)
    command.set_defaults(chosen=_sensitivity)


def _add_common(command: Any) -> None:
    command.add_argument("--set", "-s", action="append", default=[], type=_assignment, metavar="PATH=VALUE")
    command.add_argument("--workers", type=_positive, help="processes; default: one per core")
    command.add_argument("--cluster", metavar="ADDRESS", help="hand the runs to this Dask scheduler")
    command.add_argument("--limit", type=float, default=600.0, help="wall time of one run [s] (default 600)")


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1")
    return value


def _assignment(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals or not path:
        raise argparse.ArgumentTypeError(f"'{text}' is not PATH=VALUE")
    try:
        return path, json.loads(value)
    except ValueError:
        return path, value


def _range(text: str) -> tuple[str, tuple[float, float]]:
    path, equals, ends = text.partition("=")
    low, colon, high = ends.partition(":")
    try:
        pair = float(low), float(high)
    except ValueError:
        pair = (1.0, 0.0)
    if not equals or not colon or not path or not pair[0] < pair[1]:
        raise argparse.ArgumentTypeError(f"'{text}' is not PATH=LOW:HIGH with numbers LOW < HIGH")
    return path, pair


def _print_schema(_options: argparse.Namespace) -> int:
    print(json.dumps(schema(), indent=2))
    return DONE


def _sweep(options: argparse.Namespace) -> int:
    results = sweep(options.study, options.output, workers=options.workers, cluster=options.cluster,
                    retry=options.retry, quiet=options.quiet)
    if not options.quiet:
        print(write_summary(results))
    return DONE


def _show(options: argparse.Namespace) -> int:
    results = open_results(options.results)
    if options.report:
        study = results.folder / STUDY
        title = results.folder.name
        if study.exists():
            title = _read_title(study) or title
        print(write_page(results, options.report, title))
    else:
        print(write_summary(results))
    return DONE


def _read_title(path: pathlib.Path) -> str:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("name:"):
            return line.removeprefix("name:").strip().strip("'\"")
    return ""


def _replay(options: argparse.Namespace) -> int:
    results = open_results(options.results)
    rows = [row for row in results.rows if row["id"].startswith(options.run)]
    if len(rows) != 1:
        raise StoreError(f"{len(rows)} runs of {results.folder} begin with '{options.run}'")
    study_file = results.folder / STUDY
    study = Study.load_copy(study_file, results.scenes)
    files = read_all_scenes(study)
    run = next((r for r in list_runs(study, files, achilles.__version__) if r.id == rows[0]["id"]), None)
    if run is None:
        raise StoreError("a scene or the library has changed since the run was made: it cannot be repeated")
    path = options.record or f"{run.id}.h5"
    record(run, str(study.scenes[run.scene]), path)
    print(path)
    return DONE


def _converge(options: argparse.Namespace) -> int:
    found = converge(options.scene, options.figure, methods=options.methods, levels=options.levels,
                     tolerance=options.tolerance, overrides=dict(options.set), workers=options.workers,
                     cluster=options.cluster, limit=options.limit)
    print("\n".join(item.describe() for item in found))
    return DONE


def _sensitivity(options: argparse.Namespace) -> int:
    found = sensitivity(options.scene, options.figure, dict(options.over), method=options.method,
                        overrides=dict(options.set), workers=options.workers, cluster=options.cluster,
                        limit=options.limit)
    width = max(len(effect.parameter) for effect in found)
    print(f"{'parameter':<{width}}  {'low':>10}  {'high':>10}  {'at low':>12}  {'at middle':>12}  {'at high':>12}  {'moves by':>12}")
    for e in found:
        print(f"{e.parameter:<{width}}  {e.low:>10.4g}  {e.high:>10.4g}  {e.value_low:>12.5g}  {e.value_middle:>12.5g}  "
              f"{e.value_high:>12.5g}  {e.size:>12.5g}")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
