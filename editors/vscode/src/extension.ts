// Starts the language server `tfnanlint server`, restarts it when its command changes, and passes settings to it.

import * as vscode from "vscode";
import { LanguageClient, Trace, type LanguageClientOptions } from "vscode-languageclient/node";

import { serverCommand, serverSettings } from "./command";

const SECTION = "tfnanlint";
const PYTHON = "ms-python.python";

let client: LanguageClient | undefined;
let starting: Promise<void> = Promise.resolve();
let log: vscode.LogOutputChannel;
let ownFolder: string;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  ownFolder = context.extensionPath;
  log = vscode.window.createOutputChannel("tfnanlint", { log: true });
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("tfnanlint.restart", restart),
    vscode.commands.registerCommand("tfnanlint.showLog", () => log.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration(`${SECTION}.command`)) {
        await restart();
      } else if (event.affectsConfiguration(SECTION)) {
        await passSettings();
      }
    }),
  );
  await followInterpreter(context);
  await restart();
}

export async function deactivate(): Promise<void> {
  await starting;
  await client?.stop();
}

/** Start the server anew; a second call waits for the first. */
function restart(): Promise<void> {
  starting = starting.then(start, start);
  return starting;
}

async function start(): Promise<void> {
  await client?.stop();
  client = undefined;
  const configured = vscode.workspace.getConfiguration(SECTION).get<string[]>("command", []);
  const command = await serverCommand(configured, await interpreter());
  if (command === undefined) {
    log.error(`cannot run ${configured.length > 0 ? configured.join(" ") : "tfnanlint"} server`);
    tellHowToInstall();
    return;
  }
  log.info(`starting ${command.command} ${command.args.join(" ")}`);
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "python" }],
    initializationOptions: { settings: settings() },
    outputChannel: log,
  };
  // Windows looks for programs in the working directory first, which must not be a folder that nobody trusts.
  const cwd = vscode.workspace.isTrusted ? undefined : ownFolder;
  client = new LanguageClient(SECTION, "tfnanlint", { ...command, options: { cwd } }, options);
  await client.start();
  await client.setTrace(trace());
}

async function passSettings(): Promise<void> {
  await starting;
  await client?.setTrace(trace());
  await client?.sendNotification("workspace/didChangeConfiguration", { settings: { [SECTION]: settings() } });
}

function settings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  return serverSettings((name) => configuration.get(name));
}

function trace(): Trace {
  return Trace.fromString(vscode.workspace.getConfiguration(SECTION).get<string>("trace.server", "off"));
}

function tellHowToInstall(): void {
  const message = "tfnanlint is not installed in the selected Python environment: run pip install 'tfnanlint[lsp]'.";
  void vscode.window.showWarningMessage(message, "Show the log", "Try again").then((choice) => {
    if (choice === "Show the log") {
      log.show();
    } else if (choice === "Try again") {
      void restart();
    }
  });
}

/** What this extension uses of the Python extension's interface. */
interface PythonEnvironments {
  environments: {
    getActiveEnvironmentPath(): { path: string };
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function python(): Promise<PythonEnvironments | undefined> {
  try {
    return await vscode.extensions.getExtension<PythonEnvironments>(PYTHON)?.activate();
  } catch (error) {
    log.warn(`the Python extension does not start: ${String(error)}`);
    return undefined;
  }
}

/** The selected interpreter. That of a workspace that is not trusted may be any program, so it is not used. */
async function interpreter(): Promise<string | undefined> {
  return vscode.workspace.isTrusted ? (await python())?.environments.getActiveEnvironmentPath().path : undefined;
}

async function followInterpreter(context: vscode.ExtensionContext): Promise<void> {
  const changed = (await python())?.environments.onDidChangeActiveEnvironmentPath;
  if (changed !== undefined) {
    context.subscriptions.push(changed(() => void restart()));
  }
}
