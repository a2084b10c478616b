import { actionsScope, writeScope } from '../core/contract/scopes.ts'
import { keyWords, shellWord } from './plain.ts'

/**
 * Next steps after an answer of the server, or none, and after a sign-in that failed. They are part
 * of the table `advice` in `advice.ts`, which gives them out.
 */
export const serverAdvice = {
  // The server refused a request.
  correctAbove: () => 'correct what is named above and run the command again',
  runAgain: () => 'run the command again',
  runAgainIn: (seconds: number) => `run the command again in ${seconds} s`,
  runAgainSoon: () => 'run the command again in a moment',
  waitForOther: () => 'wait until the other command has ended, then run yours again',
  useOtherKey: () => 'use another key for another request; `deposit list` shows what was made',
  tellOperator: () => 'tell the operator the request above; then run the command again',
  tellOperatorOfStore: () => 'tell the operator: the store needs attention',
  tellOperatorOfRoom: () => 'tell the operator; once there is room, run the command again',
  correctDocument: (id: string) =>
    `correct the metadata file, or the draft with \`deposit update ${id} --metadata FILE\`, ` +
    'and try again',
  nameSchema: () => 'leave out `$schema`, or name one that the server has',
  comparePatch: (id: string) => `compare the patch with \`deposit show ${id} --json\``,
  correctQuery: () => 'correct the query at the position named',
  correctPaging: () => 'correct the option named above, or narrow the search',
  seeFiles: (id: string) => `see the names and ids with \`deposit files ${id}\``,
  nameFolderOf: (id: string, name: string) =>
    `run \`deposit rm ${id} ${keyWords([`${name}/`])}\` to delete all that is in it`,
  renameOrReplace: (id: string) =>
    `give it another name, or replace the file with \`deposit upload ${id} FILE --replace\``,
  handOver: (id: string) =>
    `add an owner with \`deposit share ${id} EMAIL --role owner\`, or hand the deposit over with ` +
    `\`deposit transfer ${id} EMAIL\``,
  seePeople: (id: string) => `see the people with \`deposit people ${id}\``,
  seeLinks: (id: string) => `see the links with \`deposit link list ${id}\``,
  acceptTransfer: (id: string) => `it is accepted with \`deposit transfer --accept ${id}\``,
  seeOwner: () => 'see who you are with `deposit whoami`, or ask the owner',
  askToWithdraw: (id: string, value: string) =>
    `ask an administrator to run \`deposit withdraw ${id} --reason REASON\`, or the operator of ` +
    `the service to run \`depositd record withdraw ${value} --reason REASON\``,
  askToRestore: (id: string, value: string) =>
    `ask an administrator to run \`deposit restore-record ${id}\`, or the operator of the ` +
    `service to run \`depositd record restore ${value}\``,
  seeStatus: (id: string) => `see the status with \`deposit show ${id}\``,
  lookAgain: (id: string) => `look at it again with \`deposit show ${id}\`, and repeat the change`,
  seeDeposits: () => 'see your deposits with `deposit list`',
  findDeposit: () => 'see your deposits with `deposit list`',
  giveThisWhole: (command: string) => `to delete that one, run \`${command}\``,
  giveWhole: () => 'see whole identifiers with `deposit list --quiet`',
  takeActions: (id: string, actions: readonly string[]) =>
    `run ${actions.map((action) => `\`${commandOf(id, action)}\``).join(' or ')}`,
  endUploads: (id: string, uploads: readonly string[]) =>
    `delete what has arrived with \`deposit uploads ${id} ${uploads.join(' ')} --delete\`, or let ` +
    'the program that began it send the rest: a `deposit upload` that was interrupted, run again',
  deleteUploads: (id: string, uploads: readonly string[]) =>
    `delete what has arrived with \`deposit uploads ${id} ${uploads.join(' ')} --delete\`: the ` +
    'file of that name stays',
  settleConflicts: (id: string) =>
    `keep the values of the draft with \`deposit merge ${id} --ours\`, take those of the record ` +
    `with \`deposit merge ${id} --theirs\`, or choose for each field with \`deposit merge ${id}\` ` +
    `on a terminal; then publish again. \`deposit discard ${id}\` gives up the draft's changes`,
  chooseAgain: (id: string) =>
    `run \`deposit merge ${id}\` again to choose, or add --ours, --theirs or --edit; nothing was changed`,
  seeReplacement: (url: string) => `what replaces it is at ${url}`,
  readTombstone: (url: string) => `${url} tells more`,
  askForFiles: () =>
    'sign in as their owner, or as somebody they are shared with, with `deposit login`; or wait until they open',
  splitFile: () => 'split the file, or ask the operator for a larger limit',
  freeRoom: () =>
    'make room, or ask the operator for more; `deposit whoami` shows what your quota is used by',
  nameEndpoint: (names: readonly string[]) =>
    `name one of ${names.join(', ')} with --endpoint or DEPOSIT_ENDPOINT`,
  useEndpoint: (name: string) => `run the command again with --endpoint ${shellWord(name)}`,
  useKnownHost: () => 'use the address that the server is known by in DEPOSIT_URL',
  followTo: (origin: string) => `if you trust ${origin}, set DEPOSIT_URL to it`,

  // The server cannot be reached, or is not what it should be.
  checkServer: () =>
    'check that the server runs and that DEPOSIT_URL is right; `deposit doctor` tests both',
  runAgainOnceBack: () => 'run the command again once the server answers',
  checkUrl: () => 'check DEPOSIT_URL; if it is right, tell the operator',
  setUrl: () => 'set DEPOSIT_URL to https://HOST or http://127.0.0.1:PORT',
  setOrUnsetUrl: () => 'set it to the address of the service, or unset it to use the local daemon',
  talkTo: (origin: string, name = 'the record') =>
    `if that service has moved to this one, name ${name} alone, without the address; if it is a ` +
    `service of its own, which \`DEPOSIT_URL=${origin} deposit doctor\` tells, set DEPOSIT_URL to ${origin}`,
  useHttps: () => 'use an https address in DEPOSIT_URL, or add `--insecure` to use this one anyway',
  matchVersion: () => 'ask the operator which version of the npm package depositd to install',
  tellIfAgain: () => 'run the command again; if it fails again, tell the operator',
  distrustServer: () => 'do not trust this server; tell its operator',
  leaveUrl: (file: string) =>
    'unset DEPOSIT_URL, so that the daemon is found or started; if DEPOSIT_URL is meant for ' +
    `another service, remove ${file} and run \`deposit logout\``,
  startDaemon: () =>
    'run `deposit daemon start`; other commands start the daemon when they need it',
  readLog: (file: string) => `read ${file}, or set DEPOSIT_URL to a daemon on another machine`,
  endProcess: (pid: number) => `run \`kill ${pid}\`, then run the command again`,

  // Signing in.
  logIn: () => 'run `deposit login`, or set DEPOSIT_TOKEN',
  logInForScopes: () =>
    'run `deposit login`, which asks for every scope; `deposit whoami` shows yours',
  replaceToken: () =>
    'unset DEPOSIT_TOKEN and run `deposit login`; then ' +
    `\`deposit token create --scope ${writeScope},${actionsScope}\` makes a token to set in its place`,
  unsetToken: () => 'unset DEPOSIT_TOKEN',
  approveLogin: () => 'run `deposit login` again and approve it in the browser',
  registerClient: () => 'ask the operator to register the client deposit-cli for the device flow',
  checkIssuer: () => 'check DEPOSIT_URL, or ask the operator (DEPOSIT_PUBLIC_URL of the daemon)',
  confirmIssuer: () => 'ask the operator whether that is right; if it is, run `deposit login`',
  protectFile: (file: string) => `run \`chmod 600 ${shellWord(file)}\``,
  removeFile: (file: string) =>
    `look at it, remove it with \`rm ${shellWord(file)}\`, and run the command again`,
  nameScopes: () => `use ${writeScope}, ${actionsScope}, or both with a comma between`,
  setToken: () =>
    'set it to the token alone, as `deposit token create` or `depositd token create` prints it',
  giveToken: () => 'run `deposit login --with-token < FILE`, with the token alone in FILE',
  seeTokens: () => 'see your tokens with `deposit token list`',
  seeSignIns: () => 'see your sign-ins with `deposit logout --list`',
  signInThere: (url: string) => `open ${url} and sign in there`,
} as const satisfies Readonly<Record<string, (...values: never[]) => string>>

/** Actions with a command of that name. */
export const ownCommands: ReadonlySet<string> = new Set([
  'publish',
  'edit',
  'discard',
  'merge',
  'undo',
  'newversion',
  'reserve',
  'withdraw',
  'restore-record',
  'submit',
  'take-back',
  'accept',
  'return',
])

/** The command that runs an action: its own where it has one. */
function commandOf(id: string, action: string): string {
  return ownCommands.has(action) ? `deposit ${action} ${id}` : `deposit action ${id} ${action}`
}

/** As the object of "could not". The server may have actions that are not English verbs. */
export function triedTo(action: string, id: string): string {
  if (action === 'newversion') return `start a new version of ${id}`
  if (action === 'restore-record') return `restore the record of ${id}`
  return ownCommands.has(action) ? `${action} ${id}` : `run the action ${action} of ${id}`
}
