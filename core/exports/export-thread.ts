import { AskedThread } from '../base/asked-thread.ts'
import { describe, type Source } from '../describe/describe.ts'
import type { ExportQuestion } from './export-worker.ts'
import type { ExportFormat } from './format.ts'
import { writtenFormats } from './registry.ts'

/** Characters of the JSON of a record from which on some format takes more than 20 ms to write. */
const largeLength = 65_536

/**
 * Writes records in other formats: large ones on a thread, beside the event loop. Formats of the
 * configuration are code of this process, and are always written here.
 */
export class ExportThread implements AsyncDisposable {
  readonly #thread = new AskedThread<ExportQuestion, string>(
    import.meta.url,
    'export-worker',
    'exports',
  )
  /** Questions under way, by all that their answers depend on. */
  readonly #asked = new Map<string, Promise<string>>()

  async write(source: Source, format: ExportFormat, style?: string): Promise<string> {
    const text = writtenFormats.includes(format) ? JSON.stringify(source) : ''
    return text.length < largeLength
      ? format.write(describe(source), style)
      : this.#writeLarge({ source: text, name: format.name, style })
  }

  /** Those who ask for the same share one answer, which takes a second of the thread. */
  #writeLarge(question: ExportQuestion): Promise<string> {
    const key = [question.name, question.style ?? '', question.source].join('\n')
    const known = this.#asked.get(key)
    if (known) return known
    const asked = this.#thread.ask(question).finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return asked
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]()
  }
}
