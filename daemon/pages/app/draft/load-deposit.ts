import type { Deposit, DepositApi } from '../api/deposits.ts'
import { defaultLayout, toFormSchema } from '../form/form-schema.ts'
import type { FormSchema } from '../form/form-schema.ts'
import type { Fault } from '../api/http.ts'
import { isArray, isObject, type Json, type JsonObject } from '../api/json.ts'
import type { Page } from '../api/page.ts'
import { translated } from '../../text/text.ts'
import { readStanding, type Standing } from '../people/standing.ts'

/** A deposit and how its form is made. */
export interface Loaded {
  readonly deposit: Deposit
  readonly standing: Standing
  readonly form: FormSchema
  readonly layout: JsonObject
  /** Brings the program that finds faults as one types: the form is shown before it. */
  readonly loadFaults: () => Promise<FindFaults>
}

export type FindFaults = (document: JsonObject) => readonly Fault[]

/** Reads a deposit with its schema and that of the record it becomes. */
export async function loadDeposit(page: Page, api: DepositApi, id: string): Promise<Loaded> {
  const [deposit, standing] = await Promise.all([api.read(id), readStanding(page, id)])
  const path = schemaPath(deposit) ?? ''
  const choice = page.schemas.find((schema) => schema.path === path)
  const [own, record] = await Promise.all([
    path === '' ? anySchema : api.schema(`/schemas/${path}`),
    choice ? api.schema(`/schemas/${choice.record}`) : undefined,
  ])
  return {
    deposit,
    standing,
    form: toFormSchema(labelled(own), record && labelled(record)),
    layout: page.forms[path] ?? page.defaultForm ?? defaultLayout,
    loadFaults: async () => {
      const { liveFaults } = await import('../form/live-faults.ts')
      return liveFaults(own, wasPublished(deposit) ? deposit.metadata : undefined)
    },
  }
}

function wasPublished({ metadata }: Deposit): boolean {
  return typeof metadata._deposit.value === 'string'
}

/** The schema with the labels and hints that are known in the language of the page. */
function labelled(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, labelledValue(name, value)] as const),
  )
}

function labelledValue(name: string, value: Json | undefined): Json {
  if (isArray(value)) return value.map((each) => labelledValue('', each))
  if (isObject(value)) return labelled(value)
  const isLabel = (name === 'title' || name === 'description') && typeof value === 'string'
  return isLabel ? translated(value) : (value ?? null)
}

/** For a document that follows none: everything is beyond the schema. */
const anySchema: JsonObject = { type: 'object', properties: {} }

function schemaPath({ metadata }: Deposit): string | undefined {
  const url = metadata.$schema
  if (typeof url !== 'string') return undefined
  return decodeURI(new URL(url, location.origin).pathname).replace(/^\/schemas\//, '')
}
