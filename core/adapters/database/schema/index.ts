import type { Kysely, SchemaModule } from 'kysely'
import type { Tables, Engine } from './tables.ts'
import { foundation } from './0001-foundation.ts'
import { upkeep } from './0002-upkeep.ts'
import { signIn } from './0003-sign-in.ts'
import { uploads } from './0004-uploads.ts'
import { moved } from './0005-moved.ts'
import { severalDaemons } from './0006-several-daemons.ts'
import { intents } from './0007-intents.ts'
import { search } from './0008-search.ts'
import { smallBlobs } from './0009-small-blobs.ts'
import { orderOfLists } from './0010-order-of-lists.ts'
import { hiddenDeposits } from './0011-hidden-deposits.ts'
import { wordPieces } from './0012-word-pieces.ts'
import { keptCounts } from './0013-kept-counts.ts'
import { countsByTriggers } from './0014-counts-by-triggers.ts'
import { nextVersions } from './0015-next-versions.ts'
import { parallelUploads } from './0016-parallel-uploads.ts'
import { quotas } from './0017-quotas.ts'
import { signInClients } from './0018-sign-in-clients.ts'
import { deferredLengths } from './0019-deferred-lengths.ts'
import { furtherEndpoints } from './0020-further-endpoints.ts'
import { metadataUsage } from './0021-metadata-usage.ts'
import { parentsOfTokens } from './0022-parents-of-tokens.ts'
import { checksumsOfArchives } from './0023-checksums-of-archives.ts'
import { concepts } from './0024-concepts.ts'
import { numbers } from './0025-numbers.ts'
import { identifiers } from './0026-identifiers.ts'
import { withdrawals } from './0027-withdrawals.ts'
import { people } from './0028-people.ts'
import { accounts } from './0029-accounts.ts'
import { history } from './0030-history.ts'
import { vocabularies } from './0033-vocabularies.ts'
import { reviews } from './0031-reviews.ts'
import { announcedFiles } from './0034-announced-files.ts'
import { timesOfRevisions } from './0035-times-of-revisions.ts'
import { makers } from './0036-makers.ts'
import { inviters } from './0037-inviters.ts'
import { commentsCounted } from './0038-comments-counted.ts'
import { entriesOfAccounts } from './0039-entries-of-accounts.ts'
import { unconfirmedInTrash } from './0040-unconfirmed-in-trash.ts'
import { untriedIdentifiers } from './0041-untried-identifiers.ts'
import { pendingWords } from './0042-pending-words.ts'
import { usageOfAnswers } from './0043-usage-of-answers.ts'
import { rowsCounted } from './0044-rows-counted.ts'

/** @param db for what a schema builder has no words for */
type Migration = (schema: SchemaModule, engine: Engine, db: Kysely<Tables>) => Promise<void>

/**
 * Every change of the schema there ever was, oldest first. The version of a database is how many
 * of them it has been through; a migration that was released is never edited. A new database on SQLite
 * is made by `fresh-sqlite.ts`, which is what all of them leave: written anew by
 * `vitest run --config test/vitest.config.ts test/ports/fresh-schema.test.ts --update`.
 */
export const migrations: readonly Migration[] = [
  foundation,
  upkeep,
  signIn,
  uploads,
  moved,
  severalDaemons,
  intents,
  search,
  smallBlobs,
  orderOfLists,
  hiddenDeposits,
  wordPieces,
  keptCounts,
  countsByTriggers,
  nextVersions,
  parallelUploads,
  quotas,
  signInClients,
  deferredLengths,
  furtherEndpoints,
  metadataUsage,
  parentsOfTokens,
  checksumsOfArchives,
  concepts,
  numbers,
  identifiers,
  withdrawals,
  people,
  accounts,
  history,
  vocabularies,
  reviews,
  announcedFiles,
  makers,
  inviters,
  timesOfRevisions,
  commentsCounted,
  entriesOfAccounts,
  unconfirmedInTrash,
  untriedIdentifiers,
  pendingWords,
  usageOfAnswers,
  rowsCounted,
]
