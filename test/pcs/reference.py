"""Runs lines of an installed pcs for the differential fuzz test (reference.ts): a line of JSON in, a line of JSON out.
A list is a command line; {"validate": FILE} asks whether the CIB in the file is valid against the schema that it names.

Importing pcs takes longer than most of its commands, so each line runs in a forked copy of one process that has imported it.
The argument is the folder of a system that pcs was unpacked in, with Pacemaker's programs in tools/ (scripts/install.sh pcs); / is this one.
"""

import json
import os
import sys
import tempfile

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "usr/lib/python3/dist-packages"))

from pcs import settings  # noqa: E402


def use_tools(folder):
    """Pacemaker's programs of that system in place of this one's."""
    tools = set(os.listdir(folder))
    for name, value in vars(settings).items():
        if name.endswith("_exec") and os.path.basename(value or "") in tools:
            setattr(settings, name, os.path.join(folder, os.path.basename(value)))
    settings.pacemaker_execs = folder
    settings.pacemaker_api_result_schema = os.path.join(
        root, "usr/share/pacemaker/api/api-result.rng"
    )


settings.pcs_data_dir = os.path.join(root, "usr/share/pcs/data/")
if os.path.isdir(os.path.join(root, "tools")):
    use_tools(os.path.join(root, "tools"))

from lxml import etree  # noqa: E402
from pcs.app import main  # noqa: E402


def run(args):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            run_here(args, out, err)
        _, status = os.waitpid(child, 0)
        return {
            "exitCode": os.waitstatus_to_exitcode(status),
            "standardOutput": text_of(out),
            "standardError": text_of(err),
        }


def run_here(args, out, err):
    """Never returns: the copy ends as pcs would have ended."""
    code = 1
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.argv = ["pcs", *args]
        code = main(args) or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:  # a bug of pcs is an answer as well
        print(f"pcs broke: {error!r}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def text_of(file):
    file.seek(0)
    return file.read().decode(errors="replace")


schemas = {}


def complaint_of(path):
    """Why the CIB in the file breaks the schema that it names, in a sentence; None where it does not."""
    cib = etree.parse(path).getroot()
    name = cib.get("validate-with", "none")
    found = [
        folder
        for folder in (os.path.join(root, "usr/share/pacemaker"), "/usr/share/pacemaker")
        if os.path.exists(os.path.join(folder, name + ".rng"))
    ]
    if not found:
        return None
    if name not in schemas:
        schemas[name] = etree.RelaxNG(file=os.path.join(found[0], name + ".rng"))
    # pcs and Pacemaker judge the configuration alone.
    for status in cib.findall("status"):
        status.clear()
    if schemas[name].validate(cib):
        return None
    return "; ".join(str(error.message) for error in schemas[name].error_log)


def answer(asked):
    if isinstance(asked, list):
        return run(asked)
    return {"complaint": complaint_of(asked["validate"])}


print(json.dumps({"version": settings.pcs_version}), flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
