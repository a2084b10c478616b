import type { Environment } from '../../config/environment.ts'
import type {
  Clock,
  Database,
  Deposit,
  JsonObject,
  Parts,
  PublishedRecord,
  Teller,
} from '../../../core/index.ts'
import type { Links } from '../../config/links.ts'
import type { Home } from '../../home/home.ts'
import type { ExternalIssuerSettings } from '../../config/issuer-settings.ts'

/** Options of a command by name, as they were given. */
export type Options = Readonly<Record<string, string | undefined>>

/** One of the operator's commands: its place on the command line, and how it is carried out. */
export type OperatorCommand = Described &
  (
    | {
        readonly kind: 'short'
        readonly run: Command
        /** Of one that may take long: its work, told with the time that it takes. */
        readonly doing?: (options: Options) => string
      }
    | { readonly kind: 'long'; readonly run: Work }
    /** Needs the home for itself: refused while a daemon runs. */
    | { readonly kind: 'alone'; readonly run: OfflineWork }
    /** Looks at the configuration alone; there need not be a home. */
    | { readonly kind: 'settings'; readonly run: SettingsWork }
  )

interface Described {
  /** One or two words: `check`, `user add`. */
  readonly name: string
  readonly summary: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Turns the flags of the command line into the options that {@link run} takes. */
  readonly toOptions?: (flags: Flags) => Options
  /** Works on the stores that the configuration names, also where the home has others by now. */
  readonly takesAnyStores?: true
  /** Whether a home that is missing is made. */
  readonly makesHome?: true
  /** Demands what the home must have, before one that is missing is made. */
  readonly requires?: (home: Home, options: Options) => Promise<void>
  /** Works on a home in which nothing may be written. */
  readonly onlyReads?: true
  /** Whether the schema of the database may change. */
  readonly migrates?: true
  /** Runs where the command was typed, before the rest: reads files that options name. */
  readonly before?: (options: Options) => Promise<Options>
  /** Runs where the command was typed, with the outcome. */
  readonly after?: (outcome: Outcome, options: Options) => Promise<Outcome>
}

interface Argument {
  readonly name: string
  readonly summary?: string
  /** A path: made absolute, because the daemon has another working folder. */
  readonly isPath?: true
  readonly isOptional?: true
}

interface Option {
  readonly flags: string
  readonly summary: string
  readonly isRequired?: true
  readonly conflicts?: readonly string[]
}

/** Options as the command line parser gives them. */
export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The parts that short commands work on, in the daemon or without it. */
export interface OperatorContext {
  readonly database: Database
  readonly clock: Clock
  /** The origin of the service as its users see it: for links that they get. */
  readonly origin: () => string
  /** Of the institution, where people sign in there and not here. */
  readonly issuer: ExternalIssuerSettings | undefined
  readonly index: KeepIndexed
  /** Of the daemon alone: writes the entries of the audit trail that it has gathered. */
  readonly flushAudit?: () => Promise<void>
}

/** Brings the search index level with a deposit that came into sight or went out of it. */
export interface KeepIndexed {
  readonly add: (deposit: Deposit) => Promise<void>
  readonly remove: (deposit: Deposit) => Promise<void>
  /** The same with a record. */
  readonly update: (record: PublishedRecord) => Promise<void>
}

/** Without the daemon there is no index: it is made from the rows when the daemon needs one. */
export const noIndex: KeepIndexed = {
  add: async () => {},
  remove: async () => {},
  update: async () => {},
}

/** The output of a short command. */
export interface Outcome {
  /** For people, on standard error. */
  readonly notes: readonly string[]
  /** Lines of standard output. */
  readonly results: readonly string[]
  /** The same for `--json`. */
  readonly data: Data
}

export type Data = JsonObject | readonly JsonObject[]

/** A list: a line for each row, with its values between tabs. */
export function listed<Row extends JsonObject>(
  rows: readonly Row[],
  toLine: (row: Row) => readonly string[],
): Outcome {
  return { notes: [], results: rows.map((row) => toLine(row).join('\t')), data: rows }
}

export type Command = (context: OperatorContext, options: Options) => Promise<Outcome>

/** The parts that long work needs, in the daemon or without it. */
export interface WorkContext {
  readonly parts: WorkParts
  readonly home: Home
  /** Whether the home may not be written, so that no file can be set aside there. */
  readonly isReadOnly: boolean
  /** The addresses of the service as its users see them. */
  readonly addresses: Addresses
  /** Of the institution, where people sign in there and not here. */
  readonly issuer: ExternalIssuerSettings | undefined
}

export interface Addresses {
  readonly origin: () => string
  /** True if nobody said so, and no daemon runs. */
  readonly isGuessed: boolean
  /** The addresses of records at an origin, which may be an earlier one. */
  readonly recordLinks: (origin: string) => Links
}

/** The search index is there in the daemon alone: it lives in its memory. */
export type WorkParts = Pick<Parts, 'database' | 'blobs' | 'clock'> &
  Partial<Pick<Parts, 'search'>> & {
    /** Of the daemon alone, which knows the addresses that identifiers lead to. */
    readonly identifiers?: Teller & Pick<Parts, 'providers'>
    /** Of the daemon alone: brings its search index level. */
    readonly index?: KeepIndexed
  }

/** One line that long work says on its way. */
export interface Told {
  /** `result` is for standard output, the rest for people; `progress` replaces what came before. */
  readonly kind: 'note' | 'result' | 'progress'
  readonly text: string
}

/** The output of long work, and the signal that stops it. */
export interface Voice {
  readonly tell: (kind: Told['kind'], text: string) => void
  readonly signal: AbortSignal
}

/** The ending of work, and its results for `--json`. */
export interface Done {
  /** `failed` where it found something wrong. */
  readonly ending: 'done' | 'failed'
  readonly data: JsonObject
}

/** The ending of offline work. */
export interface OfflineDone extends Done {
  /** The home whose audit trail has it, where it is another one. */
  readonly notedIn?: Home
}

/**
 * Work of an operator that may take hours. It reports as it goes.
 *
 * @throws {OperatorFailure} it cannot be carried out
 */
export type Work = (context: WorkContext, options: Options, voice: Voice) => Promise<Done>

/** @throws {StartFailure} the configuration is wrong */
export type SettingsWork = (env: Environment, voice: Voice) => Promise<Done>

/** Work on a home that no daemon may use at the same time. */
export type OfflineWork = (home: Home, options: Options, voice: Voice) => Promise<OfflineDone>
