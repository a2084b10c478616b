import type { Kysely } from 'kysely'
import type { Deposit } from '../../deposit/deposit.ts'
import type { DepositId } from '../../pid/deposit-pid.ts'
import type { Readers, UnitOfWork } from '../../ports/database.ts'
import type { PublishedRecord } from '../../record/record.ts'
import { auditReader, auditWriter } from './audit-rows.ts'
import { answerReader, answerWriter } from './answer-rows.ts'
import {
  accountReader,
  accountWriter,
  passphraseReader,
  passphraseWriter,
  tokenReader,
  tokenWriter,
} from './account-rows.ts'
import { announcedFileReader, announcedFileWriter } from './announced-file-rows.ts'
import { commentReader, commentWriter } from './comment-rows.ts'
import { clientReader, clientWriter } from './client-rows.ts'
import { historyReader, historyWriter } from './history-rows.ts'
import { identifierReader, identifierWriter } from './identifier-rows.ts'
import { intentReader, intentWriter } from './intent-rows.ts'
import {
  issuerReader,
  issuerWriter,
  sharedSecretReader,
  sharedSecretWriter,
} from './issuer-rows.ts'
import { blobReader, usageReader, usageWriter, uploadReader, uploadWriter } from './blob-rows.ts'
import { depositReader, depositWriter } from './deposit-rows.ts'
import type { KnownRows } from './known-rows.ts'
import { fileReader, fileWriter } from './file-rows.ts'
import { pidReader, pidWriter } from './pid-rows.ts'
import { recordReader, recordWriter } from './record-rows.ts'
import type { Tables } from './schema/tables.ts'
import { invitationReader, invitationWriter, linkReader, linkWriter } from './sharing-rows.ts'
import { trashReader, trashWriter } from './trash-rows.ts'
import { termReader, termWriter } from './term-rows.ts'
import { upkeepWriter } from './upkeep-rows.ts'

/** The caches for rows that were read. */
interface Known {
  readonly deposits: KnownRows<DepositId, Deposit>
  readonly records: KnownRows<string, PublishedRecord>
}

/** Everything that can be asked through one connection. */
export function createReaders(db: Kysely<Tables>, known?: Known): Readers {
  return {
    deposits: depositReader(db, known?.deposits),
    files: fileReader(db),
    blobs: blobReader(db),
    records: recordReader(db, known?.records),
    pids: pidReader(db),
    accounts: accountReader(db),
    tokens: tokenReader(db),
    passphrases: passphraseReader(db),
    clients: clientReader(db),
    issuer: issuerReader(db),
    uploads: uploadReader(db),
    usage: usageReader(db),
    answers: answerReader(db),
    sharedSecrets: sharedSecretReader(db),
    intents: intentReader(db),
    identifiers: identifierReader(db),
    links: linkReader(db),
    invitations: invitationReader(db),
    audit: auditReader(db),
    history: historyReader(db),
    trash: trashReader(db),
    terms: termReader(db),
    comments: commentReader(db),
    announcedFiles: announcedFileReader(db),
  }
}

/** The rows that a unit of work can change. */
export type Writers = Omit<UnitOfWork, 'afterCommit' | 'requireWhole'>

/** Everything that can be changed through a connection that is inside a transaction. */
export function createWriters(db: Kysely<Tables>): Writers {
  return {
    deposits: depositWriter(db),
    files: fileWriter(db),
    records: recordWriter(db),
    pids: pidWriter(db),
    accounts: accountWriter(db),
    tokens: tokenWriter(db),
    upkeep: upkeepWriter(db),
    passphrases: passphraseWriter(db),
    clients: clientWriter(db),
    issuer: issuerWriter(db),
    uploads: uploadWriter(db),
    usage: usageWriter(db),
    answers: answerWriter(db),
    sharedSecrets: sharedSecretWriter(db),
    intents: intentWriter(db),
    identifiers: identifierWriter(db),
    links: linkWriter(db),
    invitations: invitationWriter(db),
    audit: auditWriter(db),
    history: historyWriter(db),
    trash: trashWriter(db),
    terms: termWriter(db),
    comments: commentWriter(db),
    announcedFiles: announcedFileWriter(db),
  }
}
