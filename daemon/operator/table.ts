import { clientCommands } from './client-commands.ts'
import type { OperatorCommand } from './operator-command.ts'
import { importCommand } from './import-users.ts'
import { pidCommands } from './pid-commands.ts'
import { tokenCommands } from './token-commands.ts'
import { userCommands } from './user-commands.ts'
import { backupCommand } from './work/backup.ts'
import { checkCommand } from './work/check.ts'
import { gcCommand } from './work/gc.ts'
import { configCommand } from './work/config-check.ts'
import { initCommand, migrateCommand } from './work/migrate.ts'
import { moveCommand } from './work/move.ts'
import { rebuildCommand } from './work/rebuild.ts'
import { reindexCommand } from './work/reindex.ts'
import { restoreCommand } from './work/restore.ts'

/**
 * The operator's commands, in the order of the help. The command line, the daemon's routes for its
 * owner and the audit trail all read this list.
 */
export const operatorCommands: readonly OperatorCommand[] = [
  initCommand,
  ...userCommands,
  importCommand,
  ...tokenCommands,
  ...clientCommands,
  ...pidCommands,
  configCommand,
  checkCommand,
  gcCommand,
  reindexCommand,
  backupCommand,
  restoreCommand,
  rebuildCommand,
  moveCommand,
  migrateCommand,
]

/** Descriptions of the groups of two-word commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  config: 'look at the configuration',
  user: 'add, import, list, disable and enable users',
  token: 'create, list and revoke access tokens',
  client: 'programs of others: their own deposits, sign-ins, tokens to check',
  pid: 'show and redirect persistent identifiers',
}
