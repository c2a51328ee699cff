// test/nodes/lab/lab.ts
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync as mkdirSync2, mkdtempSync, readFileSync as readFileSync2, rmSync, symlinkSync, writeFileSync as writeFileSync2 } from "node:fs";
import { tmpdir } from "node:os";
import { join as join4, resolve } from "node:path";
import { setTimeout as delay2 } from "node:timers/promises";

// test/nodes/lab/bmc.ts
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
var bmcUser = "admin";
var bmcPassword = "lab-secret";
var PowerControllers = class {
  #folder;
  #network;
  #powerSocket;
  #running = /* @__PURE__ */ new Map();
  constructor(folder, network, powerSocket) {
    this.#folder = folder;
    this.#network = network;
    this.#powerSocket = powerSocket;
  }
  start(node) {
    const folder = join(this.#folder, "bmc", node);
    mkdirSync(join(folder, "state"), { recursive: true });
    const hook = join(folder, "hook");
    writeFileSync(hook, hookScript(node, this.#powerSocket));
    chmodSync(hook, 493);
    writeFileSync(join(folder, "lan.conf"), lanConfiguration(node, this.#network.bmcAddress(node), hook));
    writeFileSync(join(folder, "bmc.emu"), emulatorCommands);
    const log = openSync(join(folder, "log"), "a");
    const simulator = [
      "ipmi_sim",
      "-n",
      "-c",
      join(folder, "lan.conf"),
      "-f",
      join(folder, "bmc.emu"),
      "-s",
      join(folder, "state")
    ];
    const child = spawn("ip", ["netns", "exec", this.#network.switchSpace, ...simulator], {
      stdio: ["ignore", log, log]
    });
    this.#running.set(node, child);
  }
  /** Ends the controller: the node's fence device does not answer any more. */
  async stop(node) {
    const child = this.#running.get(node);
    this.#running.delete(node);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended2 = once(child, "exit");
    child.kill("SIGKILL");
    await ended2;
  }
  async close() {
    for (const node of [...this.#running.keys()]) await this.stop(node);
  }
};
function hookScript(node, socket) {
  return `#!/bin/sh
ask() { printf '%s ${node}\\n' "$1" | nc -N -U -w 20 ${socket}; }
case "$1" in 0x*) shift;; esac
case "$1 $2 $3" in
  'get power '*) case "$(ask status)" in 'OK on') echo power:1;; 'OK off') echo power:0;; *) exit 1;; esac;;
  'get boot '*) echo boot:default;;
  'set power 0'|'set shutdown '*) answer=$(ask off);;
  'set power 1') answer=$(ask on);;
  'set reset '*) answer=$(ask reset);;
  'set boot '*|'check '*) ;;
  *) exit 1;;
esac
case "$answer" in ERR*) exit 1;; esac
exit 0
`;
}
function lanConfiguration(node, address, hook) {
  const levels = ["callback", "user", "operator", "admin"].map((level) => `    allowed_auths_${level} md5`);
  return [
    `name "bmc-${node}"`,
    "set_working_mc 0x20",
    "  startlan 1",
    `    addr ${address} 623`,
    "    priv_limit admin",
    ...levels,
    "    guid a123456789abcdefa123456789abcdef",
    "  endlan",
    `  chassis_control "${hook}"`,
    '  user 1 true  ""       "test"   user  10 none md2 md5 straight',
    `  user 2 true  "${bmcUser}" "${bmcPassword}" admin 10 md5`,
    ""
  ].join("\n");
}
var emulatorCommands = `mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
`;

// test/nodes/lab/client.ts
import { spawn as spawn2 } from "node:child_process";
import { once as once2 } from "node:events";
import { join as join2 } from "node:path";
import { createInterface } from "node:readline";
var Client = class {
  answers = [];
  #child;
  constructor(network, url, intervalMs = 10) {
    const poller = [process.execPath, join2("/work/main/test/nodes/lab", "client-poller.mjs"), url, String(intervalMs)];
    this.#child = spawn2("ip", ["netns", "exec", network.clientSpace, ...poller], { stdio: ["pipe", "pipe", "inherit"] });
    const { stdout } = this.#child;
    if (stdout) createInterface({ input: stdout }).on("line", (line) => this.answers.push(JSON.parse(line)));
  }
  get lastGood() {
    return this.answers.findLast(({ ok }) => ok);
  }
  /** Good answers to questions that were asked since a moment. */
  goodSince(moment) {
    return this.answers.filter(({ ok, asked }) => ok && asked >= moment);
  }
  /** The longest time between two good answers since a moment, in milliseconds. */
  longestGapMs(since) {
    const times = this.answers.filter(({ ok, answered }) => ok && answered >= since).map(({ answered }) => answered);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? Math.min(since, time)));
    return Math.max(0, ...gaps);
  }
  /** Failures of two questions in a row: what a client that retries once would see as an error. */
  failuresDespiteOneRetry(since) {
    const asked = this.answers.filter((answer) => answer.asked >= since).sort((a, b) => a.asked - b.asked);
    return asked.filter((answer, index) => !answer.ok && asked[index + 1]?.ok === false).length;
  }
  async close() {
    if (this.#child.exitCode !== null) return;
    const ended2 = once2(this.#child, "exit");
    this.#child.stdin?.end();
    await ended2;
  }
};

// test/nodes/lab/network.ts
import { execFile } from "node:child_process";
import { promisify } from "node:util";
var execute = promisify(execFile);
async function run(program, ...args) {
  try {
    const { stdout } = await execute(program, [...args], { maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { message, stdout, stderr } = error;
    throw new Error(`${message.split("\n")[0]}
${stdout ?? ""}${stderr ?? ""}`, { cause: error });
  }
}
var LabNetwork = class {
  name;
  nodes;
  constructor(name, nodes) {
    this.name = name;
    this.nodes = nodes;
  }
  get switchSpace() {
    return `${this.name}-sw`;
  }
  get clientSpace() {
    return `${this.name}-cl`;
  }
  nodeSpace(node) {
    return `${this.name}-${node}`;
  }
  address(node) {
    return `10.83.0.${this.#number(node)}`;
  }
  outOfBandAddress(node) {
    return `10.83.1.${this.#number(node)}`;
  }
  bmcAddress(node) {
    return `10.83.1.${100 + this.#number(node)}`;
  }
  virtualAddress = "10.83.0.200";
  #number(node) {
    return this.nodes.indexOf(node) + 1;
  }
  async create() {
    const { switchSpace, clientSpace } = this;
    for (const space of [switchSpace, clientSpace, ...this.nodes.map((node) => this.nodeSpace(node))])
      await run("ip", "netns", "add", space);
    await this.#inSwitch(
      "link set lo up",
      "link add br0 type bridge",
      "link add br1 type bridge",
      "link set br0 up",
      "link set br1 up",
      "addr add 10.83.0.254/24 dev br0",
      ...this.nodes.map((node) => `addr add ${this.bmcAddress(node)}/24 dev br1`),
      `link add d-cl type veth peer name eth0 netns ${clientSpace}`,
      "link set d-cl master br0 up"
    );
    for (const node of this.nodes) {
      const space = this.nodeSpace(node);
      await this.#inSwitch(
        `link add d-${node} type veth peer name eth0 netns ${space}`,
        `link add o-${node} type veth peer name oob0 netns ${space}`,
        `link set d-${node} master br0 up`,
        `link set o-${node} master br1 up`
      );
    }
    await batch(clientSpace, ["link set lo up", "addr add 10.83.0.253/24 dev eth0", "link set eth0 up"]);
    await run("ip", "netns", "exec", switchSpace, "nft", "add table bridge lab");
    await run(
      "ip",
      "netns",
      "exec",
      switchSpace,
      "nft",
      "add chain bridge lab cuts { type filter hook forward priority 0 ; }"
    );
  }
  /** Pulls or plugs the node's cables to the cluster's switch. Its power controller stays reachable. */
  async link(node, state) {
    await this.#inSwitch(`link set d-${node} ${state}`);
  }
  /** Splits the nodes into sides that cannot reach each other; the client reaches all of them. */
  async split(sides) {
    await this.heal();
    const rules = sides.flatMap(
      (side) => this.nodes.filter((other) => !side.includes(other)).flatMap(
        (other) => side.map((node) => `add rule bridge lab cuts iifname "d-${node}" oifname "d-${other}" drop`)
      )
    );
    for (const rule of rules) await run("ip", "netns", "exec", this.switchSpace, "nft", rule);
  }
  async heal() {
    await run("ip", "netns", "exec", this.switchSpace, "nft", "flush chain bridge lab cuts");
    for (const node of this.nodes) await this.link(node, "up");
  }
  async remove() {
    const existing = (await run("ip", "netns", "list")).split("\n").map((line) => line.split(" ")[0] ?? "");
    for (const space of existing.filter((name) => name.startsWith(`${this.name}-`)))
      await run("ip", "netns", "delete", space);
  }
  async #inSwitch(...lines) {
    await batch(this.switchSpace, lines);
  }
};
async function batch(space, lines) {
  for (const line of lines) await run("ip", "-n", space, ...line.split(" "));
}

// test/nodes/lab/power.ts
import { spawn as spawn3 } from "node:child_process";
import { once as once3 } from "node:events";
import { appendFileSync, openSync as openSync2, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join as join3 } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
var PowerSupply = class {
  #folder;
  #network;
  #programs;
  #powered = /* @__PURE__ */ new Map();
  /** Nodes whose power controller answers with an error. */
  brokenControllers = /* @__PURE__ */ new Set();
  /** Whether a node that is reset or switched on by its controller boots again. */
  autoBoot = true;
  /** A second place for the socket, where the nodes themselves can see it. */
  extraSocket;
  #servers = [];
  constructor(folder, network, programs) {
    this.#folder = folder;
    this.#network = network;
    this.#programs = programs;
  }
  get socketPath() {
    return join3(this.#folder, "power.sock");
  }
  isOn(node) {
    return this.#powered.has(node);
  }
  /** The host's process id of the node's PID 1: the door into its namespaces. */
  pid1(node) {
    const powered = this.#powered.get(node);
    if (!powered) throw new Error(`The lab node ${node} has no power.`);
    return powered.pid1;
  }
  async on(node) {
    if (this.#powered.has(node)) return;
    const network = this.#network;
    await network.link(node, "up");
    const log = openSync2(join3(this.#folder, "nodes", node, "init.log"), "a");
    const init = join3("/work/main/test/nodes/lab", "node-init.sh");
    const inSpace = ["netns", "exec", network.nodeSpace(node), "unshare", "-m", "-u", "-i", "-p", "-f", "--mount-proc"];
    const args = [init, this.#folder, node, network.address(node), network.outOfBandAddress(node), this.#programs];
    const child = spawn3("ip", [...inSpace, ...args], { stdio: ["ignore", log, log], detached: true });
    this.#powered.set(node, { child, pid1: await firstChild(child) });
    this.#note(`${node} on`);
  }
  async off(node) {
    const powered = this.#powered.get(node);
    if (!powered) return;
    this.#note(`${node} off`);
    await this.#network.link(node, "down");
    const ended2 = powered.child.exitCode === null ? once3(powered.child, "exit") : Promise.resolve();
    process.kill(powered.pid1, "SIGKILL");
    await ended2;
    this.#powered.delete(node);
  }
  /** Serves `status|on|off|reset|reboot NODE`, a line each, for the power controllers and for simple fence agents. */
  async serve() {
    for (const path of [this.socketPath, this.extraSocket]) if (path !== void 0) await this.#serveAt(path);
  }
  async #serveAt(path) {
    const server = createServer((socket) => {
      let text = "";
      socket.on("data", (data) => {
        text += data.toString();
        if (!text.includes("\n")) return;
        this.#answer(text.trim()).then(
          (answer) => socket.end(`${answer}
`),
          (error) => socket.end(`ERR ${String(error)}
`)
        );
      });
      socket.on("error", (error) => this.#note(`socket: ${error.message}`));
    });
    server.listen(path);
    await once3(server, "listening");
    this.#servers.push(server);
  }
  async #answer(line) {
    const [command, node = ""] = line.split(" ");
    if (command === "ping") return "OK";
    if (command === "list")
      return this.#network.nodes.map((name) => `${name},${this.isOn(name) ? "on" : "off"}`).join(";");
    if (this.brokenControllers.has(node)) return "ERR broken";
    if (command === "status") return this.isOn(node) ? "OK on" : "OK off";
    const cycles = command === "reset" || command === "reboot";
    if (command === "off" || cycles) await this.off(node);
    if (command === "on" || cycles && this.autoBoot) await this.on(node);
    return "OK";
  }
  async close() {
    for (const server of this.#servers) server.close();
    for (const node of [...this.#powered.keys()]) await this.off(node);
  }
  #note(event) {
    appendFileSync(join3(this.#folder, "power.log"), `${(Date.now() / 1e3).toFixed(3)} ${event}
`);
  }
};
async function firstChild(parent) {
  for (let attempt = 0; attempt < 1e3; attempt++) {
    if (parent.exitCode !== null) throw new Error(`The lab node's init ended at once, with ${parent.exitCode}.`);
    const children = parent.pid ? childrenOf(parent.pid) : [];
    if (children[0] !== void 0) return children[0];
    await delay(5);
  }
  throw new Error("The lab node did not start within 5 s.");
}
function childrenOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

// test/nodes/lab/lab.ts
var Lab = class {
  folder;
  network;
  power;
  controllers;
  #clients = [];
  constructor(nodes) {
    this.folder = mkdtempSync(join4(tmpdir(), "systole-lab-"));
    this.network = new LabNetwork(`lab${randomBytes(3).toString("hex")}`, nodes);
    const programs = join4(this.folder, "programs");
    mkdirSync2(programs);
    for (const program of ["systole", "systoled"])
      symlinkSync(resolve("/work/main/test/nodes/lab", "../../../bin", program), join4(programs, program));
    this.power = new PowerSupply(this.folder, this.network, programs);
    this.controllers = new PowerControllers(this.folder, this.network, this.power.socketPath);
  }
  get nodes() {
    return this.network.nodes;
  }
  /** Namespaces, power controllers, and power on everywhere. No node knows of a cluster yet. */
  async start() {
    const hosts = this.nodes.map((node) => `${this.network.address(node)} ${node}`);
    writeFileSync2(join4(this.folder, "hosts"), `127.0.0.1 localhost
${hosts.join("\n")}
`);
    for (const node of this.nodes)
      for (const part of ["etc", "var"]) mkdirSync2(join4(this.folder, "nodes", node, part), { recursive: true });
    await this.network.create();
    await this.power.serve();
    for (const node of this.nodes) this.controllers.start(node);
    for (const node of this.nodes) await this.power.on(node);
  }
  /** Sets up one cluster of all nodes the way an administrator does, and waits until all are online. */
  async formCluster() {
    const [first = "", ...others] = this.nodes;
    await this.until("the first daemon answers", async () => await this.try(first, "cluster", "status") !== void 0);
    const members = this.nodes.flatMap((node) => [node, `addr=${this.network.address(node)}`]);
    const setup = JSON.parse(await this.systole(first, "cluster", "setup", "lab", ...members, "--json"));
    await this.systole(first, "cluster", "start");
    const join5 = async (node) => {
      await this.systole(node, "cluster", "join", this.network.address(first), "--token", setup.joinToken);
      await this.systole(node, "cluster", "start");
    };
    await Promise.all(others.map(join5));
    await this.until("all nodes are online and there is a DC", async () => {
      const { nodes } = await this.status(first);
      return nodes.length === this.nodes.length && nodes.every(({ online }) => online) && nodes.some(({ dc }) => dc);
    });
  }
  /** An IPMI fence device for each node. */
  async createFencing() {
    const [first = ""] = this.nodes;
    for (const node of this.nodes)
      await this.systole(first, "stonith", "create", `fence-${node}`, "fence_ipmilan", ...this.fencingOptions(node));
  }
  fencingOptions(node) {
    return [
      `ip=${this.network.bmcAddress(node)}`,
      `username=${bmcUser}`,
      `password=${bmcPassword}`,
      "lanplus=1",
      "cipher=3",
      "power_wait=0",
      `pcmk_host_list=${node}`
    ];
  }
  /** Runs a program inside a node. */
  async inNode(node, ...command) {
    const programs = join4(this.folder, "programs");
    const path = `PATH=${programs}:/usr/sbin:/usr/bin:/sbin:/bin`;
    const into = ["-t", String(this.power.pid1(node)), "-m", "-u", "-i", "-p", "-n"];
    return await run("nsenter", ...into, "env", path, `LAB_NODE=${node}`, ...command);
  }
  async systole(node, ...args) {
    return await this.inNode(node, "systole", ...args);
  }
  /** The same, where a failure is an answer too. */
  async try(node, ...args) {
    try {
      return await this.systole(node, ...args);
    } catch (error) {
      this.lastFailure = String(error);
      return void 0;
    }
  }
  /** What the last command that was only tried has said. */
  lastFailure = "";
  async status(node) {
    return JSON.parse(await this.systole(node, "status", "--json"));
  }
  /** The nodes on which a resource is started, as seen from a node. */
  async whereIs(resource, seenFrom) {
    const { resources } = await this.status(seenFrom);
    return resources.find(({ id }) => id === resource)?.nodes ?? [];
  }
  client(url, intervalMs) {
    const client = new Client(this.network, url, intervalMs);
    this.#clients.push(client);
    return client;
  }
  /** Waits for a state; the error names it and what was seen last. */
  async until(what, holds, timeoutMs = 3e4) {
    const end = Date.now() + timeoutMs;
    let last;
    while (Date.now() < end) {
      try {
        if (await holds()) return;
        last = void 0;
      } catch (error) {
        last = error;
      }
      await delay2(50);
    }
    throw new Error(
      `Not within ${timeoutMs} ms: ${what}.${last === void 0 ? "" : ` Last error: ${String(last)}`}
${this.logs()}`
    );
  }
  /** The ends of the nodes' logs, for a failing test. */
  logs(lines = 25) {
    return this.nodes.map((node) => {
      const file = join4(this.folder, "nodes", node, "systoled.log");
      const text = existsSync(file) ? readFileSync2(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n") : "(no log)";
      return `--- ${node}
${text}`;
    }).join("\n");
  }
  async close() {
    for (const client of this.#clients) await client.close();
    await this.power.close();
    await this.controllers.close();
    await this.network.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
};

// test/nodes/lab-shell.ts
var count = Number(process.argv[2] ?? 3);
var lab = new Lab(Array.from({ length: count }, (_, index) => `n${index + 1}`));
var ended = new Promise((resolve2) => {
  process.once("SIGINT", resolve2);
  process.once("SIGTERM", resolve2);
});
try {
  await lab.start();
  for (const node of lab.nodes)
    console.log(`${node}: nsenter -t ${lab.power.pid1(node)} -m -u -i -p -n env PATH=${lab.folder}/programs:$PATH bash`);
  await lab.formCluster();
  await lab.createFencing();
  console.log(`The cluster has formed; logs are in ${lab.folder}/nodes/*/systoled.log. Ctrl-C ends it.`);
  await ended;
} catch (error) {
  console.error(error);
  await ended;
} finally {
  await lab.close();
}
