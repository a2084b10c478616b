import type { Advice } from '../core/base/advice.ts'
import { pathWord, shellWord } from './plain.ts'

export interface Commands {
  readonly command: string
  /** Without publishing: what begins a second record is looked at first. */
  readonly asDraft: string
}

/** Next steps about repositories of others: part of the table `advice`. */
export const remoteAdvice = {
  addRemote: () => 'name one with `deposit remote add NAME --kind KIND`; nothing was sent',
  addRemoteOf: () =>
    'name that repository with `deposit remote add NAME --kind KIND --url ADDRESS`, or write NAME:ID for a record of one that is named',
  nameRemote: (names: readonly string[]) =>
    `name one of these: ${names.join(', ')}; or add one with \`deposit remote add NAME --kind KIND\`; nothing was sent`,
  otherRemoteName: () => 'choose another name, or add --replace to replace that one',
  giveCollection: () => 'name the collection with --collection ALIAS',
  giveRemoteUrl: () => 'give its address with --url',
  giveRemoteToken: (name: string) =>
    `set ${tokenVariable(name)}, or write the token to standard input of \`deposit remote add\``,
  checkRemote: (name: string) =>
    `see with \`deposit remote check ${shellWord(name)}\` whether it is the right service`,
  renewRemoteToken: (renew: string) => `make a token there, and store it with \`${renew}\``,
  renewTokenVariable: (variable: string, host: string) =>
    `make a token at ${host} that may write and publish deposits, and set ${variable} to it, which wins over a stored one`,
  giveRemoteRights: (host: string, renew: string) =>
    `make a token at ${host} that may write and publish deposits, and store it with \`${renew}\``,
  pushAgain: () => 'run the command again: it goes on where it stopped',
  correctForRemote: () => 'correct what the repository names, and run the command again',
  correctPlan: () => 'correct what is listed and run the command again; nothing was sent',
  flatten: (command: string) =>
    `run \`${command} --flatten dash\` or \`${command} --flatten zip\`; nothing was sent`,
  removeJournal: (path: string, { command, asDraft }: Commands, of: string) =>
    `look at it there; if it is this work, run \`${command} --of ${shellWord(of)}\`; if not, remove ${shellWord(path)} and run \`${asDraft}\`, which makes a draft`,
  nameOrBegin: (path: string, { command, asDraft }: Commands, of = 'ADDRESS') =>
    `if it has another address there, run \`${command} --of ${shellWord(of)}\`; if it was deleted, remove ${shellWord(path)} and run \`${asDraft}\`, which makes a draft`,
  askToRestoreThere: (url: string) =>
    `if it is to be public again, restore it at ${url}, or ask the people of that repository to; nothing was sent`,
  deletePulled: (id: string) =>
    `publish that draft or delete it with \`deposit delete ${id}\`, and run the command again, which makes another one`,
  continueCopy: (command: string, of: string) =>
    `to continue that record, run \`${command} --of ${shellWord(of)}\`; if this is another work, remove that entry from related_identifiers, and run the command again; nothing was sent`,
  changeFileOrCorrect: (command: string, of: string) =>
    `change the bytes of a file, and run the command again; or correct the metadata of the record with \`${command} --of ${shellWord(of)}\`; nothing was sent`,
  giveTokenOrBegin: (remote: string, asDraft: string, journal: string) =>
    `set ${tokenVariable(remote)} to the token that it was pushed with, and run the command again; if it was deleted, remove ${shellWord(journal)} and run \`${asDraft}\`, which makes a draft`,
  giveTokenOrName: (remote: string, command: string, of: string) =>
    `set ${tokenVariable(remote)} to the token that it was pushed with, and run the command again; if it was deleted, run \`${command} --of ${shellWord(of)}\`, which begins a new version`,
  pullOthers: (remote: string, id: string, command: string, of = id) =>
    `see what it has with \`deposit pull ${shellWord(`${remote}:${id}`)}\`; to publish this after it, run \`${command} --of ${shellWord(of)}\`; nothing was sent`,
  overwrite: (remote: string, id: string, command: string, of = id) =>
    `see what it has with \`deposit pull ${shellWord(`${remote}:${id}`)}\`; to put this in its place, run \`${command} --of ${shellWord(of)}\`; nothing was sent`,
  finishThere: (url: string) =>
    `publish or discard these changes at ${url}, and run the command again; nothing was sent`,
  sayAccess: (until: string | undefined) =>
    `to open them, write \`access: {files: public}\` in the metadata; to keep them closed, write \`access: {files: restricted${until === undefined ? '' : `, until: ${until}`}}\`; then run the command again; nothing was sent`,
  changeFile: () =>
    'change the bytes of a file, or leave the names as they were: metadata alone are corrected in the record; nothing was sent',
  nameOwn: () =>
    'name a record or draft of this account, by its number, its DOI or its address there; nothing was sent',
  correctRemote: (renew: string, host: string) =>
    `${host} may be another service, or have another address: store the right one with \`${renew}\` and another --url`,
  flattenToZip: (command: string) => `run \`${command} --flatten zip\`; nothing was sent`,
  pushOf: (dir: string, remote: string, isPublished: boolean) =>
    `run \`deposit push ${pathWord(dir)} --to ${remote}${isPublished ? ' --new-version' : ''}\``,
  pushToSee: (dir: string, remote: string) =>
    `run \`deposit push ${pathWord(dir)} --to ${remote}\`, which says what can be done about it`,
  publishThere: (dir: string, remote: string) =>
    `run \`deposit push ${pathWord(dir)} --to ${remote} --publish\`; outside of a terminal, with --yes`,
  pushNewVersion: (command: string) => `run \`${command} --new-version\``,
  pushRecord: (command: string) => `run \`${command}\` to push the record as it is published here`,
  publishFirst: (id: string, command: string) =>
    `run \`deposit publish ${id}\` to publish them here first; or run \`${command}\` to push the record as it is published here; nothing was sent`,
  publishHereFirst: (id: string) =>
    `once it no longer has what that was withdrawn for, run \`deposit publish ${id}\` to publish it here, and push it then; nothing was sent`,
  keepJournal: (command: string) =>
    `run \`${command} --journal DIR\`, and keep DIR from run to run; a record that is there already is named once with --of RECORD; nothing was sent`,
  renameRemote: (name: string) =>
    `choose a name that differs in letters or digits, or run \`deposit remote remove ${shellWord(name)}\` first`,
  useHttpsUrl: () => 'use an https address in --url, or add `--insecure` to use this one anyway',
  askRemoteAgain: (host: string) => `run the command again once ${host} answers`,
  nameCollection: (renew: string) =>
    `look up its alias there, at the end of its address, and run \`${renew}\` with it`,
  withJournal: (next: Advice, journal: string) =>
    next.replaceAll(
      /`deposit push [^`]*/g,
      (command) => `${command} --journal ${shellWord(journal)}`,
    ),
  removeCopy: (url: string, { next }: { readonly next: Advice }) =>
    `have the copy removed at ${url}; here, ${next}`,
  submitFirst: (id: string) =>
    `run \`deposit submit ${id}\`, and push it once it was accepted; nothing was sent`,
  confirmPush: (command: string) => `to publish it there, run \`${command}\``,
  lookAtRemote: (url: string) => `look at ${url}: a deposit cannot have these names`,
  nameRemoteRecord: () => 'write NAME:ID with the name of a remote, a DOI, or an address',
  findAt: (name: string, { next }: { readonly next: Advice }) =>
    `if ${name} has it, ${next}; if not, write NAME:ID with the name of a remote, a DOI, or an address`,
  reportRemote: () =>
    'look at the record there; if it is whole, run the command with --record FILE, and send that file with a report',
  nameOther: () => 'name a file that is not there yet',
} as const

/** The environment variable with the token of a remote. */
export function tokenVariable(name: string): string {
  return `DEPOSIT_REMOTE_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_TOKEN`
}
