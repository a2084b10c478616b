import type { Readable } from 'node:stream'
import type { BodyWriter } from '../../client/http.ts'
import type { Description } from '../../../core/describe/description.ts'
import type { Finding } from '../../output/finding.ts'

/** Whose a token is. */
export interface Account {
  /** Its name or number there; undefined where the repository does not say. */
  readonly name: string | undefined
  /** For a person: `the token is good, of user 12`. */
  readonly said: string
}

/**
 * A repository of others, as `push` and `pull` see it. Each kind has one implementation, and all of
 * them keep one behaviour (`test/cli/remote/behaviour.ts`).
 *
 * Every method may be called again after a failure: one whose answer was lost finds what it made.
 * They throw `RemoteFailure` with the words of the repository.
 */
export interface Repository {
  readonly limits: Limits
  /** Asks whose token it is; also that it may be used for deposits. */
  readonly whoAmI: () => Promise<Account>
  /** The metadata in the terms of the repository. Asks nobody. */
  readonly translate: (work: Work) => Translation
  /**
   * Looks for a draft or record of this user that was made with the marker, in case the answer to
   * `create` was lost.
   */
  readonly find: (marker: string) => Promise<Copy | undefined>
  /** Undefined where there is none any more, or this user may not see it. */
  readonly read: (id: string) => Promise<Copy | undefined>
  /** Makes a draft. The caller has looked for the marker before. */
  readonly create: (translation: Translation) => Promise<Copy>
  /**
   * The draft of the next version of a record, if somebody has begun one. Left out where that is a draft
   * of the same deposit.
   */
  readonly findVersion?: (record: Copy) => Promise<Copy | undefined>
  /** The draft of the next version of a record: the open one where there is one already. */
  readonly openVersion: (id: string) => Promise<Copy>
  /**
   * The published version of the work of a record that is the newest there, whoever published it: in
   * the words of `Copy.version`. Undefined where the repository does not say.
   */
  readonly newestVersion: (copy: Copy) => Promise<string | undefined>
  /**
   * What is told of a record that was withdrawn there; undefined of others. Left out where a repository
   * has no tombstones.
   *
   * @param name an identifier, or an address
   */
  readonly findWithdrawal?: (name: string) => Promise<Withdrawal | undefined>
  /** The open correction of a record; undefined where it is not being corrected. */
  readonly findCorrection: (id: string) => Promise<Copy | undefined>
  /**
   * Opens a record for a correction of its metadata, which keeps its identifier and DOI: the open one
   * where there is one already.
   */
  readonly openCorrection: (id: string) => Promise<Copy>
  /** Sets the metadata of a draft or a correction, whole. */
  readonly describe: (copy: Copy, translation: Translation) => Promise<Copy>
  /** Where a repository wants to hear of files before their bytes: all names that are not there. */
  readonly announce?: (copy: Copy, names: readonly string[]) => Promise<void>
  /**
   * Sends a file to a draft, in place of one of its name. A part that arrived before, and that the
   * repository kept, is not sent again.
   *
   * @returns the file as the repository has it: the caller compares its digest
   */
  readonly upload: (copy: Copy, file: Outgoing) => Promise<RemoteFile>
  /** Called when all files are uploaded, before they are compared. */
  readonly finish?: (copy: Copy) => Promise<void>
  /** Where a repository limits the access to each file: sets it for files of a draft. */
  readonly restrict?: (
    copy: Copy,
    files: readonly RemoteFile[],
    isRestricted: boolean,
  ) => Promise<void>
  /** Deletes files of a draft. */
  readonly remove: (copy: Copy, files: readonly RemoteFile[]) => Promise<void>
  /**
   * Publishes a draft or a correction, and waits until the repository is done. The caller has read its
   * state.
   */
  readonly publish: (copy: Copy) => Promise<Copy>
  /** For `pull`: a record or draft by its identifier there, its DOI, or its address. */
  readonly resolve: (name: string) => Promise<Copy | undefined>
  /** For `pull`: the metadata in our terms, with the limits of access. */
  readonly toDocument: (copy: Copy) => Promise<Readonly<Record<string, unknown>>>
  /** For `pull`: the bytes of a file, from `from` on where the repository can. */
  readonly download: (copy: Copy, file: RemoteFile, from: number) => Promise<Download>
}

/** That a record was withdrawn at its repository. */
export interface Withdrawal {
  /** `YYYY-MM-DD` */
  readonly day?: string
  /** In the words of the repository. */
  readonly reason?: string
}

export interface Download {
  readonly bytes: Readable
  /** The first byte that comes: 0 where the repository sends files whole alone. */
  readonly from: number
}

/** What a repository takes. */
export interface Limits {
  /** False where names cannot have slashes. */
  readonly hasFolders: boolean
  readonly takesEmptyFiles: boolean
  /** Files of a deposit. */
  readonly mostFiles: number
  /** Bytes of a file. */
  readonly largestFile: number
  /** Bytes of all files of a deposit. */
  readonly mostBytes: number
  /** Characters of a name. */
  readonly longestName: number
  /** Uploads that may run at once. */
  readonly parallel: number
  /** True where a new version with the bytes of the version before is not published. */
  readonly wantsOtherFiles?: true
  /** True where a correction cannot close the files of a record that are public. */
  readonly keepsOpen?: true
  /** Why a name cannot be there, in a sentence; undefined if it can. */
  readonly faultOfName?: (name: string) => string | undefined
}

/** What is pushed. */
export interface Work {
  readonly about: Description
  /** Fields of Zenodo's alone, as somebody wrote them for that. */
  readonly ofZenodo?: Readonly<Record<string, unknown>> | undefined
  /** Stands in the remote metadata: `urn:uuid:…`. */
  readonly marker: string
  /** Addresses of the same work elsewhere, such as the record of our own service. */
  readonly identicalTo: readonly string[]
  readonly hasFiles: boolean
}

/** Metadata as a repository wants them. */
export interface Translation {
  readonly marker: string
  readonly title: string
  /** In the terms of the repository. */
  readonly metadata: Readonly<Record<string, unknown>>
  /** Why they cannot go there at all, such as an embargo that it does not know. */
  readonly refused: readonly Finding[]
  /** Why it would not be published there; a draft can be completed there. */
  readonly missing: readonly Finding[]
  /** What they lose there. */
  readonly lost: readonly Finding[]
}

/** A draft or record at a repository. */
export interface Copy {
  readonly id: string
  /** A draft as well: a record that is open for a correction. */
  readonly status: 'draft' | 'published'
  /** It is the draft of a correction: publishing it changes the record. */
  readonly isCorrection?: true
  /** Which published version of the work it is; its `id` where each version has one of its own. */
  readonly version?: string
  readonly title?: string | undefined
  /** The marker in its metadata. */
  readonly marker?: string
  /** Such as `10.5281/zenodo.12`. Reserved, of a draft. */
  readonly doi?: string
  /** That of all its versions. */
  readonly conceptDoi?: string
  /** Its page. */
  readonly url: string
  readonly files: readonly RemoteFile[]
  /** As the repository has it. */
  readonly metadata: Readonly<Record<string, unknown>>
  /**
   * What people have entered, without what the repository adds: in a form that stays the same until
   * somebody changes it. Undefined where each change that is published makes a version.
   */
  readonly entered?: Readonly<Record<string, unknown>>
  /** For the repository's own use. */
  readonly links?: Readonly<Record<string, string>>
}

export interface RemoteFile {
  /** What deletes it. */
  readonly id: string
  /** With slashes where the repository has folders. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** In hexadecimal. Undefined until the repository has computed it, or where it never does. */
  readonly md5?: string | undefined
  /** False of an upload that has not come to its end, or whose bytes failed a check there. */
  readonly isWhole: boolean
  /** Undefined where a repository limits the access to records whole. */
  readonly isRestricted?: boolean
  readonly url?: string
}

/** A file on its way out. */
export interface Outgoing {
  /** As it is named there. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** In hexadecimal, where it is known before the file is read. */
  readonly md5?: string | undefined
  /** Its media type. */
  readonly type: string
  /** Whether it may not be public. */
  readonly isRestricted: boolean
  /**
   * Of a repository that cannot say what has arrived: what it noted of the upload of these bytes to
   * this draft, on the disk when resolved. An upload that was interrupted finds it again.
   */
  readonly upload: {
    readonly noted: () => string | undefined
    readonly note: (text: string | undefined) => Promise<void>
  }
  /** All bytes of a small one, in one reading. */
  readonly bytes?: (() => Promise<Buffer>) | undefined
  /** Sends all bytes of a large one, faster than what is opened. */
  readonly write?: BodyWriter | undefined
  /** Its bytes, from `from` up to `to`, which is not sent; it may be opened several times. */
  readonly open: (from?: number, to?: number) => Promise<Readable>
  /** Reads the whole file for its MD5, if it is not known. */
  readonly digest: () => Promise<string>
  /** Called with the number of bytes that were sent. */
  readonly onSent: (bytes: number) => void
}
