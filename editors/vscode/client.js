// The client of `nakiri lsp`, and the commands of its code lenses, which run in a terminal.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** What `nakiri` does for each command of a lens. */
const COMMANDS = { "nakiri.test": "test", "nakiri.bench": "bench", "nakiri.bound": "bound" };

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("nakiri");
  const command = settings.get("path");
  const args = ["lsp", ...settings.get("arguments")];
  const watcher = vscode.workspace.createFileSystemWatcher("**/*.ua");
  client = new LanguageClient(
    "nakiri",
    "Nakiri",
    { command, args },
    {
      documentSelector: [{ language: "usuba" }],
      synchronize: { fileEvents: watcher },
    },
  );
  return client.start();
}

/** Runs the compiler on a folder or file. Its arguments go to it as they are, through no shell. */
function run(subcommand, path) {
  const shellPath = vscode.workspace.getConfiguration("nakiri").get("path");
  const name = `nakiri ${subcommand}`;
  const execution = new vscode.ProcessExecution(shellPath, [subcommand, path]);
  const task = new vscode.Task({ type: "nakiri" }, vscode.TaskScope.Workspace, name, "nakiri", execution);
  return vscode.tasks.executeTask(task);
}

exports.activate = (context) => {
  for (const [name, subcommand] of Object.entries(COMMANDS)) {
    const command = vscode.commands.registerCommand(name, (path) => run(subcommand, path));
    context.subscriptions.push(command);
  }
  const restart = vscode.commands.registerCommand("nakiri.restart", async () => {
    await client?.stop();
    await start();
  });
  context.subscriptions.push(restart);
  return start();
};

exports.deactivate = () => client?.stop();
