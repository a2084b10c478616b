import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../version.ts'
import { wrap } from '../output/print.ts'

/** Pages of the manual that are no command: `deposit help exit` shows deposit-exit(7). */
export const topics = {
  client: 3,
  config: 5,
  exit: 7,
  formats: 7,
  metadata: 5,
  'sign-in': 7,
} as const satisfies Readonly<Record<string, number>>

export function isTopic(name: string): name is keyof typeof topics {
  return Object.hasOwn(topics, name)
}

/** A page of the manual as plain text, which needs no `man`. */
export async function readTopic(
  name: keyof typeof topics,
  columns: number,
): Promise<readonly string[]> {
  const section = topics[name]
  const page = join(packageRoot, 'man', `man${section}`, `deposit-${name}.${section}`)
  return toText(await readFile(page, 'utf8'), Math.min(columns, 100))
}

/**
 * The text of a page in the macros that `man/roff.ts` writes: `.SH`, `.SS`, `.PP`, `.TP`, `.IP`,
 * `.RS`, `.nf` and their ends.
 */
function toText(roff: string, columns: number): readonly string[] {
  const lines: string[] = []
  const state = { margin: 4, isCode: false, isTerm: false }
  let words: string[] = []
  const flush = (): void => {
    if (words.length > 0) lines.push(...indent(words.join(' '), state.margin, columns))
    words = []
  }
  for (const line of roff.split('\n')) {
    const [macro = '', ...rest] = line.startsWith('.') ? line.split(' ') : []
    const title = plainRoff(rest.join(' '))
    if (macro === '') {
      const text = plainRoff(line)
      if (state.isCode) lines.push(text === '' ? '' : `        ${text}`)
      else if (state.isTerm) lines.push(`    ${text}`)
      else if (text !== '') words.push(text)
      state.isTerm = false
      continue
    }
    flush()
    if (macro === '.SH' || macro === '.SS') lines.push('', macro === '.SH' ? title : `  ${title}`)
    if (macro === '.PP' && !state.isCode) lines.push('')
    if (macro === '.TP') lines.push('')
    if (macro === '.nf' || macro === '.fi') state.isCode = macro === '.nf'
    state.isTerm = macro === '.TP'
    if (macro === '.IP') words.push('•')
    state.margin = macro === '.TP' || macro === '.IP' ? 8 : 4
  }
  flush()
  return lines.slice(1)
}

function plainRoff(text: string): string {
  return text
    .replaceAll(/\\f[BIPR]/g, '')
    .replaceAll(/\\[&|]/g, '')
    .replaceAll(/\\\[u([0-9A-F]{4,6})\]/g, (_, code: string) =>
      String.fromCodePoint(parseInt(code, 16)),
    )
    .replaceAll(/\\([-.'\\])/g, '$1')
    .replaceAll(String.raw`\e`, '\\')
}

function indent(text: string, margin: number, columns: number): readonly string[] {
  const blank = ' '.repeat(margin)
  return wrap(text, columns - margin).map((line) => `${blank}${line.trimStart()}`)
}
