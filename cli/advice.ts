import { actionsScope, writeScope } from '../core/contract/scopes.ts'
import { shellWord } from './output/plain.ts'

declare const ofTable: unique symbol

/** A hint of {@link advice}, filled in: nothing else is shown behind `next:`. */
export type Advice = string & { readonly [ofTable]: true }

/** Commands that other programs have, and where it is here. */
const otherCommands = {
  new: '`deposit create`',
  init: '`deposit create FOLDER`',
  view: '`deposit show ID`',
  status: '`deposit show ID`, or `deposit daemon status`',
  search: '`deposit list QUERY`',
  newversion: '`deposit action ID newversion`',
  merge: '`deposit action ID merge`',
  withdraw: '`deposit action --help`',
  cat: '`deposit download ID FILE --output -`',
  undo: '`deposit discard ID`',
} as const satisfies Readonly<Record<string, string>>

const exclude = 'leave them out with --exclude'

/** Why a name of a folder cannot be sent, and what makes it one that can. */
const refusedNames = {
  link: 'send what the links lead to with --follow-links',
  special: undefined,
  outside: 'put copies of the files in place of the links',
  dangling: 'fetch the files (with git-annex, DataLad or DVC)',
  circle: undefined,
  misnamed: 'rename them',
  unreadable: 'change their permissions',
} as const satisfies Readonly<Record<string, string | undefined>>

/**
 * Everything that a failure may tell a person to do. Each is followed to the letter by
 * `test/cli/advice.test.ts` and the files beside it, which do not compile while one of them has no
 * row there.
 */
export const advice = {
  // The server refused a request.
  correctAbove: () => hint('correct what is named above and run the command again'),
  runAgain: () => hint('run the command again'),
  runAgainIn: (seconds: number) => hint(`run the command again in ${seconds} s`),
  runAgainSoon: () => hint('run the command again in a moment'),
  waitForOther: () => hint('wait until the other command has ended, then run yours again'),
  useOtherKey: () =>
    hint('use another key for another request; `deposit list` shows what was made'),
  tellOperator: () => hint('tell the operator the request above; then run the command again'),
  tellOperatorOfStore: () => hint('tell the operator: the store needs attention'),
  tellOperatorOfRoom: () => hint('tell the operator; once there is room, run the command again'),
  correctDocument: (id: string) =>
    hint(
      `correct the metadata file, or the draft with \`deposit update ${id} --metadata FILE\`, ` +
        'and try again',
    ),
  nameSchema: () => hint('leave out `$schema`, or name one that the server has'),
  comparePatch: (id: string) => hint(`compare the patch with \`deposit show ${id} --json\``),
  correctQuery: () => hint('correct the query at the position named'),
  correctPaging: () => hint('correct the option named above, or narrow the search'),
  seeFiles: (id: string) => hint(`see the names and ids with \`deposit files ${id}\``),
  nameFolderOf: (id: string, name: string) =>
    hint(`run \`deposit rm ${id} ${shellWord(`${name}/`)}\` to delete all that is in it`),
  renameOrReplace: (id: string) =>
    hint(`give it another name, or replace the file with \`deposit upload ${id} FILE --replace\``),
  seeOwner: () => hint('see who you are with `deposit whoami`, or ask the owner'),
  seeStatus: (id: string) => hint(`see the status with \`deposit show ${id}\``),
  lookAgain: (id: string) =>
    hint(`look at it again with \`deposit show ${id}\`, and repeat the change`),
  seeDeposits: () => hint('see your deposits with `deposit list`'),
  findDeposit: () =>
    hint('see your deposits with `deposit list`; `delete` takes the whole identifier'),
  takeActions: (id: string, actions: readonly string[]) =>
    hint(`run ${actions.map((action) => `\`${commandOf(id, action)}\``).join(' or ')}`),
  endUploads: (id: string, uploads: readonly string[]) =>
    hint(
      `run the \`deposit upload\` that was interrupted again, or delete what has arrived with ` +
        `\`deposit uploads ${id} ${uploads.join(' ')} --delete\``,
    ),
  settleConflicts: (id: string) =>
    hint(
      `set the values to keep with \`deposit update ${id} --set FIELD=TEXT\`, keep the draft's ` +
        `values with \`deposit action ${id} merge\`, and publish again; or \`deposit discard ${id}\``,
    ),
  splitFile: () => hint('split the file, or ask the operator for a larger limit'),
  freeRoom: () => hint('delete what is not needed, or ask the operator for more'),
  nameEndpoint: (names: readonly string[]) =>
    hint(`name one of ${names.join(', ')} with --endpoint or DEPOSIT_ENDPOINT`),
  useEndpoint: (name: string) => hint(`run the command again with --endpoint ${shellWord(name)}`),
  useKnownHost: () => hint('use the address that the server is known by in DEPOSIT_URL'),

  // The server cannot be reached, or is not what it should be.
  checkServer: () =>
    hint('check that the server runs and that DEPOSIT_URL is right; `deposit doctor` tests both'),
  runAgainOnceBack: () => hint('run the command again once the server answers'),
  checkUrl: () => hint('check DEPOSIT_URL; if it is right, tell the operator'),
  setUrl: () => hint('set DEPOSIT_URL to https://HOST or http://127.0.0.1:PORT'),
  useHttps: () =>
    hint('use an https address in DEPOSIT_URL, or add `--insecure` to use this one anyway'),
  matchVersion: () => hint('ask the operator which version of the npm package depositd to install'),
  tellIfAgain: () => hint('run the command again; if it fails again, tell the operator'),
  distrustServer: () => hint('do not trust this server; tell its operator'),
  leaveUrl: (file: string) =>
    hint(
      'unset DEPOSIT_URL, so that the daemon is found or started; if DEPOSIT_URL is meant for ' +
        `another service, remove ${file} and run \`deposit logout\``,
    ),
  startDaemon: () =>
    hint('run `deposit daemon start`; other commands start the daemon when they need it'),
  readLog: (file: string) =>
    hint(`read ${file}, or set DEPOSIT_URL to a daemon on another machine`),
  endProcess: (pid: number) => hint(`run \`kill ${pid}\`, then run the command again`),

  // Signing in.
  logIn: () => hint('run `deposit login`, or set DEPOSIT_TOKEN'),
  logInForScopes: () =>
    hint('run `deposit login`, which asks for every scope; `deposit whoami` shows yours'),
  replaceToken: () =>
    hint(
      'unset DEPOSIT_TOKEN and run `deposit login`; then ' +
        `\`deposit token create --scope ${writeScope},${actionsScope}\` makes a token to set in its place`,
    ),
  unsetToken: () => hint('unset DEPOSIT_TOKEN'),
  approveLogin: () => hint('run `deposit login` again and approve it in the browser'),
  registerClient: () =>
    hint('ask the operator to register the client deposit-cli for the device flow'),
  checkIssuer: () =>
    hint('check DEPOSIT_URL, or ask the operator (DEPOSIT_PUBLIC_URL of the daemon)'),
  confirmIssuer: () =>
    hint('ask the operator whether that is right; if it is, run `deposit login`'),
  protectFile: (file: string) => hint(`run \`chmod 600 ${shellWord(file)}\``),
  removeFile: (file: string) =>
    hint(`look at it, remove it with \`rm ${shellWord(file)}\`, and run the command again`),
  nameScopes: () => hint(`use ${writeScope}, ${actionsScope}, or both with a comma between`),
  setToken: () =>
    hint(
      'set it to the token alone, as `deposit token create` or `depositd token create` prints it',
    ),
  giveToken: () => hint('run `deposit login --with-token < FILE`, with the token alone in FILE'),
  seeTokens: () => hint('see your tokens with `deposit token list`'),
  signInThere: (url: string) => hint(`open ${url} and sign in there`),

  // The command line.
  seeHelp: (command: string) => hint(`see \`${command} --help\``),
  useCommand: (name: keyof typeof otherCommands) => hint(`run ${otherCommands[name]}`),
  askUndelete: () => hint('ask an operator to run `depositd undelete ID`'),
  setVariable: () => hint('if it comes from a variable, set the variable; nothing was sent'),
  leaveOut: (option: string) => hint(`leave out ${option}`),
  correctOption: (option: string) => hint(`correct ${option}, or leave it out`),
  writeMore: () => hint('write more digits of the identifier'),
  nameJsonFields: () =>
    hint('name fields of this list, with dots into them; put other arguments before `--json`'),
  giveChange: (id: string) =>
    hint(`run \`deposit update ${id} --set FIELD=TEXT\`, or give --unset or --metadata`),
  writePointer: (option: string, pointer: string) =>
    hint(`write ${option} ${quote(pointer)}; nothing was sent`),
  writeSet: () =>
    hint(`write --set title='A title' or --set keywords:='["tide"]'; nothing was sent`),
  setEditor: (id: string) => hint(`set EDITOR, or run \`deposit update ${id} --set FIELD=TEXT\``),
  saveFile: (id: string, file: string) =>
    hint(`correct ${file} and run \`deposit update ${id} --metadata ${shellWord(file)}\``),
  nameOrder: (id: string) =>
    hint(`name the files that come first, or run \`deposit sort ${id} --by name\``),
  nameAction: (id: string) =>
    hint(`name one of those; \`deposit show ${id}\` shows the status of the deposit`),
  giveOtherName: (id: string, key: string) =>
    hint(`run \`deposit rename ${id} ${shellWord(key)} NAME\` with another name`),
  nameInput: (id: string) => hint(`run \`deposit upload ${id} - --name NAME\``),
  nameUploads: (id: string) =>
    hint(`name them, or delete all of them with \`deposit uploads ${id} --all --delete\``),
  seeUploads: (id: string) =>
    hint(`see the uploads with \`deposit uploads ${id}\`; nothing was changed`),
  publishEach: () =>
    hint('publish each with its own key: `deposit publish ID --idempotency-key KEY`'),
  checkAndPublish: (id: string) =>
    hint(`run \`deposit check ${id}\` to see whether it is ready, then \`deposit publish ${id}\``),
  checkAgain: (what: string) =>
    hint(`correct that and run \`deposit check ${shellWord(what)}\` again`),
  followFixes: () => hint('do what each "fix:" line says, and run `deposit doctor` again'),
  continueWith: (command: string) => hint(`run \`${command}\` to continue`),
  reportBug: () =>
    hint('this is a bug in deposit: please report it, with the command and the lines above'),

  // Files and folders.
  correctInput: () => hint('correct that and run the command again; nothing was sent'),
  saveAsUtf8: () => hint('save it as UTF-8 and run the command again; nothing was sent'),
  saveTableAsUtf8: () =>
    hint('save it as UTF-8 (in Excel "CSV UTF-8") and run the command again; nothing was sent'),
  checkPath: () => hint('check the path and its permissions; nothing was sent'),
  createThenUpload: (file: string) =>
    hint(
      'name its folder; or run `deposit create --title TITLE`, then ' +
        `\`deposit upload ID ${shellWord(file)}\``,
    ),
  keepOneMetadata: () => hint('keep one of them, or name it with --metadata; nothing was sent'),
  placeMetadata: () =>
    hint('put the file itself there, or name it with --metadata; nothing was sent'),
  writeMetadata: (id: string) =>
    hint(
      `run \`deposit show ${id} --metadata > metadata.yaml\` and use that file; nothing was sent`,
    ),
  excludeNames: (reasons: readonly RefusedNameReason[]) =>
    hint(
      `${[...new Set(reasons.flatMap((reason) => refusedNames[reason] ?? [])), exclude].join(', or ')}` +
        '; nothing was sent',
    ),
  renameOrExclude: () => hint(`rename them, or ${exclude}; nothing was sent`),
  renameOrReplaceAll: (id: string) =>
    hint(`rename them, or replace them with \`deposit upload ${id} PATH --replace\``),
  sendAgain: (id: string, key: string) =>
    hint(`delete it with \`deposit rm ${id} ${shellWord(key)}\` and upload it again`),
  nameFolder: () => hint('name a folder with --output, or - for standard output'),
  nameOneFile: () => hint('name one file and leave out --json, or name a folder with --output'),
  replaceOrElsewhere: () =>
    hint('choose another folder with --output, or overwrite it with --replace'),
  moveAway: () => hint('move it away, or choose another folder with --output'),

  // Batches.
  leaveColumn: () => hint('leave out one of them; nothing was sent'),
  renameColumn: (title: string) =>
    hint(`rename it, or write "/${title}" if it is a field of the metadata; nothing was sent`),
  useOwnKeys: () => hint('give each row its own key, or none; nothing was sent'),
  useNewKey: () => hint('give the row another key, which makes a new deposit of it'),
  matchRow: (id: string, names: readonly string[]) =>
    hint(
      `delete them with \`deposit rm ${id} ${names.map(shellWord).join(' ')}\`, or add them to ` +
        'the row, and run the command again; or run it with --delete',
    ),
  giveDelete: () => hint('add them to the row, or run the command again with --delete'),
  useOtherJournal: () =>
    hint('set DEPOSIT_URL to that server, or name another journal with --resume'),

  // Two steps.
  inTurn: (first: Advice, second: Advice) => hint(`${first}; then ${second}`),
  continueDraft: (first: Advice, command: string) =>
    hint(`${first}; the draft is kept, so run \`${command}\` in place of the same command`),
  finishBatch: (command: string) => hint(`run \`${command}\` for the rest; no row is done twice`),
}

export type RefusedNameReason = keyof typeof refusedNames

/** The hint for a command that is not one of ours, but of other programs. */
export function hintForCommand(name: string): Advice | undefined {
  if (name === 'undelete') return advice.askUndelete()
  return isOther(name) ? advice.useCommand(name) : undefined
}

function isOther(name: string): name is keyof typeof otherCommands {
  return Object.hasOwn(otherCommands, name)
}

/** The command that runs an action: its own where it has one. */
function commandOf(id: string, action: string): string {
  const isOwn = action === 'publish' || action === 'edit' || action === 'discard'
  return isOwn ? `deposit ${action} ${id}` : `deposit action ${id} ${action}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The one place where a text becomes a hint. */
function hint(text: string): Advice {
  return text as Advice
}
