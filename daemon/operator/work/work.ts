import type { Parts } from '../../../core/index.ts'
import type { Home } from '../../home.ts'
import type { Options } from '../operator-command.ts'

/** What long work needs, in the daemon or without it. */
export interface WorkContext {
  readonly parts: WorkParts
  readonly home: Home
}

/** The search index is there in the daemon alone: it lives in its memory. */
export type WorkParts = Pick<Parts, 'database' | 'blobs' | 'clock'> & Partial<Pick<Parts, 'search'>>

/** One line that long work says on its way. */
export interface Told {
  /** `result` is for standard output, the rest for people; `progress` replaces what came before. */
  readonly kind: 'note' | 'result' | 'progress'
  readonly text: string
}

/** How long work speaks, and when it is to stop. */
export interface Voice {
  readonly tell: (kind: Told['kind'], text: string) => void
  readonly signal: AbortSignal
}

/** How it ended: `failed` where it found what must not be. */
export type Ending = 'done' | 'failed'

/**
 * Work of an operator that may take hours. It is told as it goes.
 *
 * @throws {OperatorFailure} it cannot be carried out
 */
export type Work = (context: WorkContext, options: Options, voice: Voice) => Promise<Ending>
