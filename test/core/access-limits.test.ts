import { describe, expect, it } from 'vitest'
import { findAccessLimits } from '../../core/contract/access-limits.ts'

const euRights = 'http://publications.europa.eu/resource/authority/access-right'
const now = '2026-11-22T12:00:00Z'
const found = (document: object) => findAccessLimits({ ...document }, now)

describe('a document that says its files are not for everybody', () => {
  it.for([
    [{ access_right: 'embargoed', embargo_date: '2030-01-01' }, '/access_right', '2030-01-01'],
    [{ access_right: 'Embargoed' }, '/access_right', undefined],
    [{ access_right: 'embargoed', embargo_date: 'soon' }, '/access_right', undefined],
    [{ access_right: 'restricted' }, '/access_right', undefined],
    [{ acces_right: 'restricted' }, '/acces_right', undefined],
    [{ acess_rights: 'embargoed' }, '/acess_rights', undefined],
    [{ embago_date: '2030-01-01' }, '/embago_date', '2030-01-01'],
    [{ date_availble: '2030-01-01' }, '/date_availble', '2030-01-01'],
    [{ status: 'embargoed' }, '/status', undefined],
    [{ access_right: 'closed', embargo_date: '2020-01-01' }, '/access_right', undefined],
    [{ embargo_date: '2026-11-23' }, '/embargo_date', '2026-11-23'],
    [{ embargo_date: 2027 }, '/embargo_date', '2027-12-31'],
    [{ access: 'restricted' }, '/access', undefined],
    [{ access: { files: 'restricted' } }, '/access', undefined],
    [{ access: { files: 'restricted', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { record: 'restricted', files: 'public' } }, '/access', undefined],
    [
      { access: { record: 'public', files: 'public', status: 'metadata-only' } },
      '/access',
      undefined,
    ],
    [
      { access: { files: 'public', embargo: { active: true, until: '2031-02-03' } } },
      '/access/embargo',
      '2031-02-03',
    ],
    [{ metadata: { access_right: 'closed' } }, '/metadata/access_right', undefined],
    [{ embargoDate: '2030-05-05' }, '/embargoDate', '2030-05-05'],
    [{ embargoEndDate: '2030-05-05' }, '/embargoEndDate', '2030-05-05'],
    [{ isAccessibleForFree: false }, '/isAccessibleForFree', undefined],
    [{ conditionsOfAccess: 'Restricted: ask us.' }, '/conditionsOfAccess', undefined],
    [{ rights: ['info:eu-repo/semantics/embargoedAccess'] }, '/rights', undefined],
    [
      { rightsList: [{ rightsUri: 'http://purl.org/coar/access_right/c_16ec' }] },
      '/rightsList',
      undefined,
    ],
    [
      { accessRights: { '@id': 'info:eu-repo/semantics/closedAccess' } },
      '/accessRights',
      undefined,
    ],
    [{ dates: [{ type: 'available', date: '2030-01-01' }] }, '/dates', '2030-01-01'],
    [{ embargo: { active: true, until: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo_until: '2030-01-01' }, '/embargo_until', '2030-01-01'],
    [{ 'Embargo Date': '2030-01-01' }, '/Embargo Date', '2030-01-01'],
    [{ Access_Right: 'embargoed' }, '/Access_Right', undefined],
    [{ access_right: ['embargoed'] }, '/access_right', undefined],
    [{ access_right: { id: 'embargoed' } }, '/access_right', undefined],
    [{ access: { embargo_date: '2030-01-01' } }, '/access/embargo_date', '2030-01-01'],
    [{ access: { right: 'embargoed' } }, '/access/right', undefined],
    [{ 'access.files': 'restricted' }, '/access.files', undefined],
    [{ rights: 'embargoed' }, '/rights', undefined],
    [{ visibility: 'private' }, '/visibility', undefined],
    [{ visibility: 'hidden' }, '/visibility', undefined],
    [
      { conditionsOfAccess: 'Not restricted in 2030, confidential now' },
      '/conditionsOfAccess',
      undefined,
    ],
    [{ rights: 'restricted_access' }, '/rights', undefined],
    [{ accessRights: { '@id': `${euRights}/NON_PUBLIC` } }, '/accessRights', undefined],
    [{ accessRights: `${euRights}/NON_PUBLIC` }, '/accessRights', undefined],
    [{ accessRights: `${euRights}/RESTRICTED` }, '/accessRights', undefined],
    [{ dateAvailable: '2030-01-01' }, '/dateAvailable', '2030-01-01'],
    [{ confidential: true }, '/confidential', undefined],
    [{ access: { type: 'embargoed', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { files: 'public', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { files: 'public', until: 'soon' } }, '/access', undefined],
    [{ access: { level: 'restricted' } }, '/access', undefined],
    [{ access: { files: { until: '2030-01-01' } } }, '/access', '2030-01-01'],
    [{ access: { record: { until: '2030-01-01' } } }, '/access', '2030-01-01'],
    [{ access: { right: 'embargoed', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [
      { access: { right: 'embargoed', until: '2020-01-01', embargo_date: '2030-01-01' } },
      '/access/right',
      '2030-01-01',
    ],
    [{ access: { right: 'restricted', until: '2020-01-01' } }, '/access/right', undefined],
    [{ release_date: '2030-01-01' }, '/release_date', '2030-01-01'],
    [{ 'Release Date': '2030' }, '/Release Date', '2030-01-01'],
    [{ publish_after: '2030-01-01' }, '/publish_after', '2030-01-01'],
    [{ metadata: { publishAfter: '2030-01-01' } }, '/metadata/publishAfter', '2030-01-01'],
    [{ open_from: '2030-01-01' }, '/open_from', '2030-01-01'],
    [{ sperrfrist: '2030-01-01' }, '/sperrfrist', '2030-01-01'],
    [{ Sperrfrist: '2 Jahre' }, '/Sperrfrist', undefined],
    [{ extras: [{ key: 'embargo_date', value: '2030-01-01' }] }, '/extras/0/value', '2030-01-01'],
    [
      {
        extras: [
          { key: 'contact', value: 'Ada' },
          { key: 'access_right', value: 'embargoed' },
        ],
      },
      '/extras/1/value',
      undefined,
    ],
    [{ extras: [{ key: 'release_date', value: '2030-01-01' }] }, '/extras/0/value', '2030-01-01'],
    [
      { access: { files: 'public', embargo: { until: '2030-01-01' } } },
      '/access/embargo',
      '2030-01-01',
    ],
    [{ embargo: { dateAvailable: '2030-01-01', reason: 'paper' } }, '/embargo', '2030-01-01'],
    [{ embargo: { startDate: '2020-01-01', endDate: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo: { end_date: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo: { reason: 'paper' } }, '/embargo', undefined],
    [{ embargo: ['2020-01-01', '2030-01-01'] }, '/embargo', '2030-01-01'],
    [{ embargo: '2020-01-01/2030-01-01' }, '/embargo', '2030-01-01'],
    [{ dates: [{ date: '2030-01-01', dateType: 'Available' }] }, '/dates', '2030-01-01'],
    [{ dates: [{ date: '2030-01-01', type: { id: 'available' } }] }, '/dates', '2030-01-01'],
    [{ dates: [{ type: 'available', date: '2030-01-01/2031-01-01' }] }, '/dates', '2030-01-01'],
    [{ dates: [{ type: 'available', date: 'next spring' }] }, '/dates', undefined],
    [{ accessLevel: 'non-public' }, '/accessLevel', undefined],
    [{ 'dct:accessRights': { '@id': `${euRights}/NON_PUBLIC` } }, '/dct:accessRights', undefined],
    [{ 'dcterms:available': '2030-01-01' }, '/dcterms:available', '2030-01-01'],
    [{ 'dcterms:accessRights': 'restricted' }, '/dcterms:accessRights', undefined],
    [
      { 'http://purl.org/dc/terms/accessRights': 'restricted' },
      '/http:~1~1purl.org~1dc~1terms~1accessRights',
      undefined,
    ],
    [{ is_embargoed: true }, '/is_embargoed', undefined],
    [{ is_confidential: true }, '/is_confidential', undefined],
    [{ isEmbargoed: true }, '/isEmbargoed', undefined],
    [{ under_embargo: 'yes' }, '/under_embargo', undefined],
    [{ end_of_embargo: '2030-01-01' }, '/end_of_embargo', '2030-01-01'],
    [{ date_embargo: '2030-01-01' }, '/date_embargo', '2030-01-01'],
    [{ embargo_until: '01/31/2030' }, '/embargo_until', '2030-01-31'],
    [{ embargo_period: '12 months' }, '/embargo_period', undefined],
    [{ embargo: { until: 'soon', created: '2020-01-01' } }, '/embargo', undefined],
    [{ embargo_date: 'soon', embargo_until: '2020-01-01' }, '/embargo_date', undefined],
    [{ embargo: 'over 12 months' }, '/embargo', undefined],
    [{ embargo: 'lifted when the paper is out' }, '/embargo', undefined],
    [{ embargo_until: 'December 2026' }, '/embargo_until', '2026-12-31'],
    [{ embargo_lifted: '2030-01-01' }, '/embargo_lifted', '2030-01-01'],
    [{ conditionsOfAccess: 'The embargo will be lifted' }, '/conditionsOfAccess', undefined],
    [{ open_access: false }, '/open_access', undefined],
    [{ closedAccess: true }, '/closedAccess', undefined],
    [{ files: [{ restricted: true }] }, '/files/0/restricted', undefined],
    [
      { 'schema:isAccessibleForFree': { '@value': false } },
      '/schema:isAccessibleForFree',
      undefined,
    ],
    [{ embargo_date: { '@value': '2030-01-01' } }, '/embargo_date', '2030-01-01'],
    [{ date: { dateType: 'Available', date: '2030-01-01' } }, '/date', '2030-01-01'],
    [{ dates: { available: '2030-01-01' } }, '/dates/available', '2030-01-01'],
    [{ extra: { public: false } }, '/extra/public', undefined],
    [{ rights: 'metadata only access' }, '/rights', undefined],
    [{ access: [{ until: '2030-01-01' }] }, '/access', '2030-01-01'],
    [{ embargo_lifted: false }, '/embargo_lifted', undefined],
    [{ embargo: 'lifted in 2030' }, '/embargo', undefined],
    [{ embargo_start: '2020-01-01' }, '/embargo_start', undefined],
    [{ embargo_reason: 'paper' }, '/embargo_reason', undefined],
    [{ access_level: 'restricted' }, '/access_level', undefined],
    [{ accessType: 'Embargoed' }, '/accessType', undefined],
    [{ access_type: 'controlled' }, '/access_type', undefined],
    [{ access_status: 'closed' }, '/access_status', undefined],
    [{ accessStatus: 'metadata-only' }, '/accessStatus', undefined],
    [{ access_conditions: 'Confidential' }, '/access_conditions', undefined],
    [{ termsOfAccess: 'Restricted to members' }, '/termsOfAccess', undefined],
    [{ license: 'info:eu-repo/semantics/closedAccess' }, '/license', undefined],
    [{ custom: { embargo_date: '2030-01-01' } }, '/custom/embargo_date', '2030-01-01'],
    [
      { '@graph': [{ name: 'x' }, { conditionsOfAccess: 'Restricted' }] },
      '/@graph/1/conditionsOfAccess',
      undefined,
    ],
    [{ restricted: true }, '/restricted', undefined],
    [{ public: false }, '/public', undefined],
    [{ isPublic: 'no' }, '/isPublic', undefined],
    [{ accessRights: 'Open metadata, restricted files' }, '/accessRights', undefined],
    [{ accessRights: 'Public metadata, private files' }, '/accessRights', undefined],
    [{ conditionsOfAccess: 'Open in 2030, under embargo now' }, '/conditionsOfAccess', undefined],
    [{ conditionsOfAccess: 'Not open but restricted' }, '/conditionsOfAccess', undefined],
    [{ conditionsOfAccess: 'Not yet public' }, '/conditionsOfAccess', undefined],
  ] as const)('%j is found', ([document, field, until]) => {
    const [first] = found(document)
    expect([first?.field, first?.until]).toEqual([field, until])
  })
})

it('tells the day on which the files are available', () => {
  expect(found({ dateAvailable: '2030-01-01' })[0]?.message).toContain(
    'The metadata say "not yet available" until 2030-01-01',
  )
})

describe('a document of the largest size', () => {
  const many = 100_000
  it.for([
    ['fields that limit access', () => Array.from({ length: many }, () => ({ embargo: 1 })), 100],
    ['blanks before a word', () => ({ conditionsOfAccess: `${' '.repeat(1e6)}embargo` }), 1],
    [
      'one name in many spellings',
      () =>
        Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${'_'.repeat(n)}right`, ''])),
      0,
    ],
    [
      'objects in objects',
      () => {
        const deepest: object = { embargo: true }
        return Array.from({ length: many }).reduce<object>((inner) => ({ access: inner }), deepest)
      },
      1,
    ],
  ] as const)('is read with %s', ([, make, limits]) => {
    expect(found({ custom: make() })).toHaveLength(limits)
  })
})
