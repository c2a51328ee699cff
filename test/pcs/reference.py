"""Runs lines of an installed pcs for the differential fuzz test (reference.ts): a line of JSON in, a line of JSON out.
A list is a command line; {"validate": FILE} asks whether the CIB in the file is valid against the schema that it names.

Importing pcs takes longer than most of its commands, so each line runs in a forked copy of one process that has imported it.
The argument is the folder of a system that pcs was unpacked in, with Pacemaker's programs in tools/ (scripts/install.sh pcs); / is this one.
"""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
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

remembered = tempfile.mkdtemp(prefix="systole-pcs-agents-")


class Known:
    """A program whose answer is known: it is not run."""

    def __init__(self, file):
        with open(file, "rb") as answer:
            self.returncode, self.said = pickle.load(answer)

    def communicate(self, *_args, **_options):
        return self.said


class Asked(subprocess.Popen):
    """A program that pcs calls, whose answer is kept where it comes from its words and the CIB alone."""

    def __init__(self, args, **options):
        super().__init__(args, **options)
        self.asked, self.cib = args, (options.get("env") or {}).get("CIB_file")

    def communicate(self, *args, **options):
        said = super().communicate(*args, **options)
        if is_kept(self.asked):
            keep(answer_file(self.asked, self.cib), (self.returncode, said))
        elif "--patch" in self.asked and self.returncode == 0:
            # What cibadmin has written it prints as it stands.
            query = [self.asked[0], *QUERY]
            keep(answer_file(query, self.cib), (0, (text_at(self.cib), "")))
        return said


def call(args, **options):
    """In place of subprocess.Popen: an agent takes up to two seconds to say what it is, and a query of the CIB a tenth of one."""
    file = answer_file(args, (options.get("env") or {}).get("CIB_file")) if is_kept(args) else None
    return Known(file) if file and os.path.exists(file) else Asked(args, **options)


QUERY = ["--local", "--query"]
ALWAYS_THE_SAME = {
    "--show-metadata",
    "--metadata",
    "metadata",
    "--help-all",
    "--list-options",
    "--list-agents",
    "--list-ocf-providers",
    "--list-standards",
    "--validate",
}


def is_kept(args):
    return args[1:] == QUERY or any(word in ALWAYS_THE_SAME for word in args)


def answer_file(args, cib):
    asked = repr(args) + (text_at(cib) if args[1:] == QUERY else "")
    return os.path.join(remembered, hashlib.sha256(asked.encode()).hexdigest())


def text_at(file):
    if not file or not os.path.exists(file):
        return ""
    with open(file, encoding="utf8", errors="replace") as text:
        return text.read()


def keep(file, answer):
    with open(file, "wb") as kept:
        pickle.dump(answer, kept)


external = __import__("pcs.lib.external", fromlist=["subprocess"])


class WithCalls:
    """The module as pcs sees it."""

    Popen = staticmethod(call)

    def __getattr__(self, name):
        return getattr(subprocess, name)


external.subprocess = WithCalls()

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

shutil.rmtree(remembered, ignore_errors=True)
