import { auditCommand } from './commands/audit.ts'
import { clientCommands } from './commands/client-commands.ts'
import type { OperatorCommand } from './command/operator-command.ts'
import { importCommand } from './commands/import-users.ts'
import { doiCommands } from './commands/doi-commands.ts'
import { pidCommands } from './commands/pid-commands.ts'
import { recordCommands } from './commands/record-commands.ts'
import { tokenCommands } from './commands/token-commands.ts'
import { departureCommands } from './commands/user-departures.ts'
import { vocabularyCommands } from './commands/vocabulary-commands.ts'
import { userCommands } from './commands/user-commands.ts'
import { userSignInCommands } from './commands/user-sign-ins.ts'
import { backupCommand } from './commands/backup.ts'
import { checkCommand, gcCommand, reindexCommand } from './commands/upkeep.ts'
import { configCommand, typesCommand } from './commands/config-check.ts'
import { exportOcflCommand } from './commands/export-ocfl.ts'
import { initCommand, migrateCommand } from './commands/migrate.ts'
import { moveCommand } from './commands/move.ts'
import { rebuildCommand } from './commands/rebuild.ts'
import { restoreCommand } from './commands/restore.ts'

/**
 * The operator's commands, in the order of the help. The command line, the daemon's routes for its
 * owner and the audit trail all read this list.
 */
export const operatorCommands: readonly OperatorCommand[] = [
  initCommand,
  ...userCommands,
  ...userSignInCommands,
  ...departureCommands,
  importCommand,
  ...tokenCommands,
  ...clientCommands,
  ...pidCommands,
  ...recordCommands,
  ...doiCommands,
  auditCommand,
  ...vocabularyCommands,
  configCommand,
  checkCommand,
  gcCommand,
  reindexCommand,
  backupCommand,
  exportOcflCommand,
  restoreCommand,
  rebuildCommand,
  moveCommand,
  migrateCommand,
]

/** Commands that other commands ask of a running daemon; the command line has none of them. */
export const askedCommands: readonly OperatorCommand[] = [typesCommand]

/** Descriptions of the groups of two-word commands. */
export const groupSummaries: Readonly<Record<string, string>> = {
  config: 'look at the configuration',
  user: 'add, import, list, disable, rename, merge and delete users',
  role: 'give users roles: administrator, curator, reviewer',
  token: 'create, list and revoke access tokens',
  client: 'programs of others: their own deposits, sign-ins, tokens to check',
  doi: 'list and check the DOIs that are registered, and send them again',
  record: 'withdraw and restore records',
  vocabulary: 'load, list and clear the terms that fields of the form offer',
  pid: 'show and redirect persistent identifiers',
}
