// The server itself, started as the extension starts it. TFNANLINT names the program (default: tfnanlint in the path).

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";

import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type PublishDiagnosticsParams,
} from "vscode-languageserver-protocol/node";

import { serverCommand, serverSettings } from "../src/command";

const HAZARD = "import tensorflow as tf\n\ndef f(x):\n    return tf.math.log(tf.nn.softmax(x))\n";

test("the server reports a hazard and ends with status 0", { timeout: 120_000 }, async (context) => {
  const named = process.env.TFNANLINT;
  const found = await serverCommand(named === undefined ? [] : named.split(" "), undefined);
  if (found === undefined) {
    assert.equal(named, undefined, `cannot run ${named}`);
    context.skip("tfnanlint is not installed");
    return;
  }
  const server = spawn(found.command, found.args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("exit", resolve));
  const connection = createProtocolConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  try {
    const told = new Promise<PublishDiagnosticsParams>((resolve) => {
      connection.onNotification(PublishDiagnosticsNotification.type, resolve);
    });
    connection.listen();
    const values: Record<string, unknown> = { configuration: "", select: [], ignore: [], pedantic: false, run: "onType" };
    await connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions: { settings: serverSettings((name) => values[name]) },
    });
    await connection.sendNotification(InitializedNotification.type, {});
    await connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: "untitled:hazard.py", languageId: "python", version: 1, text: HAZARD },
    });
    const { diagnostics } = await told;
    assert.deepEqual(diagnostics.map((one) => one.code), ["log-softmax"]);
    await connection.sendRequest(ShutdownRequest.type);
    await connection.sendNotification(ExitNotification.type);
    assert.equal(await ended, 0);
  } finally {
    connection.dispose();
    server.kill();
  }
});
