import { adviceTable, type Advice } from '../core/base/advice.ts'
import type { FileAccess } from '../core/contract/file-access.ts'
import { keyWords, pathWord, shellWord } from './plain.ts'
import { remoteAdvice } from './remote-advice.ts'
import { serverAdvice } from './server-advice.ts'

export type { Advice }

/** Command names that users bring from other programs, and ours for them. */
const otherCommands = {
  new: '`deposit create`',
  view: '`deposit show ID`',
  search: '`deposit list QUERY`',
} as const satisfies Readonly<Record<string, string>>

const exclude = 'leave them out with --exclude, or for good by .depositignore'

/** Reasons why a name in a folder cannot be sent, each with its remedy. */
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
 * Every next step that a failure may advise. `test/cli/advice.test.ts` and the files beside it
 * follow each to the letter; they do not compile while one of them has no row there.
 */
export const advice = adviceTable({
  ...serverAdvice,
  ...remoteAdvice,

  // The command line.
  seeHelp: (command: string) => `see \`${command} --help\``,
  useCommand: (name: keyof typeof otherCommands) => `run ${otherCommands[name]}`,
  askUndelete: () => 'ask an operator to run `depositd undelete ID`',
  setVariable: () => 'if it comes from a variable, set the variable; nothing was sent',
  leaveOut: (option: string) => `leave out ${option}`,
  correctOption: (option: string) => `correct ${option}, or leave it out`,
  writeMore: () => 'write more digits of the identifier',
  correctJq: () =>
    'correct --jq; see what was made with `deposit list` before you run the command again',
  nameJsonFields: () =>
    'name fields of this list, with dots into them; put other arguments before `--json`',
  giveChange: (id: string) =>
    `run \`deposit update ${id} --set FIELD=TEXT\`, or give --unset or --metadata`,
  writeAccess: ({ until }: FileAccess) =>
    'to keep them closed, write in the metadata `access: {files: restricted' +
    `${until === undefined ? '' : `, until: ${until}`}}\`; to make them public, write ` +
    '`access: {files: public}`; then run the command again',
  writeAccessOfRow: ({ until }: FileAccess) =>
    'to keep them closed, write restricted in a column `/access/files`' +
    `${until === undefined ? '' : ` and ${until} in a column \`/access/until\``} of the row; to make ` +
    'them public, write public in `/access/files`; then run the command again',
  setAccess: (id: string, access: FileAccess) =>
    `to keep them closed, run \`deposit update ${id} --set ${shellWord(`access:=${JSON.stringify(access)}`)}\`; ` +
    `to make them public, run \`deposit update ${id} --set 'access:={"files":"public"}'\`; then publish it`,
  writePointer: (option: string, pointer: string) =>
    `write ${option} ${quote(pointer)}; nothing was sent`,
  writeSet: () => `write --set title='A title' or --set keywords:='["tide"]'; nothing was sent`,
  setEditor: (id: string) => `set EDITOR, or run \`deposit update ${id} --set FIELD=TEXT\``,
  saveFile: (id: string, file: string) =>
    `correct ${file} and run \`deposit update ${id} --metadata ${shellWord(file)}\``,
  replaceDraft: (dir: string, id: string) =>
    `see the differences with \`deposit diff ${pathWord(dir)} ${id}\`; \`deposit release ${pathWord(dir)} --yes\` replaces the draft with the folder`,
  saveKept: (id: string, file: string) =>
    `your text is kept in ${file}: compare it with \`deposit show ${id} --metadata\`, and save it with \`deposit update ${id} --metadata ${shellWord(file)}\``,
  nameOrder: (id: string) => `name the first files, or run \`deposit sort ${id} --by name\``,
  nameAction: (id: string) =>
    `name one of those; \`deposit show ${id}\` shows the status of the deposit`,
  giveOtherName: (id: string, key: string) =>
    `run \`deposit rename ${id} ${keyWords([key])} NAME\` with another name`,
  nameInput: (id: string) => `run \`deposit upload ${id} - --name NAME\``,
  nameUploads: (id: string) =>
    `name them, or delete all of them with \`deposit uploads ${id} --all --delete\``,
  seeDeleted: (id: string) =>
    `see the deleted files with \`deposit restore ${id}\`; nothing was changed`,
  nameOneOfFiles: () => 'name the one file whose version is meant',
  seeVersions: (id: string, name: string) =>
    `see its versions with \`deposit restore ${id} --versions ${keyWords([name])}\`; nothing was changed`,
  restoreAs: (id: string, name: string) =>
    `run \`deposit restore ${id} --as NAME ${keyWords([name])}\` with another name`,
  seeUploads: (id: string) => `see the uploads with \`deposit uploads ${id}\`; nothing was changed`,
  publishEach: () => 'publish each with its own key: `deposit publish ID --idempotency-key KEY`',
  checkAndPublish: (id: string) =>
    `run \`deposit check ${id}\` to see whether it is ready, then \`deposit publish ${id}\``,
  checkBatch: (file: string) =>
    `run \`deposit batch ${pathWord(file)} --publish --dry-run\`, which checks every row`,
  checkAgain: (what: string) => `correct that and run \`deposit check ${pathWord(what)}\` again`,
  followFixes: () => 'do what each "fix:" line says, and run `deposit doctor` again',
  continueWith: (command: string) => `run \`${command}\` to continue`,
  reportBug: () =>
    'this is a bug in deposit: please report it, with the command and the lines above',

  // Faults that `deposit doctor` finds.
  useOwnHome: () => 'set DEPOSIT_HOME to a folder of your own',
  closeHome: (path: string) => `run \`chmod 700 ${pathWord(path)}\``,
  seeResult: () =>
    'make room on that disk; see what was made with `deposit list` before you run the command again',
  makeRoomThere: () => 'make room on that disk, and run the command again',
  useOtherTemp: () =>
    'make room there, or set TMPDIR to a folder on another disk, and run the command again',
  makeRoom: () => 'make room, or set DEPOSIT_HOME to a folder on another disk',
  replaceDaemon: () => 'run `deposit daemon stop`; the next command starts the installed version',
  checkService: () =>
    'check that DEPOSIT_URL names a deposit service; if it does, ask the operator which version of the npm package depositd to install',
  setClock: () =>
    'set the clock of this machine from a time server; if it is right, tell the operator',

  // Notes after success.
  mergeCorrection: (id: string) =>
    `\`deposit merge ${id}\` brings both together, as publishing does`,
  takeCorrection: (id: string) => `\`deposit edit ${id}\` takes that over`,
  openSignedIn: (id?: string) =>
    `to open it signed in, run \`${['deposit open', id, '--link'].flatMap((word) => word ?? []).join(' ')}\``,
  updateRow: () => 'run it again with --update to bring it to its deposit',
  showAll: () => '--all shows all',
  narrowSearch: () => 'the server lists no more, so narrow the search',

  // Files and folders.
  changeFolder: () => 'change to another folder, and run the command again',
  correctWarnings: () =>
    'correct that, or leave out --strict, and run the command again; nothing was sent',
  correctInput: () => 'correct that and run the command again; nothing was sent',
  correctAccessOfRows: () =>
    'correct that and run the command again; in a table, access has the columns `/access/files` ' +
    '(restricted or public) and `/access/until` (a day as 2027-05-01); nothing was sent',
  saveAsUtf8: () => 'save it as UTF-8 and run the command again; nothing was sent',
  saveTableAsUtf8: () =>
    'save it as UTF-8 (in Excel "CSV UTF-8") and run the command again; nothing was sent',
  checkPath: () => 'check the path and its permissions; nothing was sent',
  takeAsIs: (file: string) =>
    'name a folder: that of the file, or one where you unpacked it; or run ' +
    `\`deposit create ${pathWord(file)} --as-is\` for a deposit of this one file`,
  keepOneMetadata: () => 'keep one of them, or name it with --metadata; nothing was sent',
  giveMetadata: () =>
    'add a metadata.yaml with a title, name a file with --metadata, or give --yes to publish it anyway; nothing was sent',
  giveTitle: (id: string) =>
    `run \`deposit update ${id} --set title=TITLE\` to give it one, or run the command again with --yes`,
  checkFolder: (dir: string) => `run \`deposit check ${pathWord(dir)}\` to see what it lacks`,
  confirmDeletion: (command: string) =>
    `run \`${command}\` to delete without a question; nothing was deleted`,
  acceptRevision: (id: string, command: string) =>
    `look at it with \`deposit show ${id}\`, then run \`${command}\``,
  confirmWithdrawal: (command: string) =>
    `run \`${command}\` to withdraw it without a question; nothing was changed`,
  withdrawNewest: (command: string, page: string) =>
    `run \`${command}\` for the newest version; ${page} lists the others`,
  answerYes: () => 'run the command again and answer y; nothing was changed',
  askNothing: () => 'run the command again with --yes, which asks nothing',
  fillIn: (dir: string) =>
    `fill in the empty fields with an editor, and run \`deposit check ${pathWord(dir)}\``,
  createOf: (dir: string) =>
    `run \`deposit create ${pathWord(dir)}\` to make a draft of the folder`,
  continueFolder: () => '`deposit create .` continues with the deposit of the folder',
  uploadWhole: (id: string, path: string) =>
    `run \`deposit upload ${id} ${pathWord(path)}\` to upload it as it is`,
  getAgain: (path: string) =>
    'get it again from where it came, or correct it, and run the command again; or run ' +
    `\`deposit create ${pathWord(path)} --as-is\`, which does not verify it; nothing was sent`,
  nameRecord: (path: string) =>
    `name it: \`deposit verify ${pathWord(path)} ID\` with the id of the deposit or record`,
  nameFilesThere: (command: 'cat' | 'rm' | 'restore' | 'upload', names: readonly string[]) =>
    `name the deposit and then the files; for ${command === 'upload' ? '' : 'files of '}the deposit that this folder knows: \`deposit ${command} . ${keyWords(names)}\``,
  restoreDeleted: (id: string, names: readonly string[]) =>
    names.length === 0
      ? `\`deposit restore ${id}\` lists deleted files, which it can bring back`
      : `\`deposit restore ${id} ${keyWords(names)}\` brings ${names.length === 1 ? 'it' : 'them'} back`,
  nameDeposit: (dir: string) =>
    `name the deposit, or run \`deposit create ${pathWord(dir)}\` to make one that the folder knows`,
  returnToServer: (server: string, file: string, here: string) =>
    `if ${server === 'local' ? 'its deposits are' : 'that service is'} at ${here} now, write "${here}" in place of ` +
    `"${server}" in ${file}; if not, ${
      server === 'local'
        ? 'unset DEPOSIT_URL'
        : `and you trust ${server}, set DEPOSIT_URL to it, and DEPOSIT_TOKEN to a token of it or to none`
    }; or remove ${file} to make another deposit of the folder`,
  restoreMemory: (dir: string, file: string) =>
    `restore ${file} from git or a copy; or, if the folder was published before, run ` +
    `\`deposit release ${pathWord(dir)} --of RECORD\`, which writes it again: \`deposit list\` shows ` +
    `your deposits; if it was not, run \`rm ${pathWord(file)}\``,
  forgetDeposit: (dir: string, file: string) =>
    `run \`deposit create ${pathWord(dir)} --new\` to make another deposit of the folder, or ` +
    `correct ${file}`,
  anotherDeposit: (path: string) =>
    `run \`deposit create ${pathWord(path)} --new\` to make another deposit of it`,
  nextVersion: (dir: string) =>
    `run \`deposit release${ofFolder(dir)}\` to publish the changes as a new version; ` +
    `\`deposit newversion${ofFolder(dir)}\` and \`deposit sync${ofFolder(dir)}\` for a draft of it; ` +
    `or \`deposit create ${pathWord(dir)} --new\` for another deposit`,
  finishVersion: (dir: string) =>
    `change its files, then run \`deposit sync${ofFolder(dir)}\` and \`deposit publish${ofFolder(dir)}\``,
  finishDraft: (id: string) =>
    `change its files with \`deposit upload ${id} FILE\`, then run \`deposit publish ${id}\``,
  correctRecord: (dir: string) =>
    `run \`deposit edit${ofFolder(dir)}\`, \`deposit sync${ofFolder(dir)}\` and ` +
    `\`deposit publish${ofFolder(dir)}\` to correct the metadata of the record; or ` +
    `\`deposit release${ofFolder(dir)}\` to publish them as a new version`,
  restoreRecord: (id: string, dir: string) =>
    `run \`deposit restore-record ${id}\` to bring the record back; or ` +
    `\`deposit newversion${ofFolder(dir)}\` for a draft of its next version`,
  followWithdrawn: (dir: string) =>
    `run \`deposit newversion${ofFolder(dir)}\` for a draft of the next version, and publish that without ` +
    'what was withdrawn',
  publishWithout: (dir: string) =>
    'remove from the folder what the version before was withdrawn for; then run ' +
    `\`${syncOf(dir, true)}\` and \`deposit publish${ofFolder(dir)}\``,
  releaseAfter: (command: string, record: string) =>
    `remove from the folder what it was withdrawn for; then \`${command} --after-withdrawal ${shellWord(record)}\` ` +
    'publishes the folder as the next version',
  releaseOrRestore: (command: string, record: string, id: string) =>
    `run \`deposit restore-record ${id}\` to bring it back; or remove from the folder what it was ` +
    `withdrawn for: then \`${command} --after-withdrawal ${shellWord(record)}\` publishes the folder as the next version`,
  overtake: (dir: string, record: string) =>
    `compare them at ${record}; \`deposit release ${pathWord(dir)} --yes\` publishes the folder as it is`,
  awaitReview: (id: string) =>
    `wait for review; to change it, run \`deposit take-back ${id}\` first`,
  changeOrDelete: (id: string) =>
    `change the files or the metadata; or run \`deposit delete ${id}\` to give up the draft`,
  seeFolder: () => 'run `deposit status` to compare the folder with its deposit',
  goToData: () => 'change to the folder with your data, and run `deposit init` there',
  beginWith: (dir: string) => `run \`deposit init${ofFolder(dir)}\` to write a metadata.yaml`,
  seeAndRelease: () => '`deposit status` shows what is missing; `deposit release` publishes it',
  releaseFolder: () => '`deposit release` publishes the folder, or a new version of its record',
  syncFolder: (dir: string, isDeleting: boolean) => `run \`${syncOf(dir, isDeleting)}\``,
  syncAndPublish: (dir: string, isDeleting: boolean, id: string) =>
    `run \`${syncOf(dir, isDeleting)}\` and \`deposit publish${ofFolder(dir)}\`; or ` +
    `\`deposit publish ${id}\` to publish the draft as it is`,
  syncAndPush: (dir: string, isDeleting: boolean) =>
    `run \`${syncOf(dir, isDeleting)}\`, and push again; nothing was sent`,
  publishOf: (dir: string) => `run \`deposit publish${ofFolder(dir)}\``,
  placeMetadata: () => 'put the file itself there, or name it with --metadata; nothing was sent',
  writeMetadata: (id: string) =>
    `run \`deposit show ${id} --metadata > metadata.yaml\` and use that file; nothing was sent`,
  excludeNames: (reasons: readonly RefusedNameReason[]) =>
    `${[...new Set(reasons.flatMap((reason) => refusedNames[reason] ?? [])), exclude].join(', or ')}` +
    '; nothing was sent',
  renameOrExclude: () => `rename them, or ${exclude}; nothing was sent`,
  publishFolder: (id: string, sync: string) =>
    `to publish the folder as a new version, run \`deposit newversion ${id}\`, which ` +
    `prints the id of its draft, then \`deposit sync ${sync}\` and \`deposit publish NEW\` with ` +
    'that id; or give another --idempotency-key for another deposit',
  renameOrReplaceAll: (id: string) =>
    `rename them, or replace them with \`deposit upload ${id} PATH --replace\``,
  sendAgain: (id: string, key: string) =>
    `delete it with \`deposit rm ${id} ${keyWords([key])}\` and upload it again`,
  sendSettled: () => 'wait until nothing writes to the file, and run the command again',
  catFile: () => 'print one file with `deposit cat ID FILE`',
  nameObjectFolder: () => 'name a folder with --output',
  destroyToo: (id: string, isDraft: boolean) =>
    isDraft
      ? `run \`deposit delete ${id} --yes\``
      : `run \`deposit withdraw ${id} --reason personal-data --destroy-bytes\``,
  nameEmptyFolder: () => 'name a new folder with --output; nothing was written',
  nameFolder: () => 'name a folder with --output, or - for standard output',
  nameFile: () => 'name another file with --output, or - for standard output',
  nameOneFile: () => 'name one file and leave out --json, or name a folder with --output',
  replaceOrElsewhere: () => 'choose another place with --output, or overwrite it with --replace',
  moveAway: () => 'move it away, or choose another folder with --output',

  // Batches.
  leaveColumn: () => 'leave out one of them; nothing was sent',
  quoteCell: () =>
    'put quotes around the whole cell, and write each quote within it twice; nothing was sent',
  renameColumn: (title: string) =>
    `rename it, or write "/${title}" if it is a field of the metadata; nothing was sent`,
  useOwnKeys: () => 'give each row its own key, or none; nothing was sent',
  useNewKey: () => 'give the row another key, which makes a new deposit of it',
  removeAndNewKey: () =>
    'remove from the row and its files what it was withdrawn for; then give the row another key, which makes a new deposit of it',
  restoreOrNewKey: (id: string) =>
    `run \`deposit restore-record ${id}\` to bring it back; or remove from the row and its files what it was ` +
    'withdrawn for: then give the row another key, which makes a new deposit of it',
  matchRow: (id: string, names: readonly string[]) =>
    `delete them with \`deposit rm ${id} ${keyWords(names)}\`, or add them to ` +
    'the row, and run the command again; or run it with --delete',
  giveDelete: () => 'add them to the row, or run the command again with --delete',
  nameReport: () => 'name another file with --report',
  useOtherJournal: () =>
    'set DEPOSIT_URL or DEPOSIT_HOME to the server of the journal, or name another journal with --resume',
  nameJournal: () => 'name the journal with --resume JOURNAL, the same one when you run it again',
  moveJournal: () => 'name a journal in a folder where you may write, with --resume JOURNAL',
  resumeRenamed: (known: string, fresh: string) =>
    `to continue that batch, run the command again with --resume ${shellWord(known)}; ` +
    `to make its rows a second time, with --resume ${shellWord(fresh)}`,

  // Two steps.
  inTurn: (first: Advice, second: Advice) => `${first}; then ${second}`,
  /** Each once, and that nothing was sent at the end alone. */
  allOf: (steps: readonly Advice[]) => {
    const each = steps.map((step) => step.replace(/; nothing was sent$/, ''))
    const end = each.every((step, at) => step === steps[at]) ? '' : '; nothing was sent'
    return `${[...new Set(each)].join('; and ')}${end}`
  },
  continueDraft: (first: Advice, command: string) =>
    inPlace(first, `run \`${command}\``) ?? `${first}; to continue the draft, run \`${command}\``,
  finishAfter: (first: Advice, command: string) =>
    `${inPlace(first, `run \`${command}\``) ?? `${first}; then run \`${command}\``}; ` +
    'no row is done twice',
  finishBatch: (command: string) => `run \`${command}\` for the rest; no row is done twice`,
})

export type RefusedNameReason = keyof typeof refusedNames

/** The hint for a command that is not one of ours, but of other programs. */
export function hintForCommand(name: string): Advice | undefined {
  if (name === 'undelete') return advice.askUndelete()
  return isOther(name) ? advice.useCommand(name) : undefined
}

function isOther(name: string): name is keyof typeof otherCommands {
  return Object.hasOwn(otherCommands, name)
}

/** Of the advice to run the same command again. */
const sameAgain = /\brun (?:the command|yours) again\b/

/** `first` with another command in place of the same one; undefined where it does not name that. */
function inPlace(first: Advice, step: string): string | undefined {
  return sameAgain.test(first) ? first.replace(sameAgain, () => step) : undefined
}

/** @param isDeleting whether the deposit has files that the folder does not have */
function syncOf(dir: string, isDeleting: boolean): string {
  return `deposit sync${ofFolder(dir)}${isDeleting ? ' --delete' : ''}`
}

function ofFolder(dir: string): string {
  if (dir === '.') return ''
  return ` ${shellWord(/[/\\]/.test(dir) ? dir : `./${dir}`)}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
