import { answerQuestions } from '../base/asked-thread.ts'
import { describe, type Source } from '../describe/describe.ts'
import { writtenFormats } from './registry.ts'

export interface ExportQuestion {
  /** JSON of a `Source`. */
  readonly source: string
  /** Name of a format of the package. */
  readonly name: string
  readonly style: string | undefined
}

answerQuestions(({ source, name, style }: ExportQuestion): string => {
  const format = writtenFormats.find((each) => each.name === name)
  if (!format) throw new Error(`There is no format "${name}"`)
  return format.write(describe(JSON.parse(source) as Source), style)
})
