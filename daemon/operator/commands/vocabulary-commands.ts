import { basename } from 'node:path'
import { count } from '../../../core/base/amounts.ts'
import { giveWay } from '../../../core/base/turns.ts'
import {
  isVocabulary,
  vocabularyNames,
  type Term,
  type VocabularyName,
} from '../../../core/contract/vocabularies.ts'
import { countTerms } from '../../../core/index.ts'
import {
  listed,
  type Command,
  type OperatorCommand,
  type Work,
  type WorkParts,
} from '../command/operator-command.ts'
import { advice } from '../../advice.ts'
import { OperatorFailure } from '../command/operator-failure.ts'
import { everySecond } from '../command/terminal-voice.ts'
import { readTerms } from '../vocabulary/read-terms.ts'

/** Terms that are stored by one unit of work: a few milliseconds of others' time. */
const batchSize = 100

/** A vocabulary that is being loaded. */
interface Load {
  readonly number: number
  terms: number
  batch: Term[]
}

/**
 * `vocabulary load`: the terms of a file take the place of those loaded before, all at once when the
 * whole file was read. A file with a fault changes nothing.
 */
const load: Work = async ({ parts }, options, { tell, signal }) => {
  const { file = '', vocabulary } = options
  const loads = new Map<VocabularyName, Load>()
  const progress = everySecond((terms: number) => tell('progress', `Read ${count(terms, 'term')}`))
  for await (const { vocabulary: name, term } of readTerms(file, vocabulary)) {
    signal.throwIfAborted()
    const made = loads.get(name) ?? (await begin(parts, name))
    loads.set(name, made)
    made.batch.push(term)
    made.terms += 1
    progress([...loads.values()].reduce((sum, { terms }) => sum + terms, 0))
    if (made.batch.length === batchSize) await store(parts, name, made)
  }
  const loaded = parts.clock.now()
  for (const [name, made] of loads) {
    await store(parts, name, made)
    const terms = await parts.database.write(async (unit) => {
      const { number } = made
      const stored = { vocabulary: name, terms: made.terms, source: basename(file), loaded }
      await unit.terms.finish(number, stored)
      return stored.terms
    })
    await sweep(parts, name, made.number)
    tell('result', `${name}\t${terms}`)
    tell('note', `Loaded ${count(terms, 'term')} into ${name}.`)
  }
  const data = [...loads].map(([name, { terms }]) => ({ vocabulary: name, terms }))
  return { ending: 'done', data: { loaded: data } }
}

async function begin({ database }: WorkParts, name: VocabularyName): Promise<Load> {
  const number = await database.write((unit) => unit.terms.begin(name))
  return { number, terms: 0, batch: [] }
}

async function store({ database }: WorkParts, name: VocabularyName, made: Load): Promise<void> {
  const { batch, number } = made
  if (batch.length === 0) return
  made.batch = []
  await database.write((unit) => unit.terms.add(name, number, batch))
  await giveWay()
}

/** Removes the terms of other loads: those before, and those that were interrupted. */
async function sweep({ database }: WorkParts, name: VocabularyName, inUse?: number): Promise<void> {
  while (await database.write((unit) => unit.terms.sweep(name, inUse))) await giveWay()
}

/** `vocabulary list`: name, number of terms, and the file that was loaded. */
const list: Command = async ({ database }) => {
  const counts = await countTerms(database.read)
  const loads = await database.read.terms.loads()
  const rows = vocabularyNames.map((name) => {
    const found = loads.find(({ vocabulary }) => vocabulary === name)
    return {
      vocabulary: name,
      terms: counts.get(name) ?? 0,
      source: found?.source ?? null,
      loaded: found?.loaded ?? null,
    }
  })
  return listed(rows, ({ vocabulary, terms, source, loaded }) => [
    vocabulary,
    String(terms),
    source ?? '',
    loaded ?? '',
  ])
}

/** `vocabulary clear`: those of the package stay. */
const clear: Work = async ({ parts }, { vocabulary = '' }, { tell }) => {
  if (!isVocabulary(vocabulary))
    throw new OperatorFailure(`There is no vocabulary "${vocabulary}".`, advice.seeVocabularies())
  const terms = await parts.database.read.terms.count(vocabulary)
  await parts.database.write((unit) => unit.terms.clear(vocabulary))
  await sweep(parts, vocabulary)
  tell('note', `Removed ${count(terms, 'loaded term')} of ${vocabulary}.`)
  return { ending: 'done', data: { vocabulary, terms } }
}

export const vocabularyCommands: readonly OperatorCommand[] = [
  {
    name: 'vocabulary load',
    summary: 'load terms that fields of the form offer: a data dump of ROR, or a list of your own',
    arguments: [
      {
        name: 'file',
        summary: 'JSON of ROR; or objects with id and title as .json, .jsonl, .csv',
        isPath: true,
      },
      {
        name: 'vocabulary',
        summary: 'which one the terms are for; ROR fills organizations and funders',
        isOptional: true,
      },
    ],
    kind: 'long',
    run: load,
  },
  {
    name: 'vocabulary list',
    summary: 'list the vocabularies, with the number of their terms and the file that was loaded',
    onlyReads: true,
    kind: 'short',
    run: list,
  },
  {
    name: 'vocabulary clear',
    summary: 'remove the loaded terms of a vocabulary; those of the package stay',
    arguments: [{ name: 'vocabulary', summary: 'its name' }],
    kind: 'long',
    run: clear,
  },
]
