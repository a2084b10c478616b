import type { Kysely } from 'kysely'
import type { Term, VocabularyName } from '../../contract/vocabularies.ts'
import { mostMatching, type TermReader, type TermWriter } from '../../ports/terms.ts'
import { wordsOfTerm } from '../../vocabularies/match-terms.ts'
import type { Tables } from './schema/tables.ts'
import type { TermWordRow } from './schema/vocabulary-tables.ts'

/** Rows that are inserted or removed by one statement. */
const batchSize = 1000

/** Behind every word that begins with another one, in the order of bytes. */
const last = '\u{10ffff}'

export function termReader(db: Kysely<Tables>): TermReader {
  const loadOf = (vocabulary: VocabularyName) =>
    db
      .selectFrom('vocabulary_loads')
      .selectAll()
      .where('vocabulary', '=', vocabulary)
      .executeTakeFirst()
  const read = async (vocabulary: VocabularyName, load: number, ids: readonly string[]) => {
    if (ids.length === 0) return []
    const terms = db.selectFrom('terms').select('body').where('vocabulary', '=', vocabulary)
    const rows = await terms.where('load', '=', load).where('id', 'in', ids).execute()
    return rows.map(({ body }) => JSON.parse(body) as Term)
  }
  return {
    find: async (vocabulary, id) => {
      const load = (await loadOf(vocabulary))?.load
      return load === undefined ? undefined : (await read(vocabulary, load, [id]))[0]
    },
    matching: async (vocabulary, words) => {
      const load = (await loadOf(vocabulary))?.load
      if (load === undefined) return []
      const withWord = (word: string) =>
        db
          .selectFrom('term_words')
          .select('id')
          .where('vocabulary', '=', vocabulary)
          .where('load', '=', load)
          .where('word', '>=', word)
          .where('word', '<', word + last)
      if (words.length === 0) {
        const terms = db.selectFrom('terms').select('body').where('vocabulary', '=', vocabulary)
        const first = terms.where('load', '=', load).orderBy('title').limit(mostMatching)
        return (await first.execute()).map(({ body }) => JSON.parse(body) as Term)
      }
      const found: (readonly string[])[] = []
      for (const word of words) {
        const rows = await withWord(word)
          .orderBy('word')
          .orderBy('id')
          .limit(mostMatching)
          .execute()
        found.push(rows.map(({ id }) => id))
      }
      // The rarest word bounds the rest: of words that many terms have, not all terms were read.
      const [rarest = []] = found.toSorted((a, b) => a.length - b.length)
      return read(vocabulary, load, [...new Set(rarest)])
    },
    count: async (vocabulary) => Number((await loadOf(vocabulary))?.terms ?? 0),
    loads: async () => {
      const rows = await db.selectFrom('vocabulary_loads').selectAll().execute()
      return rows.map(({ vocabulary, terms, source, loaded }) => ({
        vocabulary: vocabulary as VocabularyName,
        terms: Number(terms),
        source,
        loaded,
      }))
    },
  }
}

export function termWriter(db: Kysely<Tables>): TermWriter {
  return {
    ...termReader(db),
    begin: async (vocabulary) => {
      const all = db.selectFrom('terms').where('vocabulary', '=', vocabulary)
      const row = await all.select((of) => of.fn.max('load').as('load')).executeTakeFirst()
      return Number(row?.load ?? 0) + 1
    },
    add: async (vocabulary, load, terms) => {
      const byId = new Map(terms.map((term) => [term.id, term]))
      const ids = [...byId.keys()]
      for (const table of ['terms', 'term_words'] as const) {
        const rows = db.deleteFrom(table).where('vocabulary', '=', vocabulary)
        await rows.where('load', '=', load).where('id', 'in', ids).execute()
      }
      const rows = [...byId.values()].map((term) => ({
        vocabulary,
        load,
        id: term.id,
        title: term.title,
        body: JSON.stringify(term),
      }))
      await db.insertInto('terms').values(rows).execute()
      const words: readonly TermWordRow[] = [...byId.values()].flatMap((term) =>
        wordsOfTerm(term).map((word) => ({ vocabulary, load, word, id: term.id })),
      )
      for (let start = 0; start < words.length; start += batchSize) {
        await db
          .insertInto('term_words')
          .values(words.slice(start, start + batchSize))
          .execute()
      }
    },
    finish: async (load, made) => {
      const row = { ...made, load }
      await db
        .insertInto('vocabulary_loads')
        .values(row)
        .onConflict((conflict) => conflict.column('vocabulary').doUpdateSet(row))
        .execute()
    },
    sweep: async (vocabulary, inUse = 0) => {
      const some = await db
        .selectFrom('terms')
        .select(['load', 'id'])
        .where('vocabulary', '=', vocabulary)
        .where('load', '<>', inUse)
        .limit(batchSize)
        .execute()
      for (const load of new Set(some.map((row) => row.load))) {
        const ids = some.filter((row) => row.load === load).map(({ id }) => id)
        for (const table of ['term_words', 'terms'] as const) {
          const rows = db.deleteFrom(table).where('vocabulary', '=', vocabulary)
          await rows.where('load', '=', load).where('id', 'in', ids).execute()
        }
      }
      return some.length === batchSize
    },
    clear: async (vocabulary) => {
      await db.deleteFrom('vocabulary_loads').where('vocabulary', '=', vocabulary).execute()
    },
  }
}
