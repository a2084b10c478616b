import { adviceTable, type Advice } from '../core/base/advice.ts'
import { shellWord } from '../core/base/shell-word.ts'

export type { Advice }

/** A text, and the file or object that an operator writes it to. */
type FileText = readonly [text: string, file: string]

/** Steps to rows that are empty, beside the ones that are there. */
const emptyDatabase = {
  folder: 'move deposit.db away, with its -wal,',
  bucket: 'set DEPOSIT_HOME to an empty folder',
  server: 'remove stores.json from the home, set DEPOSIT_DATABASE_URL to an empty database',
} as const

function rebuildOf(root: string | undefined): string {
  return root === undefined ? 'depositd rebuild' : `depositd rebuild --from-ocfl ${root}`
}

export function listed(names: readonly string[]): string {
  const [last = '', ...before] = names.toReversed()
  return before.length === 0 ? last : `${before.toReversed().join(', ')} and ${last}`
}

/**
 * Everything that a failure or a note of `depositd` may tell an operator to do. Each is followed to
 * the letter by `test/operator/advice.test.ts`, which does not compile while one has no row there.
 */
export const advice = adviceTable({
  // Homes and stores.
  findHome: () =>
    'Check DEPOSIT_HOME, DEPOSIT_DATABASE_URL and depositd --environment-file FILE, or make a new service: depositd init. Where records/ is there and deposit.db is lost, use a backup, or make rows of the published records: depositd rebuild',
  findManifests: () =>
    'Check DEPOSIT_HOME and DEPOSIT_STORAGE_URL: manifests are in records/, of the home or of the bucket. Without them, use a backup: depositd restore DIR',
  migrate: () =>
    'Run depositd migrate, or start the daemon: both keep a copy of an SQLite database first.',
  loadSettings: (store: string, path: string) =>
    'Correct that, or load the settings of the daemon: depositd --environment-file FILE … ' +
    `If the ${store} has another place now, remove ${path} first.`,
  useOneService: ([text, file]: FileText) =>
    'Set DEPOSIT_HOME, DEPOSIT_DATABASE_URL and DEPOSIT_STORAGE_URL to the stores of one service. ' +
    `If that service is gone, and the bytes are those of this one, write ${text} to ${file}`,
  findBytes: ([text, file]: FileText) =>
    'Check DEPOSIT_HOME, DEPOSIT_DATABASE_URL and DEPOSIT_STORAGE_URL. A copy of the store needs its mark as well; lost bytes come from a backup of it. ' +
    `If this is to be the store of the service, with the files that are there, write ${text} to ${file}`,
  useLatestHome: ([text, file]: FileText) =>
    'Use that home as it was used last, not an older copy, snapshot or backup of it. ' +
    `If it is lost, or what was done with it may be, stop all daemons and write ${text} to ${file}. ` +
    'Then depositd check names what the rows here do not know or miss; depositd gc keeps the files of published records, and removes those of drafts that the rows do not know.',
  useLatestRows: (folder: string, [text, file]: FileText) =>
    'Use the home as it was used last, not an older copy, snapshot or backup of it. ' +
    `If that is lost, first make a copy of ${folder}: to the rows here, what was stored there since is garbage, which depositd gc removes. ` +
    `Then write ${text} to ${file}`,
  useOneHome: (folder: string, other: string) =>
    'Use one of the two homes, or stop the daemon of the other one first. ' +
    `A copy of a home needs a copy of the files: umount ${shellWord(folder)} && cp -a ${shellWord(`${other}/blobs/.`)} ${shellWord(folder)}`,
  restoreAgain: () =>
    'Run depositd restore again, with the same backup or another one, or set DEPOSIT_HOME to an empty folder.',
  mountNotLink: (folder: string, target: string) =>
    `Put what it leads to in its place: rm ${shellWord(folder)} && mkdir -m 700 ${shellWord(folder)} && mount --bind ${shellWord(target)} ${shellWord(folder)}`,
  mountOwnDisk: (otherwise: string) =>
    `If blobs/ is on a disk of its own, mount that of this service there. ${otherwise}`,
  putSmallBack: (folder: string, [text, file]: FileText) =>
    `Put small-blobs.db back. If it is lost, copy the files of the last backup: cp -an BACKUP/blobs/. ${folder}/. ` +
    `To accept the loss of those that are in no backup, write ${text} to ${file}; depositd check names them`,
  mountBytes: ([text, file]: FileText) =>
    'If blobs/ is on a disk of its own, mount that. If it is lost, put it back from a backup, or accept the loss of its files; small-blobs.db comes from there only if it is lost as well. ' +
    `Then, or if these are the right files, as after they were copied, write ${text} to ${file}`,
  mountForWriting: (folder: string) =>
    'If dmesg tells of errors of its disk, first save what is there (depositd backup and depositd check only read it), ' +
    'then unmount the disk, check it with fsck and mount it again. ' +
    `Otherwise mount it for writing: mount -o remount,rw ${folder}`,
  followBytes: (place: string) =>
    (place.startsWith('/')
      ? 'Start without DEPOSIT_STORAGE_URL.'
      : `Set DEPOSIT_STORAGE_URL to ${place}, with the parameters it needs.`) +
    ' To bring them back here, run depositd move there first.',
  rebuildThere: (database: string) =>
    `The database that was opened is ${database}, and has no rows: if that is not the one of these bytes, correct DEPOSIT_DATABASE_URL or DEPOSIT_HOME. ` +
    'If this is a service of its own, set DEPOSIT_HOME to an empty folder, or DEPOSIT_STORAGE_URL to another bucket or prefix. ' +
    'Only if the database of these bytes is lost, run depositd rebuild: it makes a new one of the published records, to which the bytes belong from then on, and sets the files of drafts aside.',
  useOtherRows: (place: 'folder' | 'bucket' | 'server') =>
    'If there is a newer home or database of this service, use that in place of this one. ' +
    `If it is lost, ${emptyDatabase[place]} and run depositd rebuild: it makes rows of all published records, to which the bytes belong from then on. ` +
    'It brings back no drafts, tokens and administrators: copy the drafts first that you need.',
  mendManifest: () =>
    'Put them back from a backup, or move them away, and run the command again: depositd gc',
  rebuildAgain: (root: string | undefined) =>
    `Unless it runs now, run it again, and it resumes: ${rebuildOf(root)}`,
  rebuildFromStart: (place: 'folder' | 'bucket' | 'server', root: string | undefined) =>
    'Use that home, with its database: nothing has to be rebuilt here. ' +
    `Only if it is lost, ${emptyDatabase[place]} and begin again: ${rebuildOf(root)}`,
  moveAgain: (from: string, command: string, made: readonly string[]) => {
    const isServer = /--to '?postgres/.test(command)
    const password = isServer
      ? ' and the password of the database, which the address below leaves out (set PGPASSWORD or PGPASSFILE, or put it in)'
      : ''
    const resume = `run it again with the settings of ${from}${password}, and it resumes: ${command}`
    return `If it was given up, remove ${listed(made)}. Otherwise, unless it runs now, ${resume}`
  },
  stopThere: (seconds: number, user: 'daemon' | 'command') =>
    `Stop that ${user} first; if it has crashed, run the command again in ${seconds} s. ` +
    'If it is another service’s, set DEPOSIT_STORAGE_URL to another bucket or prefix.',
  useWholePath: () => 'Write the whole path, without ~.',
  copyHome: (root: string) =>
    `Only check, config check, backup, export-ocfl and the list commands work there. For anything else, copy it (cp -a ${root} COPY) and set DEPOSIT_HOME to COPY.`,
  useOtherTemporary: (size: string) => `Set TMPDIR to a folder with room for ${size}.`,
  useFolder: () => 'Set DEPOSIT_HOME to a folder.',
  restoreOrRebuild: () =>
    'Set DEPOSIT_HOME to an empty folder and run depositd restore BACKUP; without a backup, move deposit.db away, with its -wal, and run depositd rebuild',
  useNewer: () =>
    'Install the newer version of depositd, or restore a backup of this one: set DEPOSIT_HOME to an empty folder and run depositd restore BACKUP',
  stopDaemon: () => 'Stop that one first.',
  useLocalDisk: () =>
    'Set DEPOSIT_HOME to a folder on a local disk; where locks and syncs of that file system hold, set DEPOSIT_ALLOW_NETWORK_FS=true.',
  useUtf8: () => 'Make an empty database: createdb --encoding=UTF8 --template=template0 NAME',
  givePassword: () =>
    'Write HOST:PORT:DATABASE:USER:PASSWORD to a file of mode 0600, and name it: PGPASSFILE=FILE',
  writeStorage: () => 'Write s3://BUCKET/PREFIX?endpoint=URL&region=REGION',
  correctBucket: () => 'Correct BUCKET in DEPOSIT_STORAGE_URL (s3://BUCKET/PREFIX).',
  makeBucket: () => 'Make it, or add create_bucket=true to the parameters of DEPOSIT_STORAGE_URL.',
  setKeys: () =>
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file that has them: AWS_SHARED_CREDENTIALS_FILE',
  useOtherPort: () => 'Use --port 0 for a free one.',
  setPublicUrl: () => 'Set DEPOSIT_PUBLIC_URL to the https address of the proxy in front of it.',
  runAsOwner: () => 'Run the command as that user.',
  closeHome: (path: string) => `Look at what is in it, then run: chmod 700 ${path}`,
  closeFile: (path: string) => `Look at it, then run: chmod go-w ${path}`,
  closeFolder: (path: string) => `Look at it, then run: chmod o-w ${path}`,
  takeOver: (path: string, uid: number) =>
    `Look at it, then take it over or remove it: chown ${uid} ${path}`,
  // Settings.
  useKey: (name: string) => `Did you mean ${name}?`,
  setOne: () => 'Set one of them.',
  setBoth: () => 'Set both, or neither.',
  removeLine: () => 'Remove the line.',
  lookIntoBackup: () =>
    'Where a backup has it, set DEPOSIT_HOME to an empty folder, run depositd restore BACKUP, and start that beside this one: depositd serve --port 0',
  // Users, tokens, clients.
  seeUsers: () => 'See depositd user list.',
  findDeparted: () =>
    'Of users who were deleted the trail has the id alone: depositd audit --user owner lists the command that deleted them, with it; then run depositd audit --user ID',
  makeAdmin: () =>
    'Make another user one first: depositd user admin EMAIL; or run the command with --yes.',
  makeLinksAgain: () =>
    'Set DEPOSIT_PUBLIC_URL, or start the daemon, and make the links again: depositd user link EMAIL',
  seeTokens: () => 'See depositd token list.',
  seeClients: () => 'See depositd client list.',
  enableUser: (email: string) => `First run depositd user enable ${email}`,
  disableUser: (email: string) =>
    `To refuse them here until you enable them again, run depositd user disable ${email}`,
  revokeTokens: () =>
    'Their personal tokens stay good: see depositd token list; end one by depositd token revoke ID',
  nameHeir: (email: string) =>
    `Say who gets them: depositd user delete ${email} --deposits-to EMAIL`,
  chooseIdentity: () =>
    'Add --with-identity if the person may sign in so; --without-identity leaves it behind, and it gets a new account when it signs in again',
  mergeUsers: () => 'If both are one person, merge the accounts: depositd user merge EMAIL INTO',
  makeToken: (email: string) =>
    `This one is for tokens: depositd token create --user ${email} --scope deposit:write`,
  giveLink: () => 'Give them this link: with it they can set their passphrase once, within 7 days.',
  giveWholeId: () => 'Give its whole id.',
  leaveOut: () => 'Leave them out.',
  writeSize: () => 'Write 20GB, 20GiB or a number of bytes.',
  writeDuration: () => 'Write 30d, 12h or 15m, or never.',
  sayUse: () =>
    'Say what the client does: --owner EMAIL to deposit by itself, --redirect-uri URI or --device to sign people in, --introspect to check tokens.',
  giveAddress: () =>
    'Give https://…, http:// on a loopback address, or a scheme such as org.example.app:/ without a # or a * in the host.',
  saveWithCommas: () => 'Save the file with commas between the columns.',
  saveAsUtf8: () => 'Save the file as UTF-8.',
  seeVocabularies: () => 'See depositd vocabulary list.',
  nameVocabulary: () => 'Name one of depositd vocabulary list behind the file.',
  loadUnpacked: () => 'Load a .json, .jsonl or .csv file. Unpack a .zip of ROR first.',
  nameLinksFile: () => 'Name a new file: --links FILE',
  removeLinks: () => 'Remove the file afterwards.',
  // Backups and moves.
  dumpRows: () => 'Back them up with pg_dump.',
  restoreRows: () => 'Bring them back with pg_restore.',
  copyIntoFolder: () => 'Copy them into a folder with depositd move --to FOLDER, and back that up.',
  restoreThenMove: () =>
    'Restore into a folder without DEPOSIT_STORAGE_URL, then run depositd move --storage with it.',
  useEmptyHome: () => 'Set DEPOSIT_HOME to an empty folder.',
  backupOutside: () => 'Name a folder outside of it.',
  nameNew: () => 'Name a new one.',
  nameBeside: (path: string, uid: number | undefined) =>
    `Name a folder beside it: ${path}` +
    (uid === undefined ? '' : `; make that as root first: install -d -o ${uid} -m 700 ${path}`),
  findRoot: () => 'Name the folder that depositd export-ocfl was given.',
  removeDestroyed: (root: string) =>
    `To remove them there too: depositd export-ocfl ${root} --remove-destroyed`,
  nameObjects: () =>
    'To have other names, set DEPOSIT_PUBLIC_URL, remove that folder and export again.',
  makeParent: (path: string) => `Make it first: mkdir ${path}`,
  moveAway: (path: string) => `Move it away first: ${path}`,
  moveDatabaseAway: () => 'Move it away first, with its -wal, if it is lost.',
  useEmptyDatabase: () => 'Make an empty database for it.',
  startWhereUsed: (settings: string, emptied: string) =>
    `If that was there, start it there, ${settings}. ` +
    `Only if it was used here alone since, ${emptied}, and run the move again: everything that is there alone is lost.`,
  makeAgain: () => 'Make and grant them again.',
  nameTarget: () => 'Name it: --to, --storage or both.',
  runAgain: () => 'Run it again.',
  startThere: (settings: string, leftovers: string, kept: string, shared?: string) => {
    const start = `Start the daemon ${settings}. Once it runs, ${leftovers} can be removed${kept}.`
    const others = `Before you do, make sure that no other home uses ${shared}, such as one that this home is a copy of, or a copy of it: they would lose their files.`
    return shared === undefined ? start : `${start} ${others}`
  },
  keepSource: (settings: string, source: string, place: 'folder' | 'bucket' | 'server') =>
    `Start the daemon ${settings}. Remove nothing of ${source}: these files are there alone. ` +
    'Use them with the home or the database that they were published with. ' +
    `If that is lost, ${emptyDatabase[place]} and run depositd rebuild with the settings from before the move: it makes rows of all records that are there.`,
})
