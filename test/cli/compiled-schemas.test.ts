import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../cli/build/compiled-schemas.ts'
import { schemaFormats, ucs2length } from '../../cli/check/schema-formats.ts'
import { validatorOf, type SchemaName, type Validate } from '../../cli/check/schema-validators.ts'
import fields from '../../core/contract/metadata/fields-v1.0.0.json' with { type: 'json' }
import { packageSchemas } from '../../core/contract/metadata.ts'

const names = Object.keys(packageSchemas) as readonly SchemaName[]

/** The validator as the build makes it. */
function compiledOf(name: SchemaName): Validate {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code is our own, and only tested here
  const make = new Function('schemaFormats', 'ucs2length', `${codeOf(name)}\nreturn validate`)
  return Reflect.apply(make, undefined, [schemaFormats, ucs2length]) as Validate
}

/** Values that fields may have, sound and not. */
const words = [
  '',
  'Tides',
  '2026-11-20',
  '2026-02-30',
  '2025-04-01/2025-06-30',
  'en',
  'en-',
  'a@example.org',
  'https://example.org/a',
  'https://orcid.org/0000-0002-1825-0097',
  '0000-0002-1825-0098',
  '10.5281/zenodo.12',
  'doi:10.5281/zenodo.12',
  'IsSupplementTo',
  'Nothing',
  'dataset',
  'Other',
  'personal',
  '\ud83d\ude00',
]

const word = fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 4 }))

/** Names of fields at any depth, and some that no field has. */
const keys = [...new Set([...keysIn(fields), 'nothing', '__proto__', 'constructor'])]

function keysIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]) => [name, ...keysIn(value)])
}

const { document } = fc.letrec<{ value: unknown; document: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.constantFrom(null, true, 0, 1.5, -90, 181),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('document'),
  ),
  document: fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
}))

describe.each(names)('the validator of %s that the build compiles', (name) => {
  it('finds the same errors as the schema', async () => {
    const compiled = compiledOf(name)
    const known = await validatorOf(name)
    const holds = (given: unknown): void => {
      expect(compiled(given)).toBe(known(given))
      expect(compiled.errors).toEqual(known.errors)
    }
    fc.assert(fc.property(document, holds), { numRuns: 1000 })
  })
})
