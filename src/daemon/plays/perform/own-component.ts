/**
 * Components that users have written for Directord, in Python: a class `Component` with `args`, `server` and `client`. What they import of Directord is here as they
 * are documented: the parser of arguments, `run_command`, `blueprinter` and `set_cache`.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Component } from '../../../plays/index.ts'
import type { Ran, RunHow } from './run-command.ts'
import { runCommand } from './run-command.ts'

const base = `
import argparse, json, logging, os, socket, subprocess

class Driver:
    identity = os.environ.get("SYSTOLE_NODE") or socket.gethostname()

class ComponentBase:
    command = None
    info = None
    verb = None
    driver = Driver()
    queue_sentinel = False

    def __init__(self, desc=None):
        self.desc = desc
        self.log = logging.getLogger("directord")
        self.known_args = None
        self.unknown_args = None
        self.cacheable = True
        self.requires_lock = False
        self.block_on_tasks = None

    def args(self):
        self.parser = argparse.ArgumentParser(description=self.desc, allow_abbrev=False, add_help=False)
        self.parser.add_argument("--exec-help", action="help")
        for name in ("--skip-cache", "--run-once", "--force-lock"):
            self.parser.add_argument(name, action="store_true")
        self.parser.add_argument("--timeout", default=600, type=int)
        self.parser.add_argument("--stdout-arg")
        self.parser.add_argument("--stderr-arg")

    def server(self, exec_array=None, data=None, arg_vars=None, exec_string=None):
        self.args()
        self.exec_parser(self.parser, [exec_string] if exec_array is None else exec_array, arg_vars)

    @staticmethod
    def sanitized_args(execute):
        return [word for part in execute or [] if part for word in part.split()]

    def exec_parser(self, parser, exec_array, arg_vars=None):
        self.known_args, self.unknown_args = parser.parse_known_args(self.sanitized_args(exec_array))
        for key, value in (arg_vars or {}).items():
            setattr(self.known_args, key, value)
        return self.known_args, self.unknown_args

    def options_converter(self, documentation):
        try:
            import yaml
        except ImportError:
            raise RuntimeError("There is no yaml for python3 on this node.")
        kinds = {"int": int, "float": float, "list": lambda text: text.split(","), "dict": json.loads}
        for name, about in (yaml.safe_load(documentation).get("options") or {}).items():
            kind = str(about.get("type", "str")).lower()
            how = {"action": "store_true"} if kind == "bool" else {"type": kinds.get(kind, str)}
            if kind != "bool" and about.get("choices"):
                how["choices"] = about["choices"]
            text = about.get("description") or ""
            required = str(about.get("required", False)).lower() in ("true", "yes")
            self.parser.add_argument("--" + name.replace("_", "-"), default=about.get("default"), required=required,
                                     help=(" ".join(text) if isinstance(text, list) else str(text)).replace("%", "%%"), **how)

    def parser_error(self):
        return self.parser.print_help()

    def close(self):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args, **kwargs):
        self.close()

    def client(self, *args, **kwargs):
        pass

    @staticmethod
    def run_command(command, shell=True, env=None, execute="/bin/sh", return_codes=None, no_block=False):
        codes = [return_codes] if isinstance(return_codes, int) else (return_codes or [0])
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, executable=execute if shell else None,
                                   env=dict(os.environ, **(env or {})), shell=shell, start_new_session=no_block)
        if no_block:
            return None, None, True
        output, error = process.communicate()
        return output, error, process.returncode in codes

    def blueprinter(self, content, values, allow_empty_values=False):
        try:
            import jinja2
        except ImportError:
            return False, "There is no jinja2 for python3 on this node."
        try:
            template = jinja2.Environment(keep_trailing_newline=True, undefined=jinja2.StrictUndefined).from_string(content)
            return True, template.render(**(values or {}))
        except Exception as error:
            return False, str(error)

    def file_blueprinter(self, cache, file_to):
        with open(file_to) as source:
            done, content = self.blueprinter(source.read(), cache.get("args"))
        if not done:
            return False, content
        with open(file_to, "w") as target:
            target.write(content)
        return True, None

    @staticmethod
    def set_cache(cache, key, value, value_update=False, extend=False, **more):
        if value_update:
            value = dict(cache.get(key) or {}, **value)
        cache[key] = value
        return True
`

/** What `--stdout-arg` and `--timeout` do is done for every component: these only let a component load that names them. */
const library = `
def cacheargs(func):
    return func

timeout = cacheargs

def retry(func):
    def again(*args, **kwargs):
        for _ in range(max(int(kwargs["job"].get("retry") or 1), 1)):
            result = func(*args, **kwargs)
            if result[2]:
                break
        return result
    return again
`

const runner = `
import importlib.util, inspect, json, sys
sys.path.insert(0, sys.argv[1])
with open(sys.argv[3]) as source:
    given = json.load(source)
spec = importlib.util.spec_from_file_location("component", sys.argv[2])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
component = module.Component()
names = inspect.signature(component.server).parameters
words = given["text"].split()
how = {"exec_string": given["text"]} if "exec_string" in names else {"exec_array": words}
data = component.server(data={}, arg_vars=given["vars"], **how) or {}
class Cache(dict):
    def get(self, key, default=None, **more):
        return super().get(key, default)
    def set(self, key, value, **more):
        self[key] = value
        return True
cache = Cache(args=given["args"], envs=given["envs"])
more = {"conn": None} if "conn" in inspect.signature(component.client).parameters else {}
result = component.client(cache=cache, job=data, **more)
stdout, stderr, outcome = result[0], result[1], result[2]
text = lambda value: value.decode() if isinstance(value, bytes) else "" if value is None else str(value)
with open(sys.argv[4], "w") as target:
    json.dump({"stdout": text(stdout), "stderr": text(stderr), "ok": bool(outcome), "args": cache.get("args") or {}}, target)
`

interface Result {
  readonly stdout: string
  readonly stderr: string
  readonly ok: boolean
  readonly args: Readonly<Record<string, unknown>>
}

export interface OwnRun extends Ran {
  /** What it has put into the cache. */
  readonly args: Readonly<Record<string, unknown>>
}

export async function runOwnComponent(
  { verb, text = '', options, files = [] }: Component,
  values: { readonly args: Readonly<Record<string, unknown>>; readonly envs: Readonly<Record<string, string>> },
  how: RunHow,
): Promise<OwnRun> {
  const [program] = files
  if (program === undefined) throw new Error(`The component ${verb} has no program.`)
  const folder = mkdtempSync(join(tmpdir(), 'systole-component-'))
  try {
    mkdirSync(join(folder, 'directord/components/lib'), { recursive: true })
    writeFileSync(join(folder, 'directord/__init__.py'), '')
    writeFileSync(join(folder, 'directord/components/__init__.py'), base)
    writeFileSync(join(folder, 'directord/components/lib/__init__.py'), library)
    writeFileSync(join(folder, 'component.py'), Buffer.from(program.data, 'base64'))
    writeFileSync(join(folder, 'run.py'), runner)
    const given = { text, vars: booleans(options), ...values }
    writeFileSync(join(folder, 'given.json'), JSON.stringify(given), { mode: 0o600 })
    const words = ['run.py', '', 'component.py', 'given.json', 'result.json'].map((name) => join(folder, name))
    const ran = await runCommand(['python3', ...words], how)
    if (ran.exitCode !== 0) return { ...ran, args: {} }
    const { stdout, stderr, ok, args } = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')) as Result
    if (stdout !== '') process.stdout.write(stdout.endsWith('\n') ? stdout : `${stdout}\n`)
    if (stderr !== '') process.stderr.write(stderr.endsWith('\n') ? stderr : `${stderr}\n`)
    return { exitCode: ok ? 0 : 1, stdout, stderr, args }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const booleans = (options: Component['options']): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name.replaceAll('-', '_'), value === '' ? true : value]),
  )
