import assert from "node:assert/strict";
import { test } from "node:test";

import { runs, serverCommand, serverSettings, SETTINGS } from "../src/command";

const only = (...programs: string[]) => async (program: string) => programs.includes(program);

test("the module of the selected interpreter comes before the program in the path", async () => {
  const found = await serverCommand([], "/venv/bin/python", only("/venv/bin/python", "tfnanlint"));
  assert.deepEqual(found, { command: "/venv/bin/python", args: ["-m", "tfnanlint", "server"] });
});

test("an interpreter without tfnanlint leaves the program in the path", async () => {
  const found = await serverCommand([], "/venv/bin/python", only("tfnanlint"));
  assert.deepEqual(found, { command: "tfnanlint", args: ["server"] });
});

test("a configured command is the only one that is tried", async () => {
  const works = only("uv", "tfnanlint");
  assert.deepEqual(await serverCommand(["uv", "run", "tfnanlint"], undefined, works), {
    command: "uv",
    args: ["run", "tfnanlint", "server"],
  });
  assert.equal(await serverCommand(["/gone"], "tfnanlint", works), undefined);
});

test("nothing to run is told by undefined", async () => {
  assert.equal(await serverCommand([], undefined, only()), undefined);
});

test("a program runs if it is there and succeeds", async () => {
  assert.equal(await runs(process.execPath, ["--version"]), true);
  assert.equal(await runs(process.execPath, ["-e", "process.exit(1)"]), false);
  assert.equal(await runs("/no/such/program", []), false);
});

test("the server gets its settings and no others", () => {
  assert.deepEqual(Object.keys(serverSettings((name) => name)), [...SETTINGS]);
});
