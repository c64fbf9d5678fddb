// The command that starts the language server, and the settings that the server understands.

import { execFile } from "node:child_process";

export interface Command {
  command: string;
  args: string[];
}

/** Whether a program runs and exits with status 0 within a few seconds. */
export type Runs = (program: string, args: string[]) => Promise<boolean>;

const LONGEST_START = 20_000; // milliseconds; a cold start on a slow disk takes a few seconds

export const runs: Runs = (program, args) =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: LONGEST_START }, (error) => resolve(error === null));
  });

/**
 * The command of the server: the configured one, else the module of the selected interpreter, else the program in the
 * path. Undefined if none of them runs.
 */
export async function serverCommand(
  configured: string[],
  interpreter: string | undefined,
  works: Runs = runs,
): Promise<Command | undefined> {
  const module = interpreter === undefined ? [] : [[interpreter, "-m", "tfnanlint"]];
  for (const [command, ...args] of configured.length > 0 ? [configured] : [...module, ["tfnanlint"]]) {
    if (await works(command, [...args, "server", "--help"])) {
      return { command, args: [...args, "server"] };
    }
  }
  return undefined;
}

/** The settings of the server, by the names under which it reads them. */
export const SETTINGS = ["configuration", "select", "ignore", "pedantic", "run"] as const;

/** The values of these settings, from a function that reads one of them. */
export function serverSettings(read: (name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(SETTINGS.map((name) => [name, read(name)]));
}
