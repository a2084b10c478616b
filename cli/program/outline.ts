import type { CommandFactory } from '../commands/command.ts'

/** A command in the overview; its file is loaded on use. */
export interface OutlineEntry {
  readonly name: string
  readonly summary: string
  readonly group: string
  /** One of those that `deposit` alone shows. */
  readonly isBasic: boolean
  readonly load: () => Promise<CommandFactory>
}

type Line = readonly [
  name: string,
  summary: string,
  load: () => Promise<CommandFactory>,
  basic?: 'basic',
]

const drafts: readonly Line[] = [
  [
    'init',
    'write the metadata file of a folder',
    async () => (await import('../commands/init.ts')).initCommand,
    'basic',
  ],
  [
    'create',
    'make a deposit of a folder',
    async () => (await import('../commands/create.ts')).createCommand,
    'basic',
  ],
  [
    'list',
    'list and search your deposits',
    async () => (await import('../commands/list.ts')).listCommand,
    'basic',
  ],
  [
    'show',
    'show a deposit and its files',
    async () => (await import('../commands/show.ts')).showCommand,
    'basic',
  ],
  [
    'update',
    'change metadata',
    async () => (await import('../commands/update.ts')).updateCommand,
    'basic',
  ],
  [
    'patch',
    'apply a JSON Patch to metadata',
    async () => (await import('../commands/update.ts')).patchCommand,
  ],
  [
    'history',
    'list the changes of the metadata',
    async () => (await import('../commands/undo.ts')).historyCommand,
  ],
  [
    'undo',
    'undo a change of the metadata',
    async () => (await import('../commands/undo.ts')).undoCommand,
  ],
  ['clear', 'empty the metadata', async () => (await import('../commands/update.ts')).clearCommand],
  [
    'delete',
    'delete a draft with its files',
    async () => (await import('../commands/delete.ts')).deleteCommand,
  ],
]

const files: readonly Line[] = [
  [
    'upload',
    'upload files and folders',
    async () => (await import('../commands/upload.ts')).uploadCommand,
    'basic',
  ],
  ['files', 'list the files', async () => (await import('../commands/files.ts')).filesCommand],
  [
    'download',
    'download files',
    async () => (await import('../commands/download.ts')).downloadCommand,
    'basic',
  ],
  [
    'cat',
    'write files to standard output',
    async () => (await import('../commands/cat.ts')).catCommand,
  ],
  [
    'sort',
    'change the order of the files',
    async () => (await import('../commands/sort.ts')).sortCommand,
  ],
  ['rename', 'rename a file', async () => (await import('../commands/rename.ts')).renameCommand],
  [
    'diff',
    'compare a folder with a deposit',
    async () => (await import('../commands/diff.ts')).diffCommand,
  ],
  [
    'verify',
    'check that a copy is complete and unchanged',
    async () => (await import('../commands/verify.ts')).verifyCommand,
  ],
  [
    'status',
    'show a folder beside its deposit, and the next step',
    async () => (await import('../commands/status.ts')).statusCommand,
    'basic',
  ],
  [
    'sync',
    'make a draft match a folder',
    async () => (await import('../commands/sync.ts')).syncCommand,
  ],
  [
    'uploads',
    'list and delete unfinished uploads',
    async () => (await import('../commands/uploads.ts')).uploadsCommand,
  ],
  ['rm', 'delete files', async () => (await import('../commands/rm.ts')).rmCommand],
  [
    'restore',
    'bring back deleted files',
    async () => (await import('../commands/restore.ts')).restoreCommand,
  ],
]

const publishing: readonly Line[] = [
  [
    'batch',
    'make many deposits of a table',
    async () => (await import('../commands/batch.ts')).batchCommand,
  ],
  [
    'check',
    'show what must be corrected before publishing',
    async () => (await import('../commands/check.ts')).checkCommand,
  ],
  [
    'publish',
    'publish a draft as a record',
    async () => (await import('../commands/publish.ts')).publishCommand,
    'basic',
  ],
  [
    'reserve',
    'reserve the DOI of a draft',
    async () => (await import('../commands/reserve.ts')).reserveCommand,
  ],
  [
    'release',
    'publish a folder, or a new version of its record',
    async () => (await import('../commands/release.ts')).releaseCommand,
    'basic',
  ],
  [
    'newversion',
    'start the next version of a published deposit',
    async () => (await import('../commands/newversion.ts')).newversionCommand,
  ],
  [
    'submit',
    'submit a draft for review',
    async () => (await import('../commands/review.ts')).submitCommand,
  ],
  [
    'take-back',
    'take back a submitted draft, to change it',
    async () => (await import('../commands/review.ts')).takeBackCommand,
  ],
  [
    'reviews',
    'list the drafts that wait for review',
    async () => (await import('../commands/review.ts')).reviewsCommand,
  ],
  [
    'accept',
    'accept a submitted draft, which publishes it',
    async () => (await import('../commands/review.ts')).acceptCommand,
  ],
  [
    'return',
    'return a submitted draft to its owners',
    async () => (await import('../commands/review.ts')).returnCommand,
  ],
  [
    'withdraw',
    'withdraw a published record: its address then says why',
    async () => (await import('../commands/withdraw.ts')).withdrawCommand,
  ],
  [
    'restore-record',
    'restore a record that was withdrawn',
    async () => (await import('../commands/withdraw.ts')).restoreRecordCommand,
  ],
  [
    'edit',
    'open a published deposit for changes',
    async () => (await import('../commands/edit.ts')).editCommand,
    'basic',
  ],
  [
    'merge',
    'settle what the draft and the record changed differently',
    async () => (await import('../commands/merge.ts')).mergeCommand,
  ],
  [
    'discard',
    'give up the changes since the last publish',
    async () => (await import('../commands/edit.ts')).discardCommand,
  ],
  [
    'action',
    'run any other action by name',
    async () => (await import('../commands/action.ts')).actionCommand,
  ],
  [
    'export',
    'print the metadata in another format',
    async () => (await import('../commands/export.ts')).exportCommand,
  ],
  [
    'cite',
    'print how to cite a record',
    async () => (await import('../commands/cite.ts')).citeCommand,
  ],
  [
    'open',
    'open a deposit in the browser',
    async () => (await import('../commands/open.ts')).openCommand,
    'basic',
  ],
]

const sharing: readonly Line[] = [
  [
    'share',
    'give a person a role on a deposit',
    async () => (await import('../commands/share.ts')).shareCommand,
  ],
  [
    'unshare',
    'take the role of a person',
    async () => (await import('../commands/share.ts')).unshareCommand,
  ],
  [
    'people',
    'list the people of a deposit',
    async () => (await import('../commands/share.ts')).peopleCommand,
  ],
  [
    'transfer',
    'hand a deposit over to another owner',
    async () => (await import('../commands/share.ts')).transferCommand,
  ],
  [
    'link',
    'links for reviewers and others without an account',
    async () => (await import('../commands/link.ts')).linkCommand,
  ],
]

const others: readonly Line[] = [
  [
    'remote',
    'repositories of others, such as Zenodo and Dataverse',
    async () => (await import('../commands/remote.ts')).remoteCommand,
  ],
  [
    'push',
    'send a deposit to a repository of others',
    async () => (await import('../commands/push.ts')).pushCommand,
  ],
  [
    'pull',
    'make a draft of a record of a repository of others',
    async () => (await import('../commands/pull.ts')).pullCommand,
  ],
]

const server: readonly Line[] = [
  ['login', 'sign in', async () => (await import('../commands/login.ts')).loginCommand, 'basic'],
  [
    'logout',
    'forget the sign-in',
    async () => (await import('../commands/logout.ts')).logoutCommand,
  ],
  [
    'whoami',
    'show who you are signed in as',
    async () => (await import('../commands/whoami.ts')).whoamiCommand,
  ],
  [
    'token',
    'make, list and revoke access tokens',
    async () => (await import('../commands/token.ts')).tokenCommand,
  ],
  [
    'daemon',
    'start, stop and watch the local daemon',
    async () => (await import('../commands/daemon.ts')).daemonCommand,
  ],
  [
    'doctor',
    'find problems and how to fix them',
    async () => (await import('../commands/doctor.ts')).doctorCommand,
  ],
  [
    'completion',
    'complete commands, ids and names in a shell',
    async () => (await import('../commands/completion.ts')).completionCommand,
  ],
]

/** Every command, in the order of the overview. To add one, add a line here and its command. */
export const outline: readonly OutlineEntry[] = Object.entries({
  'Drafts:': drafts,
  'Files:': files,
  'Publishing:': publishing,
  'Sharing:': sharing,
  'Other repositories:': others,
  'Server:': server,
}).flatMap(([group, lines]) =>
  lines.map(([name, summary, load, basic]) => ({
    name,
    summary,
    group,
    isBasic: basic === 'basic',
    load,
  })),
)
