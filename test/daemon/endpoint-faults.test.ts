import { describe, expect, it } from 'vitest'
import { readConfig } from '../../daemon/config/config.ts'
import { open } from '../security/routes.matrix.ts'
import { testDaemon } from '../support/test-daemon.ts'

const places = new Set(open.flatMap((route) => route.split('/')[1] ?? []))

const json = (value: unknown): string => JSON.stringify(value)
const dataset = 'deposits/dataset-v1.0.0.json'

describe('a start with invalid endpoints', () => {
  it.each<[string, object, RegExp]>([
    [
      'two with one route',
      { lab: { item_route: '/deposits/{pid_value}' } },
      /depositList and lab\.depositList are both \/api\/deposits\./,
    ],
    ['a route of the service', { records: {} }, /recordList and records\.depositList are both/],
    [
      'two further ones with one route',
      { a: {}, b: { list_route: '/a' } },
      /a\.depositList and b\.depositList/,
    ],
    [
      'an unknown option',
      { lab: { list_rout: '/x' } },
      /lab has no option list_rout\. Did you mean list_route/,
    ],
    [
      'an unknown schema',
      { lab: { jsonschemas: ['x.json'] } },
      /lab names no schema of deposits: x\.json\. There are deposits\/deposit-v1\.0\.0\.json, /,
    ],
    [
      'a default that is not allowed',
      { lab: { jsonschemas: [dataset], default_jsonschema: 'deposits/deposit-v1.0.0.json' } },
      /not in jsonschemas: deposits\/dataset/,
    ],
    [
      'a type that is taken',
      { lab: { pid_type: 'recid' } },
      /type recid are those of the records\. Taken are recid, depid/,
    ],
    [
      'one type for two',
      { lab: { pid_type: 'x' }, other: { pid_type: 'x' } },
      /type x are those of the endpoint lab/,
    ],
    ['another type for depid', { depid: { pid_type: 'foo' } }, /must not be "foo"/],
    ['a name that is none', { 'Lab A': {} }, /"Lab A" cannot be a name/],
    ['options that are none', { lab: 'x' }, /DEPOSIT_REST_ENDPOINTS\.lab must be object/],
  ])('is refused for %s', async (_what, endpoints, fault) => {
    const env = { DEPOSIT_REST_ENDPOINTS: json(endpoints) }
    await expect(testDaemon({ env })).rejects.toThrow(fault)
  })

  it('is refused if the search table has no entry for the index', async () => {
    const env = {
      DEPOSIT_REST_ENDPOINTS: json({ lab: { search_index: 'mine' } }),
      DEPOSIT_REST_FACETS: json({ deposits: { aggs: {} } }),
    }
    await expect(testDaemon({ env })).rejects.toThrow(
      /"mine", which .*lab\.search_index names; it has deposits/,
    )
  })

  it('is refused for pages in a place that the service needs', async () => {
    for (const place of places.difference(new Set(['', 'api', 'deposit', 'records']))) {
      const recid = { route: `/${place}/{pid_value}` }
      const env = { DEPOSIT_HOME: '/none', DEPOSIT_RECORDS_UI_ENDPOINTS: json({ recid }) }
      await expect(readConfig(env), place).rejects.toThrow(`/${place}`)
    }
  })

  it('is refused for a page of an unknown endpoint', async () => {
    const env = { DEPOSIT_RECORDS_UI_ENDPOINTS: json({ lab: { route: '/x/<pid_value>' } }) }
    await expect(testDaemon({ env })).rejects.toThrow(/no endpoint lab; there are depid, recid/)
  })
})
