import type { FieldPath, Query } from './ast.ts'
import { readField, readFieldName, withShortName } from './query-fields.ts'
import { readComparison, readRange } from './query-ranges.ts'
import { QueryReader } from './query-reader.ts'
import { readPhrase, readTerm } from './query-terms.ts'

/** Groups and negations inside each other. */
export const maxQueryDepth = 32

/** Terms, phrases, ranges and the like in one query. */
export const maxQueryClauses = 64

/** Words with `*` or `~` in one query, and ranges: each may look at everything. */
const maxInexactWords = 8
const maxRanges = 16

/**
 * Reads the query language: `NOT` binds tighter than `AND`, which binds tighter than `OR`; clauses
 * side by side are joined by `AND`. Takes time linear in the length of `text`. A query of nothing
 * but space matches everything.
 *
 * @throws {DepositError} invalid_query: with the position of the fault
 */
export function parseQuery(text: string): Query {
  const reader = new QueryReader(text)
  reader.skipSpace()
  if (reader.atEnd) return { type: 'all' }
  return new QueryParser(reader).parse()
}

const and = /(?:AND(?![^\s()"])|&&)/uy
const or = /(?:OR(?![^\s()"])|\|\|)/uy

/** A sign that stands alone is text: people paste titles with dashes in them. */
const not = /(?:NOT(?![^\s()"])|[!-](?=[^\s)]))/uy
const must = /\+(?=[^\s)])/uy
const everything = /\*:\*(?=$|[\s()])/uy

class QueryParser {
  readonly #reader: QueryReader
  #depth = 0
  #clauses = 0
  #inexact = 0
  #ranges = 0

  constructor(reader: QueryReader) {
    this.#reader = reader
  }

  parse(): Query {
    const query = this.#readOr(undefined)
    if (!this.#reader.atEnd) this.#reader.fail('This parenthesis was never opened.')
    return query
  }

  #readOr(field: FieldPath | undefined): Query {
    const clauses = [this.#readAnd(field)]
    while (this.#reader.takeMatch(or) !== undefined) clauses.push(this.#readAnd(field))
    return joined('or', clauses)
  }

  #readAnd(field: FieldPath | undefined): Query {
    const clauses = [this.#readNot(field)]
    while (this.#hasMore()) {
      this.#reader.takeMatch(and)
      clauses.push(this.#readNot(field))
    }
    return joined('and', clauses)
  }

  #hasMore(): boolean {
    this.#reader.skipSpace()
    return !(this.#reader.atEnd || this.#reader.sees(')') || this.#reader.match(or) !== undefined)
  }

  #readNot(field: FieldPath | undefined): Query {
    this.#reader.skipSpace()
    const start = this.#reader.offset
    if (this.#reader.takeMatch(not) !== undefined) {
      return { type: 'not', clause: this.#nested(start, () => this.#readNot(field)) }
    }
    // Every clause is required unless OR says otherwise, so + changes nothing.
    if (this.#reader.takeMatch(must) !== undefined) {
      return this.#nested(start, () => this.#readNot(field))
    }
    return this.#readClause(field)
  }

  #readClause(outer: FieldPath | undefined): Query {
    this.#refuseOperator()
    const field = readField(this.#reader)
    if (this.#reader.sees('(') && field?.[0] !== '_exists_') return this.#readGroup(field ?? outer)
    this.#count()
    if (field?.[0] === '_exists_') {
      return withShortName({ type: 'exists', field: readFieldName(this.#reader) })
    }
    if (this.#reader.takeMatch(everything) !== undefined) return { type: 'all' }
    const clause = this.#readValue(field ?? outer)
    this.#limit(clause)
    return withShortName(clause)
  }

  #readValue(field: FieldPath | undefined): Query {
    const reader = this.#reader
    if (reader.sees('"')) return readPhrase(reader, field)
    if (reader.match(/[[{]/uy) !== undefined) {
      return field ? readRange(reader, field) : reader.fail('A range needs a field before it.')
    }
    if (field && reader.match(/[<>]/uy) !== undefined) return readComparison(reader, field)
    return readTerm(reader, field)
  }

  #readGroup(field: FieldPath | undefined): Query {
    const start = this.#reader.offset
    this.#reader.take('(')
    const query = this.#nested(start, () => this.#readOr(field))
    if (!this.#reader.take(')')) this.#reader.fail('The parenthesis is not closed.', start)
    return query
  }

  #refuseOperator(): void {
    const reader = this.#reader
    if (reader.atEnd) reader.fail('The query ends where a term is expected.')
    if (reader.sees(')')) reader.fail('A term is expected before the parenthesis.')
    const operator = reader.match(and) ?? reader.match(or)
    if (operator !== undefined) reader.fail(`A term is expected before ${operator}.`)
  }

  #nested(start: number, read: () => Query): Query {
    this.#depth += 1
    if (this.#depth > maxQueryDepth) {
      this.#reader.fail(`The query is nested deeper than ${maxQueryDepth} levels.`, start)
    }
    const query = read()
    this.#depth -= 1
    return query
  }

  /** Such clauses cost more than others. */
  #limit(clause: Query): void {
    if (clause.type === 'range') this.#ranges += 1
    if (clause.type === 'term' && clause.ending !== 'exact') this.#inexact += 1
    if (this.#ranges > maxRanges) this.#reader.fail(`The query has more than ${maxRanges} ranges.`)
    if (this.#inexact > maxInexactWords) {
      this.#reader.fail(`The query has more than ${maxInexactWords} words with * or ~.`)
    }
  }

  #count(): void {
    this.#clauses += 1
    if (this.#clauses > maxQueryClauses) {
      this.#reader.fail(`The query has more than ${maxQueryClauses} clauses.`)
    }
  }
}

function joined(type: 'and' | 'or', clauses: readonly Query[]): Query {
  const [first] = clauses
  return first && clauses.length === 1 ? first : { type, clauses }
}
