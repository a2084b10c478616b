import { describe, expect, it } from 'vitest'
import { findAccessLimits } from '../../core/contract/access-limits.ts'

const found = (document: object) => findAccessLimits({ ...document }, '2026-11-22T12:00:00Z')

it('names the day on which the files become available', () => {
  expect(found({ dateAvailable: '2030-01-01' })[0]?.message).toContain(
    'dateAvailable is "2030-01-01", which limits access until 2030-01-01',
  )
})

it.for(['acces', 'accesss', 'Access', 'embargo', 'acces_right'])(
  'keeps the day of what is written as access, under the name %s',
  (name) => {
    const until = '2030-01-01'
    const [limit] = found({ [name]: { files: 'restricted', until } })
    expect(limit?.until).toBe(until)
    expect(limit?.message).toContain(`: access: {files: restricted, until: ${until}}`)
  },
)

describe('the message quotes the field and its value', () => {
  it.for([
    [{ secret: true }, 'secret is true, which'],
    [
      { embargo: { active: true, until: '2030-01-01' } },
      'embargo is {active: true, until: "2030-01-01"}, which',
    ],
    [{ access_right: ['restricted'] }, 'access_right is ["restricted"], which'],
    [{ 'Open Access?': 'N' }, 'Open Access? is "N", which'],
    [
      { extras: [{ key: 'embargo_date', value: '2030-01-01' }] },
      'embargo_date is "2030-01-01", which',
    ],
    [
      { rights: ['a', 'b', 'c', 'd', 'e', 'embargoed'] },
      'rights says "embargoed", which limits access, and publishing makes the files public.',
    ],
    [
      { embargo: { until: { by: { whom: { from: 1 } } } } },
      'embargo is {until: {by: {whom: …}}}, which',
    ],
  ] as const)('%j', ([document, words]) => {
    expect(found(document)[0]?.message).toContain(words)
    // What is within another field would close nothing there.
    const isInner = (found(document)[0]?.field.lastIndexOf('/') ?? 0) > 0
    expect(found(document)[0]?.message).toMatch(
      isInner
        ? /open, write at the top of the document, in place of the field: access: \{files: public\}$/
        : /open, write in place of the field: access: \{files: public\}$/,
    )
  })
  it.for([
    {
      custom: Object.fromEntries(
        Array.from({ length: 1e4 }, (_, n) => [`embargo_${n}`, 'x'.repeat(50)]),
      ),
    },
    {
      embargo: Object.fromEntries(
        Array.from({ length: 1e4 }, (_, n) => [`until${n}`, 'x'.repeat(500)]),
      ),
    },
    { access: 'restricted '.repeat(1e4) },
  ])('in a few lines at most', (document) => {
    for (const { message } of found(document)) expect(message.length).toBeLessThan(600)
  })

  it('says once what to write where several fields say the same, and of the others to remove them', () => {
    const document = { access_right: 'embargoed', embargo_date: '2030-01-01' }

    const [first, second, ...others] = found(document).map(({ message }) => message)

    expect(first).toContain(
      'write in place of the field: access: {files: restricted, until: 2030-01-01}',
    )
    expect(second).toMatch(/, too\. Remove the field where access says it$/)
    expect(others).toEqual([])
    expect(found({ access: { files: 'restricted', until: '2030-01-01' } })).toEqual([])
  })
  it('says of a field beside public files that the two contradict each other', () => {
    const [fault] = found({ access: { files: 'public' }, embargo_date: '2030-01-01' })

    expect(fault?.message).toContain('but access says that the files are public')
    expect(fault?.message).toMatch(
      /access: \{files: restricted, until: 2030-01-01\}, or correct the field$/,
    )
  })

  it.for([
    { data_availability: 'Sample material is available on request.' },
    { sperrgebiet: 'ja' },
    { us_embargo_against_cuba: 'since 1962' },
    { availability_statement: 'Raw data are restricted by law; the derived data are here.' },
    { data_availability_statement: 'The code is available on request from the authors.' },
  ])('says nothing of %j where access says that the files are public', (document) => {
    expect(found(document)).toHaveLength(1)
    const isProse = Object.values(document).some((text) => text.includes(' the '))
    expect(found(document)[0]?.message).toContain(
      isProse ? 'open, add the field: access' : 'access',
    )
    expect(found({ ...document, access: { files: 'public' } })).toEqual([])
  })
})
